"""Keep a capture in parts beside its file until the end, when they are joined. A kill loses only the last part.

Each part is a complete trace, or a complete file of steps. When the disk is full, the oldest parts are dropped (`ring`)
or the capture ends.
"""

import errno
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from stend.base import atomic, regular
from stend.base.errors import BadInput, StepFailed
from stend.base.text import typed
from stend.base.units import binary
from stend.trace import form, steps
from stend.trace.form import About
from stend.trace.steps import Step
from stend.words import Sentence

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Write = Callable[[Path], None]


class Full(Exception):
    """The next part does not fit, and no older part may be dropped."""


def parts_of(path: Path) -> Path:
    """Return the folder of the parts of a capture's file."""
    return path.with_name(f"{path.name}.parts")


class Spool:
    """The parts of a capture, in order. `limit_bytes` is their total size.

    If a part does not fit, the oldest parts are dropped (`ring`), or Full is raised. The constructor raises BadInput if
    the file or its folder of parts exists or cannot be created.
    """

    def __init__(self, path: Path, limit_bytes: int, *, ring: bool) -> None:
        self.path, self.limit_bytes, self.ring = path, limit_bytes, ring
        self.folder = parts_of(path)
        self.numbers, self.gone_ios, self.gone_parts = 0, 0, 0
        self._ios: dict[Path, int] = {}
        if path.exists():
            raise BadInput(f"{path} is there already; name a new file for the capture")
        try:
            self.folder.mkdir(parents=True)
        except FileExistsError:
            raise BadInput(
                f"{self.folder} holds a capture that was cut off: "
                f"`stend capture --finish {typed(path)}` makes a trace of it"
            ) from None
        except OSError as error:
            raise BadInput(f"nothing can be written at {path}: {error.strerror}") from error

    def add(self, write: Write, ios: int) -> None:
        """Write one more part with this number of IOs. Raise Full if it does not fit."""
        part = self.folder / f"{self.numbers:06}"
        while True:
            try:
                write(part)
                if self._bytes() <= self.limit_bytes:
                    break
                why = f"{binary(self.limit_bytes)} are filled"
            except OSError as error:
                if error.errno not in FULL:
                    raise StepFailed(f"{part} cannot be written: {error.strerror}") from error
                why = "the disk is full"
            older = [other for other in self._ios if other != part]
            if not (self.ring and older):
                part.unlink(missing_ok=True)
                self.gone_ios += ios
                raise Full(why)
            older[0].unlink()
            self.gone_ios += self._ios.pop(older[0])
            self.gone_parts += 1
        self._ios[part], self.numbers = ios, self.numbers + 1

    @property
    def held(self) -> bool:
        """Return True if there are parts. A part that does not fit can have cost all others."""
        return bool(self._ios)

    def join(self, about: About) -> None:
        """Join all parts into the file and remove them. Raise StepFailed and keep the parts if it cannot be written."""
        try:
            join(self.path, about)
        except OSError as error:
            raise StepFailed(
                f"{self.path} cannot be written ({error.strerror}); its parts are in {self.folder}: with "
                f"{binary(self._bytes())} free, `stend capture --finish {typed(self.path)}` makes the trace"
            ) from error

    def _bytes(self) -> int:
        return sum(path.stat().st_size for path in self.folder.iterdir())


def of_steps(every: Sequence[Step], step_ns: int, about: About) -> Write:
    """Return a function that writes these steps as a part."""
    return lambda part: atomic.write(part, steps.header(step_ns, about) + steps.packed(every))


def of_ios(batches: Sequence[dict[str, Any]], about: About) -> Write:
    """Return a function that writes these IOs as a part."""

    def write(part: Path) -> None:
        form.write(part, batches, about)

    return write


def finish(path: Path) -> int:
    """Join the parts of an interrupted capture into its file. Return their number, raise BadInput if there are none."""
    if not (folder := parts_of(path)).is_dir():
        raise BadInput(f"there are no parts of a capture at {folder}")
    parts = _sorted(folder)
    if not parts:
        shutil.rmtree(folder)
        raise BadInput(f"{folder} was cut off before its first part was written; it was empty and is removed")
    last = (steps if _counted(parts) else form).opened(parts[-1]).about
    join(path, msgspec.structs.replace(last, notes=(*last.notes, Sentence("capture_cut"))))
    return len(parts)


def join(path: Path, about: About) -> None:
    """Join the parts of a file into one described by `about`. Raise OSError if it cannot be written."""
    folder = parts_of(path)
    parts = _sorted(folder)
    if _counted(parts):
        with atomic.replaced(path) as part, part.open("wb") as file:
            file.write(steps.header(steps.opened(parts[0]).step_ns, about))
            for written in parts:
                file.write(steps.packed(steps.opened(written)))
    else:
        form.write(path, (batch for part in parts for batch in form.opened(part).batches()), about)
    shutil.rmtree(folder)


def _counted(parts: Sequence[Path]) -> bool:
    """Return True if the parts are files of steps, and not traces."""
    with parts[0].open("rb") as file:
        return steps.claims(file.read(4096))


def _sorted(folder: Path) -> list[Path]:
    """Return the complete parts in order. An unfinished part has a hidden name."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".") and regular.is_file(path))
