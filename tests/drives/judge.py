"""Statements of findings held against the true course of a drawn drive: every number of every statement."""

import random
import traceback
from collections.abc import Iterator
from typing import NamedTuple

from stend import findings
from stend.findings import Finding
from stend.sentences import finding_said
from stend.words import Language
from tests.drives import judge_others, judge_served, judge_writes
from tests.drives.kinds import KINDS, PLAYERS
from tests.drives.law import Played, Player, played
from tests.drives.opinion import Judge, Opinion
from tests.drives.sentence import strangers

RIGHT, PARTLY, LIKELY_WRONG, UNSURE, FALSE, SURE_FALSE = (
    "right", "partly right", "likely, wrong", "can't tell", "can't tell, wrong", "false and sure",
)  # fmt: skip
GRADES = {"high": 2, "medium": 1, "low": 1, "can't tell": 0}


class Statement(NamedTuple):
    """A statement, its verdict, why it is wrong, and whether a careful expert can tell more."""

    verdict: str
    text: str
    wrong: tuple[str, ...] = ()
    tellable: bool = False
    unjudged: tuple[str, ...] = ()

    @property
    def false(self) -> bool:
        """Whether anything in it is false."""
        return self.verdict in (LIKELY_WRONG, FALSE, SURE_FALSE)


JUDGES: dict[str, Judge] = judge_writes.JUDGES | judge_others.JUDGES | judge_served.JUDGES


def drawn(kind: str, seed: int, number: int) -> Played:
    """Return the run of a drive; the same seed gives the same run."""
    dice = random.Random(f"{seed}/{kind}/{number}")
    return played(KINDS[kind](dice), dice.randrange(2**31), PLAYERS.get(kind, Player))


def statements(kind: str, seed: int, number: int) -> Iterator[Statement]:
    """Yield every judged statement of one drive."""
    yield from judged(drawn(kind, seed, number))


def judged(one: Played) -> Iterator[Statement]:
    """Yield a verdict for every group of findings about the same thing."""
    groups: dict[tuple[str, str], list[tuple[Finding, str, Opinion]]] = {}
    try:
        found = list(findings.find(one.run, one.drive.sheet))
    except Exception:
        yield Statement(SURE_FALSE, "no findings at all", (traceback.format_exc().splitlines()[-1],))
        return
    for finding in found:
        text = finding_said(finding, Language("en"))
        opinion = JUDGES[finding.name](finding, one, text) if finding.name in JUDGES else None
        if opinion is not None:
            opinion.wrong.extend(strangers(finding, text))
            about = str(
                finding.values.get(
                    "state", finding.values.get("what", finding.values.get("claim", finding.values.get("mix", "")))
                )
            )
            groups.setdefault((finding.name, about), []).append((finding, text, opinion))
    for group in groups.values():
        yield _verdict(group)


def _verdict(group: list[tuple[Finding, str, Opinion]]) -> Statement:
    """Return the worst verdict of a group; where nothing is wrong, by the facts that the group states together."""
    unjudged = tuple(f"{f.name} {f.key}: {name}" for f, _, opinion in group for name in opinion.unjudged)
    text = " | ".join(f"{f.name} {f.key} ({f.confidence}): {text}" for f, text, _ in group)
    worst: list[tuple[str, tuple[str, ...]]] = []
    for finding, _, opinion in group:
        grade, wrong = GRADES[finding.confidence], list(opinion.wrong)
        if grade > opinion.most and opinion.facts:
            wrong.append(f"confidence {finding.confidence}: the record allows {('nothing', 'likely')[opinion.most]}")
        if wrong:
            worst.append(((FALSE, LIKELY_WRONG, SURE_FALSE)[grade], tuple(wrong)))
    if worst:
        verdict, wrong_all = max(worst, key=lambda item: (FALSE, LIKELY_WRONG, SURE_FALSE).index(item[0]))
        return Statement(verdict, text, wrong_all, unjudged=unjudged)
    facts = set().union(*(opinion.facts for _, _, opinion in group))
    tells = set().union(*(opinion.tells for _, _, opinion in group))
    told = any(f.confidence != "can't tell" for f, _, _ in group)
    if tells <= facts and (told or tells):
        return Statement(RIGHT, text, unjudged=unjudged)
    if told or facts & tells:
        return Statement(PARTLY, text, unjudged=unjudged)
    return Statement(UNSURE, text, tellable=bool(tells), unjudged=unjudged)
