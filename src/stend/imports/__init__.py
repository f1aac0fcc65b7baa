"""Results of other tools become runs of kind `imported`: one file a format, found by its name, told by content.

A reader is a file with `claims(given)`, whether what was handed in is of its format, and `read(given)`, which takes
loads, facts and lacks from it (`taken`); `folder` makes the run. Nothing is measured, proven or averaged here.
"""

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from types import ModuleType

from stend.base.errors import BadInput
from stend.imports.given import Given, given
from stend.imports.taken import Taken

__all__ = ["Given", "Taken", "formats", "given", "taken_from"]


@cache
def readers() -> dict[str, ModuleType]:
    """Every reader by the name of its format, as typed: `fio`, `bench-fio`."""
    every = (importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    return {m.__name__.rpartition(".")[2].replace("_", "-"): m for m in every if hasattr(m, "claims")}


def formats() -> list[str]:
    """Every format's name."""
    return sorted(readers())


def taken_from(path: Path, form: str = "") -> tuple[Given, str, Taken]:
    """What a file or folder holds, in which format. BadInput where none knows it, or it is broken."""
    handed = given(path)
    name = form or next((name for name, reader in readers().items() if reader.claims(handed)), "")
    if name not in readers():
        said = f"there is no format {form!r}" if form else f"{path} is in no format that is known here"
        raise BadInput(f"{said}; known are {', '.join(formats())}")
    return handed, name, understood(handed, name, str(path))


def understood(handed: Given, name: str, place: str) -> Taken:
    """The same of what was read already."""
    if handed.folder != (name == "bench-fio"):
        raise BadInput(f"{place} is a {'folder' if handed.folder else 'file'}, which {name} does not read")
    try:
        taken: Taken = readers()[name].read(handed)
    except BadInput as error:
        raise BadInput(f"{place} cannot be imported as {name}: {error}") from error
    if not any(load.counts.ios for load in taken.loads):
        raise BadInput(f"{place} cannot be imported as {name}: it tells of no IO")
    return taken
