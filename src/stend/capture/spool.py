"""What was captured so far, in parts beside the file that it becomes: a kill costs the last part, a full disk what was
chosen. Parts are traces, or steps, of their own; at the end they are joined.
"""

import errno
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from stend.base import atomic, regular
from stend.base.errors import BadInput, StepFailed
from stend.base.units import binary
from stend.trace import form, steps
from stend.trace.form import About
from stend.trace.steps import Step

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Write = Callable[[Path], None]


class Full(Exception):
    """There is no room for more, and nothing is to give way."""


def parts_of(path: Path) -> Path:
    """The folder of parts of a capture that becomes this file."""
    return path.with_name(f"{path.name}.parts")


class Spool:
    """Parts in their order; where there is no room the oldest give way (`ring`), or it is Full."""

    def __init__(self, path: Path, limit_bytes: int, *, ring: bool) -> None:
        self.path, self.limit_bytes, self.ring = path, limit_bytes, ring
        self.folder = parts_of(path)
        self.numbers, self.gone_ios, self.gone_parts = 0, 0, 0
        self._ios: dict[Path, int] = {}
        if path.exists():
            raise BadInput(f"{path} is there already; a capture writes a new file")
        try:
            self.folder.mkdir(parents=True)
        except FileExistsError:
            raise BadInput(
                f"{self.folder} holds a capture that was cut off: `stend capture --finish {path}` makes a trace of it"
            ) from None
        except OSError as error:
            raise BadInput(f"nothing can be written at {path}: {error.strerror}") from error

    def add(self, write: Write, ios: int) -> None:
        """One more part of so many IOs. Full where it does not fit."""
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
            older = [one for one in self._ios if one != part]
            if not (self.ring and older):
                part.unlink(missing_ok=True)
                self.gone_ios += ios
                raise Full(why)
            self._drop(older[0])
        self._ios[part], self.numbers = ios, self.numbers + 1

    def join(self, about: About) -> None:
        """The file of all parts; they are gone then. StepFailed, and all parts left, where there is no room for it."""
        try:
            join(self.path, about)
        except OSError as error:
            raise StepFailed(
                f"{self.path} cannot be written ({error.strerror}); its parts are in {self.folder}: with "
                f"{binary(self._bytes())} free, `stend capture --finish {self.path}` makes the trace"
            ) from error

    def _bytes(self) -> int:
        return sum(path.stat().st_size for path in self.folder.iterdir())

    def _drop(self, part: Path) -> None:
        part.unlink()
        self.gone_ios += self._ios.pop(part)
        self.gone_parts += 1


def of_steps(every: Sequence[Step], step_ns: int, about: About) -> Write:
    """What writes a part of these steps."""
    return lambda part: atomic.write(part, steps.header(step_ns, about) + steps.packed(every))


def of_ios(batches: Sequence[dict[str, Any]], about: About) -> Write:
    """What writes a part of these IOs."""

    def write(part: Path) -> None:
        form.write(part, batches, about)

    return write


def finish(path: Path) -> int:
    """A file of the parts that a capture left when it was cut off; how many. BadInput where there are none."""
    if not (folder := parts_of(path)).is_dir():
        raise BadInput(f"there are no parts of a capture at {folder}")
    parts = _sorted(folder)
    if not parts:
        shutil.rmtree(folder)
        raise BadInput(
            f"{folder} was cut off before its first part was written; there was nothing to keep, and it is gone"
        )
    with parts[-1].open("rb") as file:
        last = steps.opened(parts[-1]).about if steps.claims(file.read(4096)) else form.opened(parts[-1]).about
    note = "the capture was cut off; what came after its last part is missing"
    join(path, msgspec.structs.replace(last, notes=(*last.notes, note)))
    return len(parts)


def join(path: Path, about: About) -> None:
    """The parts of a file as one, said to be this; OSError where it cannot be written."""
    folder = parts_of(path)
    parts = _sorted(folder)
    with parts[0].open("rb") as file:
        counted = steps.claims(file.read(4096))
    if counted:
        with atomic.replaced(path) as part, part.open("wb") as file:
            file.write(steps.header(steps.opened(parts[0]).step_ns, about))
            for one in parts:
                file.write(steps.packed(steps.opened(one)))
    else:
        form.write(path, _batches(parts), about)
    shutil.rmtree(folder)


def _batches(parts: list[Path]) -> Iterator[dict[str, Any]]:
    for part in parts:
        yield from form.opened(part).batches()


def _sorted(folder: Path) -> list[Path]:
    """Whole parts in their order; one that was being written is hidden."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".") and regular.is_file(path))
