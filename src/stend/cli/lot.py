"""`stend lot`: outliers among drives of one model, and acceptance of their lot."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import GATE_FAILED_EXIT_CODE, GATE_UNDECIDED_EXIT_CODE
from stend.cli import _options, _runs, _table
from stend.cli._option import option

if TYPE_CHECKING:
    from stend.many.batch.acceptance import Plan
    from stend.many.sides import Side

CODES = {"accepted": 0, "rejected": GATE_FAILED_EXIT_CODE, "undecided": GATE_UNDECIDED_EXIT_CODE}


def command(
    runs: _runs.ManyRuns = None,
    plan: Annotated[
        Path | None, option("--acceptance", "FILE", "A plan of acceptance in TOML: docs/how-to/compare.md.")
    ] = None,
    where: _options.Where = None,
    anyway: _options.Anyway = False,
    into: Annotated[Path | None, _options.into("no files are written")] = None,
    form: Annotated[list[str] | None, _options.formats(*_options.PAGES)] = None,
    as_json: _options.Json = False,
    lang: _options.Language = "en",
) -> int:
    """Find outliers among drives of one model and judge their lot. Print the distribution of each figure.

    Each drive counts once, however many runs it has. Inspections are judged first: a table has one line per drive, the
    worst first. With --acceptance the exit code is 6 if the lot is rejected, and
    7 if these drives do not decide it.

    Example: stend lot runs/incoming --acceptance incoming.toml --into reports
    """
    from stend.cli import _inspected
    from stend.findings.look import inspected
    from stend.many import read
    from stend.many.batch import acceptance as plans

    acceptance = plans.read(plan) if plan else None
    side = read.named(runs or [_runs.RUNS], where=where or (), empty=True)
    if not as_json and any(key.test in inspected.TESTS for run in side.runs for key in run.rows):
        _inspected.printed(read.folders(runs or [_runs.RUNS], where or ()), lang, into, as_json=False)
    forms = form or (["html"] if into else [])
    return judged(side, acceptance, forms, lang, into, anyway=anyway, as_json=as_json)


def judged(
    side: "Side",
    plan: "Plan | None",
    forms: list[str],
    lang: str,
    into: Path | None,
    *,
    anyway: bool = False,
    as_json: bool = False,
) -> int:
    """Print and write the results for the drives of these runs. Return the exit code of the verdict."""
    from stend.many.batch import lot, verdict
    from stend.report.parts import batched

    least = 1 if plan else 2  # a plan counts the drives that it lacks
    whole = verdict.judged(lot.lot(side, anyway=anyway, least=least), plan)
    if as_json:
        typer.echo(_table.data(batched.plain(whole)))
    else:
        lead = batched.batched(whole, lang, drawn=False).lead
        typer.echo("\n".join((lead.title, *lead.stamps, *lead.texts)))
    if forms:
        for path in batched.write(whole, forms, lang, into or Path()):
            typer.echo(f"Lot: {path}", err=as_json)
    return CODES[whole.acceptance.verdict] if whole.acceptance else 0
