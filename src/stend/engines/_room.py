"""How much room there is for a load where it is to go."""

import os

import msgspec

from stend.base.errors import BadInput, StepFailed
from stend.base.units import binary
from stend.model.definition import Workload


def fitted(path: str, workload: Workload) -> Workload:
    """The workload with its range in bytes. fio would make a file longer, and take a short one for what it is."""
    room = size_bytes(path) - workload.start_bytes
    wanted = workload.range_bytes or room
    if wanted > room:
        raise StepFailed(f"{path} is {binary(wanted - room)} too small for {workload.label}")
    if wanted < max(size for size, _ in workload.sizes):
        raise BadInput(f"{binary(wanted)} of {path} is less than one block of {workload.label}")
    return msgspec.structs.replace(workload, range_bytes=wanted)


def size_bytes(path: str) -> int:
    """The size of a file or block device. StepFailed when it is gone."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise StepFailed(f"{path} cannot be opened: {error.strerror}") from error
    try:
        return os.lseek(file, 0, os.SEEK_END)
    finally:
        os.close(file)
