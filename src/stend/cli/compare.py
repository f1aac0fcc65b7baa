"""`stend compare`: differences between two sets of runs with their intervals, and rules that can fail."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stend.base.errors import GATE_FAILED_EXIT_CODE, GATE_UNDECIDED_EXIT_CODE, BadInput
from stend.cli import _complete, _options, _runs, _table, _verbs
from stend.cli._option import argument, flag, option

if TYPE_CHECKING:
    from stend.many.compare import Comparison, Side
    from stend.many.compare.rules import Judgement

BETWEEN = ":"
"""Replaces `--` between the sides before the arguments are parsed. No path has this name."""
MOST_GROUPS = 8


class Verb(_verbs.Verb):
    """A command that accepts `--` between two lists of arguments, and options anywhere."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Replace `--`, which the parser would drop, by BETWEEN."""
        return super().parse_args(ctx, [BETWEEN if word == "--" else word for word in args])


def command(
    runs: Annotated[
        list[str] | None,
        argument(
            "A... -- B...",
            f"Runs of two sides: each {_runs.FORMS}; a folder of runs names all of them; with --by default: runs.",
            autocompletion=_complete.runs,
        ),
    ] = None,
    by: Annotated[str, option("--by", "FACT", "Group all runs by firmware, model, serial, folder or label.")] = "",
    chosen_sides: Annotated[
        list[str] | None, option("--side", "VALUE", "With --by: the value of one side; give it twice.")
    ] = None,
    where: _options.Where = None,
    fail_if: Annotated[
        list[str] | None, option("--fail-if", "RULE", "Like 'iops[*,4K] < -3%'; may be repeated.")
    ] = None,
    rules: Annotated[Path | None, option("--rules", "FILE", "Rules in TOML.")] = None,
    undecided: Annotated[str, option("--undecided", "HOW", "pass or fail: result of an undecided rule.")] = "",
    noninferior: Annotated[bool, flag("--noninferior", "Pass only if every rule is shown to hold.")] = False,
    threshold: Annotated[
        list[str] | None,
        option("--threshold", "KIND=%", "Smallest relevant change of rate, mean or tail; may be repeated."),
    ] = None,
    anyway: _options.Anyway = False,
    name: Annotated[list[str] | None, option("--side-name", "TEXT", "Name of a side; give it twice.")] = None,
    into: Annotated[Path | None, _options.into("no files are written")] = None,
    form: Annotated[list[str] | None, _options.formats(*_options.PAGES)] = None,
    as_json: _options.Json = False,
    junit: Annotated[Path | None, option("--junit", "FILE", "Write the answers as JUnit XML.")] = None,
    lang: _options.Language = "en",
) -> int:
    """Compare two sets of runs and check rules. Print each figure's change, its interval and a verdict.

    A side is a list of run folders, or a folder of them. Intervals need at least two runs per side. The exit code is 6
    if a rule fails, and 7 if these runs do not decide it.

    Example: stend compare runs/old-1 runs/old-2 -- runs/new-1 runs/new-2 --fail-if 'iops[*,4K] < -3%'
    """
    from stend.many.compare import compared, thresholds
    from stend.many.compare.rules import chosen
    from stend.report.parts import compared as pages

    gate = chosen(fail_if or (), rules, undecided, noninferior=noninferior)
    if junit and not gate.rules:
        raise BadInput("--junit writes the answers of rules, but no rule is given; add --fail-if or --rules")
    if name and len(name) != 2:
        raise BadInput("give --side-name twice, once for each side, or not at all")
    if name and name[0] == name[1]:
        raise BadInput(f"both sides are named {name[0]!r}; give two different --side-name")
    first, second = _sides(runs or [], by, chosen_sides or (), name or (), where or ())
    whole = compared(first, second, thresholds(threshold or ()), anyway=anyway)
    judged = gate.judge(whole)
    if as_json:
        typer.echo(_table.data(pages.plain(whole, judged)))
    for line in () if as_json else summary(whole, judged, lang):
        typer.echo(line)
    if into or form:
        for path in pages.write(whole, judged, form or ["html"], lang, into or Path()):
            typer.echo(f"Comparison: {path}", err=as_json)
    if junit and judged:
        from stend.many.compare import junit as xml

        xml.write(judged, junit, (whole.a.name, whole.b.name))
    return code(judged)


def _sides(
    words: Sequence[str], by: str, wanted: Sequence[str], name: Sequence[str], where: Sequence[str]
) -> tuple["Side", "Side"]:
    """Return the two sides with their names, from folders or grouped by `--by`."""
    from stend.many import read

    if not by:
        if wanted:
            raise BadInput("--side needs --by; add it or leave it out")
        first, second = (read.named([Path(word) for word in paths], where=where) for paths in sides(words))
        return read.with_names(first, second, name)
    if by not in read.GROUPS:
        raise BadInput(f"runs cannot be grouped by {by!r}; choose from {', '.join(read.GROUPS)}")
    if BETWEEN in words:
        raise BadInput("--by forms the sides by itself; leave out the -- between them")
    first, second = read.grouped([Path(word) for word in words or ["runs"]], by, wanted, where)
    return read.with_names(first, second, name) if name else (first, second)


def sides(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words before and after `--`. Without it, each of two words is a side. Raise BadInput otherwise."""
    if BETWEEN not in words:
        if len(words) != 2:
            raise BadInput("put -- between the two sides: stend compare A1 A2 -- B1 B2")
        return [words[0]], [words[1]]
    place = list(words).index(BETWEEN)
    first, second = list(words[:place]), list(words[place + 1 :])
    if BETWEEN in second or not first or not second:
        raise BadInput("a comparison has two sides, with one -- between them: stend compare A1 A2 -- B1 B2")
    return first, second


def code(judged: "Judgement | None") -> int:
    """Return the exit code of a judgement, or 0 without rules."""
    answer = judged.final if judged else "passed"
    return {"passed": 0, "failed": GATE_FAILED_EXIT_CODE, "undecided": GATE_UNDECIDED_EXIT_CODE}[answer]


def summary(whole: "Comparison", judged: "Judgement | None", lang: str) -> list[str]:
    """Return the comparison as lines: a warning, counts, stamps, unlike settings, differences, the rules' answers."""
    from stend.report.parts import ranked
    from stend.report.parts.versus import versus
    from stend.words import Language

    words = Language(lang)
    doc = {section.anchor: section for section in versus(whole, judged, lang, drawn=False).every}
    unlike = list(ranked.warning(whole, words))
    lines = [*unlike, f"{whole.a.name} ({len(whole.a.runs)}) | {whole.b.name} ({len(whole.b.runs)})"]
    lines += doc["summary"].stamps
    told = (*doc["summary"].texts[len(unlike) :], *doc["settings"].texts)
    lines += [f"  {text}" for text in (ranked.conclusion(whole, words), *told) if text]
    lines += [f"  ! {row[0]}: {row[1]} | {row[2]} ({row[3]})" for table in doc["settings"].tables for row in table.rows]
    lines += ranked.lines(whole, words, MOST_GROUPS)
    if "rules" in doc:
        lines += _answers(doc["rules"].tables[0].rows)
        lines.append(doc["rules"].texts[0])
    return lines


def _answers(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return one line per rule and answer, with the first figure and the number of further ones."""
    groups: dict[tuple[str, str], list[Sequence[str]]] = {}
    for row in rows:
        groups.setdefault((row[0], row[-1]), []).append(row)
    lines = []
    for (rule, answer), same in groups.items():
        more = f" (+{len(same) - 1})" if len(same) > 1 else ""
        lines.append(f"  {rule}: {answer}: {same[0][1]} {same[0][2]} ({same[0][3]}){more}")
    return lines
