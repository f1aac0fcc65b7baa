"""`stend batch`: outliers among drives of one model, and acceptance of their lot."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import GATE_FAILED_EXIT_CODE, GATE_UNDECIDED_EXIT_CODE

if TYPE_CHECKING:
    from stend.many.batch.acceptance import Plan

CODES = {"accepted": 0, "rejected": GATE_FAILED_EXIT_CODE, "undecided": GATE_UNDECIDED_EXIT_CODE}


def command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders of them.")],
    plan: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="A plan of acceptance, in TOML: docs/how-to/many-drives.md."),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Accept runs that were measured with different settings.")
    ] = False,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="DIR", help="Write the report into this folder.")
    ] = None,
    form: Annotated[
        list[str] | None, typer.Option("--format", help="html, pdf, markdown or json; may be repeated.")
    ] = None,
    lang: Annotated[str, typer.Option("--lang", help="en or ru.")] = "en",
) -> int:
    """Find outliers among drives of one model and judge their lot. Print the distribution of each figure.

    Each drive counts once, however many runs it has. With --plan the exit code is 6 if the lot is rejected, and 7 if
    these drives do not decide it.

    Example: stend batch runs/incoming --plan incoming.toml --into reports
    """
    from stend.many.batch import acceptance as plans

    return judged(runs, plans.read(plan) if plan else None, form or (["html"] if into else []), lang, into, anyway)


def judged(
    runs: list[Path], plan: "Plan | None", forms: list[str], lang: str, into: Path | None, anyway: bool = False
) -> int:
    """Print and write the results for the drives of these runs; return the exit code of the verdict."""
    from stend.many import read
    from stend.many.batch import lot, verdict
    from stend.report.parts import batched

    whole = verdict.judged(lot.lot(read.named(runs), anyway=anyway), plan)
    for text in batched.batched(whole, lang, drawn=False).lead.texts:
        typer.echo(text)
    if forms:
        for path in batched.write(whole, forms, lang, into or Path()):
            typer.echo(f"Batch: {path}")
    return CODES[whole.acceptance.verdict] if whole.acceptance else 0
