"""Check that a load fits on its file or drive."""

import os

import msgspec

from stend.base.errors import BadInput, StepFailed
from stend.base.text import plain
from stend.base.units import binary
from stend.model.definition import Workload
from stend.words import Sentence
from stend.words.system import errno_text


def fitted(path: str, workload: Workload) -> Workload:
    """Return the workload with its range in bytes, checked because fio would extend a file or silently use a short one.

    Raise StepFailed if the target is smaller than the range, BadInput if the range is smaller than one block.
    """
    room = size_bytes(path) - workload.start_bytes
    wanted = workload.range_bytes or room
    if wanted > room:
        raise StepFailed(Sentence("target_small", target=_shown(path), size=wanted - room, load=workload.label))
    if wanted < max(size for size, _ in workload.sizes):
        raise BadInput(f"{binary(wanted)} of {_shown(path)} is less than one block of {workload.label}")
    return msgspec.structs.replace(workload, range_bytes=wanted)


def size_bytes(path: str) -> int:
    """Return the size of a file or block device in bytes. Raise StepFailed if it cannot be opened."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise StepFailed(Sentence("target_unopened", target=_shown(path), why=errno_text(error))) from error
    try:
        return os.lseek(file, 0, os.SEEK_END)
    finally:
        os.close(file)


def _shown(path: str) -> str:
    """Return the target's own path for a path of its descriptor (`/proc/PID/fd/3`), by which engines open it."""
    try:
        return plain(os.readlink(path)) if path.startswith("/proc/") else path
    except OSError:
        return path
