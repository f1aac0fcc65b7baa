"""`stend compare`: two sets of runs, what differs between them and how sure; rules that fail."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stend import cli
from stend.base.errors import GATE_FAILED_EXIT_CODE, GATE_UNDECIDED_EXIT_CODE, BadInput
from stend.cli import _reading

if TYPE_CHECKING:
    from stend.many.compare import Comparison, Side
    from stend.many.compare.rules import Judgement

BETWEEN = ":"
"""What stands for `--` between the sides once the arguments are parsed; no path is named so."""
MOST_LINES = 16


class Verb(cli.Verb):
    """A command for which `--` stands between its sides; options may stand anywhere."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep `--` from the parser, which would drop it."""
        return super().parse_args(ctx, [BETWEEN if word == "--" else word for word in args])


def command(
    runs: Annotated[list[str], typer.Argument(metavar="A... -- B...", help="Run folders, or folders of them.")],
    by: Annotated[str, typer.Option("--by", help="Group all runs by firmware, model, serial, folder or label.")] = "",
    chosen_sides: Annotated[
        list[str] | None, typer.Option("--side", metavar="VALUE", help="With --by: the value of a side; twice.")
    ] = None,
    where: _reading.Where = None,
    fail_if: Annotated[
        list[str] | None, typer.Option("--fail-if", metavar="RULE", help="Like 'iops[*,4K] < -3%'; may be repeated.")
    ] = None,
    rules: Annotated[Path | None, typer.Option("--rules", metavar="FILE", help="Rules in TOML.")] = None,
    undecided: Annotated[str, typer.Option("--undecided", help="pass or fail: what an undecided rule counts as.")] = "",
    noninferior: Annotated[
        bool, typer.Option("--noninferior", help="Pass only when every rule is shown to hold.")
    ] = False,
    threshold: Annotated[
        list[str] | None, typer.Option("--threshold", metavar="KIND=%", help="Of rate, mean or tail: what matters.")
    ] = None,
    anyway: Annotated[bool, typer.Option("--anyway", help="Compare what is not comparable, with warnings.")] = False,
    name: Annotated[list[str] | None, typer.Option("--name", help="What a side is called; twice.")] = None,
    into: Annotated[Path | None, typer.Option("--into", metavar="DIR", help="Write the comparison there.")] = None,
    form: Annotated[
        list[str] | None, typer.Option("--format", help="html, pdf, markdown or json; may be repeated.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Answers as JUnit XML.")] = None,
    lang: Annotated[str, typer.Option("--lang", help="en or ru.")] = "en",
) -> int:
    """Compare two sets of runs: per figure the change, its interval, and a verdict; rules may fail.

    A side is run folders, or a folder of them; several runs a side make intervals possible. Exit code 6 when a rule
    fails, 7 when these runs do not decide it.

    Example: stend compare runs/old-1 runs/old-2 -- runs/new-1 runs/new-2 --fail-if 'iops[*,4K] < -3%'
    """
    from stend.many.compare import compared, gate, thresholds
    from stend.report.parts import compared as pages

    chosen = gate.chosen(fail_if or (), rules, undecided, noninferior=noninferior)
    if junit and not chosen.rules:
        raise BadInput("--junit writes the answers of rules, and there is none; give --fail-if or --rules")
    if name and len(name) != 2:
        raise BadInput("--name is given twice or not at all, once for each side")
    first, second = _sides(runs, by, chosen_sides or (), name or (), where or ())
    whole = compared(first, second, thresholds(threshold or ()), anyway=anyway)
    judged = chosen.judge(whole)
    for line in told(whole, judged, lang):
        typer.echo(line)
    if into or form:
        for path in pages.write(whole, judged, form or ["html"], lang, into or Path()):
            typer.echo(f"Comparison: {path}")
    if junit and judged:
        from stend.many.compare import junit as xml

        xml.write(judged, junit, (whole.a.name, whole.b.name))
    return code(judged)


def _sides(
    words: Sequence[str], by: str, wanted: Sequence[str], name: Sequence[str], where: Sequence[str]
) -> tuple["Side", "Side"]:
    """The two sets of runs that were asked for, with their names."""
    from stend.many import read

    if not by:
        if wanted or where:
            raise BadInput("--side and --where choose among what --by groups, and there is no --by")
        first, second = (read.named([Path(word) for word in own]) for own in sides(words))
        return read.with_names(first, second, name)
    if by not in read.GROUPS:
        raise BadInput(f"runs cannot be grouped by {by!r}; they can by {', '.join(read.GROUPS)}")
    if BETWEEN in words:
        raise BadInput("--by makes the sides itself; leave out the -- between them")
    first, second = read.grouped([Path(word) for word in words], by, wanted, where)
    return read.with_names(first, second, name) if name else (first, second)


def sides(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """What stands on either side of `--`; without one, two words are a side each."""
    if BETWEEN not in words:
        if len(words) != 2:
            raise BadInput("which runs are compared with which? Put -- between the sides: stend compare A1 A2 -- B1 B2")
        return [words[0]], [words[1]]
    place = list(words).index(BETWEEN)
    first, second = list(words[:place]), list(words[place + 1 :])
    if BETWEEN in second or not first or not second:
        raise BadInput("a comparison has two sides, with one -- between them: stend compare A1 A2 -- B1 B2")
    return first, second


def code(judged: "Judgement | None") -> int:
    """The exit code."""
    answer = judged.final if judged else "passed"
    return {"passed": 0, "failed": GATE_FAILED_EXIT_CODE, "undecided": GATE_UNDECIDED_EXIT_CODE}[answer]


def told(whole: "Comparison", judged: "Judgement | None", lang: str) -> list[str]:
    """The comparison on one screen: what differs besides, counts, sure differences, the rules' answers."""
    from stend.report.parts.versus import versus
    from stend.words import Language

    words = Language(lang)
    doc = {section.anchor: section for section in versus(whole, judged, lang, drawn=False).sections}
    lines = [f"{whole.a.name} ({len(whole.a.runs)}) | {whole.b.name} ({len(whole.b.runs)})"]
    lines += [f"  {text}" for text in (*doc["settings"].texts, *doc["summary"].texts)]
    lines += [f"  ! {row[0]}: {row[1]} | {row[2]} ({row[3]})" for table in doc["settings"].tables for row in table.rows]
    lines += _sure(whole, words)
    if "rules" in doc:
        lines += _answers(doc["rules"].tables[0].rows)
        lines.append(doc["rules"].texts[0])
    return lines


def _answers(rows: Sequence[Sequence[str]]) -> list[str]:
    """Answers of one rule that are alike, as one line with their first figure."""
    alike: dict[tuple[str, str], list[Sequence[str]]] = {}
    for row in rows:
        alike.setdefault((row[0], row[-1]), []).append(row)
    said = []
    for (rule, answer), own in alike.items():
        more = f" (+{len(own) - 1})" if len(own) > 1 else ""
        said.append(f"  {rule}: {answer}: {own[0][1]} {own[0][2]} ({own[0][3]}){more}")
    return said


def _sure(whole: "Comparison", words: Any) -> list[str]:
    from math import log

    from stend.charts.overlay.intervals import name
    from stend.charts.overlay.ratio_map import change
    from stend.report.parts.versus import interval

    own = sorted((d for d in whole.differences if d.verdict in ("better", "worse")), key=lambda d: -abs(log(d.ratio)))
    shown = []
    for one in own[:MOST_LINES]:
        verdict = words(f"verdict.{one.verdict}")
        shown.append(f"  {verdict:<7} {change(one.ratio, words):>8}  ({interval(one, words)})  {name(one, words)}")
    return shown + ([f"  … {len(own) - MOST_LINES}"] if len(own) > MOST_LINES else [])
