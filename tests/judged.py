"""What findings say of a drawn drive, held against its truth: right, can't tell, or false, statement by statement."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from stend import findings
from stend.findings import Finding
from stend.words import Language
from stend.words.sentences import finding_said
from tests.drawn import Drawn, draw, ran

NEAR, ABOUT = 0.1, 0.25
LATE_S = 1900
"""A drive that begins to throttle so shortly before the end was not asked again; one that would begin later has not."""
RIGHT, UNSURE, FALSE = "right", "can't tell", "false"


class Statement(NamedTuple):
    """One sentence, whether it is so, and whether it was told as sure."""

    verdict: str
    sure: bool
    text: str


def statements(kind: str, seed: int, number: int) -> Iterator[Statement]:
    """All that is said of one drive that its truth can be held against."""
    drawn = draw(kind, seed, number)
    level = drawn.lasting or drawn.first or 50_000
    claimed = level * random.Random(f"claim {seed} {kind} {number}").choice([0.5, 0.9, 1.2, 2.0])
    sheet = {"claimed": {"rand_write_4k": claimed}} if drawn.test == "write-saturation" else {}
    run = ran(drawn, seed)
    if run.ended and drawn.hot > run.ended.t - LATE_S:
        drawn.hot = math.inf
    if run.ended and run.ended.t < drawn.since:
        seen = drawn.rate(0, 0)
        drawn = replace(drawn, shape="flat", first=seen, last=seen, lasting=seen)
    for finding in findings.find(run, sheet):
        judge: Callable[[Finding, Drawn], bool] | None = JUDGES.get(finding.name)
        if judge and finding.key != "short" and finding.values.get("state") not in ("rested",):
            text = finding_said(finding, Language("en"))
            so = finding.confidence == "can't tell" or finding.key == "unsettled"
            verdict = UNSURE if so else RIGHT if judge(finding, drawn) else FALSE
            yield Statement(verdict, finding.confidence == "high", f"{finding.name} {finding.key}: {text}")


def near(value: float, truth: float, within: float = NEAR) -> bool:
    return abs(value - truth) <= within * truth


def _cache(said: Finding, truth: Drawn) -> bool:
    told = said.values
    if said.key in ("steps", "about"):
        levels = near(told["first"], truth.first) and near(told["last"], truth.last)
        size = near(told["size"], truth.size, NEAR if said.key == "steps" else ABOUT)
        return truth.shape == "steps" and told["steps"] == truth.steps and size and levels
    if said.key == "gradual":
        return truth.shape == "gradual" and near(told["first"], truth.first) and near(told["last"], truth.last)
    if truth.shape == "steps":
        return bool(told["least"] >= truth.size * (1 - NEAR))
    return truth.shape in ("flat", "restless") or truth.last > truth.first / 1.3


def _saturation(said: Finding, truth: Drawn) -> bool:
    told = said.values
    if said.key in ("knee", "knees", "noisy"):
        bytes_right = said.key == "noisy" or not truth.size or near(told["knee_bytes"], truth.size)
        return truth.shape == "knee" and near(told["end"], truth.lasting or 0) and bytes_right
    if said.key in ("falling", "declines"):
        return truth.shape == "falling"
    if truth.shape == "restless":  # bursts that are part of a level
        return near(told["start"], told["end"], 0.25)
    return truth.shape == "flat" and near(told["start"], truth.first) and near(told["end"], truth.last)


def _steady(said: Finding, truth: Drawn) -> bool:
    """ "Steady by the rule" of a level that is not kept; "not reached" is what the rule says of any drive."""
    return said.key in ("unmet", "saturated") or truth.lasting is not None


def _claims(said: Finding, truth: Drawn) -> bool:
    """A claim of a server's drive is one of its lasting level."""
    value, claimed = said.values["value"][0], said.values["claimed"][0]
    if truth.shape == "rising":
        return claimed <= value and said.key in ("holds", "holds_beside")
    if truth.lasting is None:
        return truth.shape == "restless" and said.key == "missed" and value < claimed
    holds = value >= 0.97 * claimed
    return near(value, truth.lasting) and holds == (said.key in ("holds", "holds_beside"))


def _thermal(said: Finding, truth: Drawn) -> bool:
    return said.key == "throttled" if truth.hot < math.inf else True


def _zones(said: Finding, truth: Drawn) -> bool:
    return said.key == ("zoned" if truth.shape == "gradual" else "even")


JUDGES = {
    "slc_cache": _cache,
    "saturation": _saturation,
    "steady_state": _steady,
    "claims": _claims,
    "thermal": _thermal,
    "zones": _zones,
    "tail": lambda said, truth: truth.periodic,
}
