"""How a run is named on the command line, the same in every verb: a folder, part of a name, or `last`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from stend.base.errors import BadInput
from stend.cli import _complete
from stend.cli._edge import rewrite
from stend.cli._option import argument

LAST, RUNS = Path("last"), Path("runs")
FORMS = "a folder, part of the name of a run in runs/, or last"
MANY = 200

Run = Annotated[Path, argument("[RUN]", f"A run: {FORMS} (the default).", autocompletion=_complete.runs)]


def _several(more: str) -> Any:
    return argument("[RUN]...", f"Runs: each {FORMS}{more}", autocompletion=_complete.runs)


Runs = Annotated[list[Path] | None, _several(" (the default); a folder of runs names all of them.")]
ManyRuns = Annotated[list[Path] | None, _several("; a folder of runs names all of them; default: runs.")]
Top = Annotated[
    Path,
    argument(
        "[RUNS]",
        f"A folder of runs (default: runs); a run names the folder that holds it: {FORMS}.",
        autocompletion=_complete.folders,
    ),
]


def folder(word: Path = LAST) -> Path:
    """Return the folder of a run. Raise BadInput, which shows similar names, if it does not exist."""
    from stend import catalogue

    return catalogue.meant(word)


def each(words: Sequence[Path] | None) -> list[Path]:
    """Return the folders of runs, each once. The last run if no word is given."""
    from stend.many import read

    return list(dict.fromkeys(read.folders(words or [LAST])))


def show_progress(done: int, of: int) -> None:
    """Show how many runs a catalogue has read, on a terminal and from MANY runs on."""
    if of >= MANY:
        rewrite(f"reading new runs into the catalogue: {done} of {of}", ends=done >= of)


def top(word: Path) -> Path:
    """Return a folder of runs, or for a run, the folder that holds it. Raise BadInput if the user may not open it."""
    from stend.store.journal import is_run

    if word.is_dir() and not os.access(word, os.R_OK | os.X_OK):
        raise BadInput(f"{word} cannot be read: Permission denied")
    return word if word.is_dir() and not is_run(word) else folder(word).parent
