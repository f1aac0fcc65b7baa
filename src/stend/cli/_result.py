"""The end of a run on the terminal: outcome, verdict, answers, key figures, searches without steady state, summary."""

import pydoc
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from stend.base.errors import StendError
from stend.base.text import plain, typed
from stend.cli import _steady, _summary, _table
from stend.cli._edge import open_stream
from stend.model.record import Run

STYLES = {"complete": "bold green", "imported": "bold", "failed": "bold red"}
OTHER = "bold yellow"
SHELL = 4
"""Lines of a terminal that the prompt and the place of the report need."""


def show(folder: Path, run: Run) -> None:
    """Print the result of a run. On a terminal the summary follows only if everything fits on one screen."""
    parts, body = list(_parts(folder, run)), _table.folded(_summary.body(run))
    console = Console(file=open_stream(sys.stdout), highlight=False)
    if console.is_terminal and len(parts) + len(body) > console.height - SHELL:
        body = [f"All figures: `stend show {typed(folder)}`"]
    for part in (*parts, *(Text(plain(line)) for line in body)):
        console.print(part, soft_wrap=not console.is_terminal)


def _parts(folder: Path, run: Run) -> Iterator[Text]:
    title, *stamps = _summary.head(run, without="not_steady")  # `_unmet` has more on these
    outcome = (run.outcome, STYLES.get(run.outcome, OTHER))
    yield Text.assemble((plain(title.removesuffix(run.outcome)), "bold"), outcome)
    yield from (Text(plain(stamp), "yellow") for stamp in stamps)
    yield from (Text(f"  ✗ {plain(line)}", "yellow") for line in _unmet(run))
    if run.unmet and run.plan.profile.quick:
        most = run.plan.profile.rounds
        yield Text(f"  The search ends after {most} rounds, often before steady state. The run itself worked.", "dim")
    yield from headline(folder, run)


def _unmet(run: Run) -> Iterator[str]:
    """Yield which searches missed steady state, and by what."""
    for judged in run.unmet:
        reason = _steady.reason(judged.verdicts)
        yield f"{judged.where.test}, {judged.where.phase}: not steady in {judged.where.round} rounds{reason}"


def headline(folder: Path, run: Run) -> Iterator[Text]:
    """Yield the verdict, the answer of each test and the key figures of the report, or nothing for an imported run."""
    from stend.report.story import headline as page_one

    if run.source:
        return
    try:
        verdict, answers, figures = page_one.headline(folder, run)
    except StendError:  # a broken drive sheet; the report names it
        return
    yield Text(plain(verdict))
    yield from (Text(f"  {plain(answer)}") for answer in answers)
    across = max((len(name) for name, _ in figures), default=0)
    yield from (Text.assemble(f"  {plain(name):<{across}}  ", (plain(value), "bold")) for name, value in figures)


def page(lines: Sequence[str]) -> None:
    """Print lines. On a terminal, use a pager if they need more than one screen."""
    if sys.stdout.isatty() and len(lines) >= shutil.get_terminal_size().lines:
        pydoc.pager("\n".join(map(plain, lines)) + "\n")
        return
    for line in lines:
        typer.echo(line)
