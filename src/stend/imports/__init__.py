"""Import results of other tools as runs of kind `imported`: one module per format, recognised by content.

A reader is a module with two functions. `claims(given)` returns True if the input is in its format. `read(given)`
returns the loads, the facts and the gaps of the result (`taken`). `folder` writes the run folder. Nothing is measured,
proven or averaged here.
"""

import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path
from types import ModuleType

from stend.base.errors import BadInput
from stend.imports.given import Given, given
from stend.imports.taken import Taken, lasted
from stend.words import Sentence

__all__ = ["Given", "Taken", "formats", "given", "taken_from"]

FIO_TEXT = re.compile(r"^(?:\d;fio-\d|[^\n]{1,200}: \(groupid=\d)", re.MULTILINE)
"""Start of a line in fio's terse or normal output."""


@cache
def readers() -> dict[str, ModuleType]:
    """Return every reader by the name of its format on the command line: `fio`, `bench-fio`."""
    every = (importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    return {m.__name__.rpartition(".")[2].replace("_", "-"): m for m in every if hasattr(m, "claims")}


def formats() -> list[str]:
    """Return the names of all formats, sorted."""
    return sorted(readers())


def _resaved(handed: Given) -> bool:
    """Return True if a file would be in a known format with commas instead of semicolons."""
    files = tuple((name, data.replace(b";", b",")) for name, data in handed.files)
    return not handed.folder and any(reader.claims(handed._replace(files=files)) for reader in readers().values())


def taken_from(path: Path, form: str = "") -> tuple[Given, str, Taken]:
    """Read a file or folder: return the input, its format and the result. `form` names the format.

    Raise BadInput if the format is unknown or the input is broken.
    """
    handed = given(path)
    name = form or next((name for name, reader in readers().items() if reader.claims(handed)), "")
    if name not in readers():
        reason = f"there is no format {form!r}" if form else f"{path} is not in a known format"
        if not form and FIO_TEXT.search(handed.head):
            raise BadInput(f"{path} is fio's text or terse output, which is not imported; use --output-format=json+")
        if not form and _resaved(handed):
            raise BadInput(
                f"{path} has semicolons between its cells, as a spreadsheet saves it, which also changes numbers; "
                "import the file that the tool wrote"
            )
        raise BadInput(f"{reason}; known are {', '.join(formats())}")
    return handed, name, understood(handed, name, str(path))


def understood(handed: Given, name: str, place: str) -> Taken:
    """Parse an input already in memory as the format `name`. `place` names it in errors.

    A load without IO was not measured (CrystalDiskMark prints 0.000 MB/s for it), and becomes a note.

    Raise BadInput if it cannot be parsed or holds no IO.
    """
    if handed.folder != (name == "bench-fio"):
        raise BadInput(f"{place} is a {'folder' if handed.folder else 'file'}, which {name} does not read")
    try:
        taken: Taken = readers()[name].read(handed)
        lasted(max((load.counts.seconds for load in taken.loads), default=0.0))
    except BadInput as error:
        raise BadInput(f"{place} cannot be imported as {name}: {error}") from error
    loads = tuple(load for load in taken.loads if load.counts.ios)
    if not loads:
        raise BadInput(f"{place} cannot be imported as {name}: it holds no IO")
    idle = len(taken.loads) - len(loads)
    notes = (Sentence("imported.idle", n=idle, all=len(taken.loads)),) if idle else ()
    return taken._replace(loads=loads, notes=(*taken.notes, *notes))
