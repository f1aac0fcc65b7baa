"""Marks by which a drive is recognised again, compared before it is opened and at every check. Reads only."""

import errno
import os
import re
import stat

from stend.base.errors import Refused, StepFailed
from stend.base.sysfs import HOST, Kernel, answer_at, text
from stend.gate import stack, volumes
from stend.gate.stack import Layer
from stend.model.definition import Identity
from stend.words import Sentence
from stend.words.system import errno_text

FS_IOC_GETVERSION = 0x80087601

Marks = dict[str, str]
"""Properties that stay equal for the same drive, each under its readable name."""

NUMBER, SIZE, FILE, SEQUENCE = "device number", "size", "inode", "disk sequence number"
GENERATION, TABLE = "inode generation", "device-mapper table"
PASSING = (NUMBER, SEQUENCE, f"{TABLE} with")
"""Beginnings of the names of marks that a restart of the host may change."""


def marks(path: str, kernel: Kernel = HOST) -> Marks:
    """Return the marks of a drive or file and of all layers below it. Raise OSError if the path does not exist."""
    there = os.stat(path)
    layers = stack.below(kernel, stack.of_path(kernel, path), kernel.loops())
    if not stat.S_ISBLK(there.st_mode):
        return {NUMBER: number(there), SIZE: str(there.st_size), GENERATION: generation(path)} | _below(layers, kernel)
    node = kernel.node_of(there.st_rdev)
    if not node:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
    names = kernel.names(node)
    return {
        NUMBER: number(there),
        SIZE: str(kernel.size_bytes(node)),
        "serial": names["serial"],
        "WWN": names["wwn"],
        SEQUENCE: text(kernel.block(kernel.parent(node) or node) / "diskseq"),
        "backing file": kernel.backing(node),
        "offset": text(kernel.block(node) / "loop/offset"),
        "first sector": text(kernel.block(node) / "start"),
    } | _below(layers, kernel)


def _below(layers: list[Layer], kernel: Kernel) -> Marks:
    """Return the marks of the layers below the first one. Members of an array are left out, as they may change."""
    nodes, files = [layer.node for layer in layers if layer.node], [layer for layer in layers[1:] if not layer.node]
    tables = {node: volumes.places_of(volumes.table(kernel, node)) for node in nodes if kernel.is_volume(node)}
    arrays = [node for node in nodes if (kernel.block(node) / "md").exists()]
    lower = [] if arrays else nodes[1:]
    names = [kernel.names(node) for node in lower]
    return {
        f"{NUMBER}s below": ", ".join(map(kernel.number, lower)),
        f"{NUMBER}s of files below": ", ".join(f"{os.major(f.file[0])}:{os.minor(f.file[0])}" for f in files),
        f"{SEQUENCE}s below": ", ".join(text(kernel.block(node) / "diskseq") for node in lower),
        f"{TABLE} with its numbers": "; ".join(tables.values()),
        TABLE: "; ".join(re.sub(r"\b\d+:\d+\b", "a drive", table) for table in tables.values()),
        "inodes below": ", ".join(f"{f.file[1]} {generation(f.path)}".strip() for f in files),
        "serials below": ", ".join(dict.fromkeys(lower["serial"] for lower in names if lower["serial"])),
        "UUID": ", ".join(filter(None, (text(kernel.block(n) / p) for n in nodes for p in ("dm/uuid", "md/uuid")))),
    }


def generation(path: str) -> str:
    """Return the generation of a file's inode, which differs between reuses of the number, or "" if it is unknown."""
    answer = answer_at(path, FS_IOC_GETVERSION)
    return str(answer[0]) if answer else ""


def number(there: os.stat_result) -> str:
    """Return the device number of a block node, or for a file, its inode and the number of its file system."""
    if stat.S_ISBLK(there.st_mode):
        return f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}"
    return f"inode {there.st_ino} on {os.major(there.st_dev)}:{os.minor(there.st_dev)}"


def vanished(path: str, error: OSError) -> StepFailed:
    """Return the error for a drive or file that disappeared."""
    return StepFailed(Sentence("gate_gone", path=path, why=errno_text(error)))


def look_again(identity: Identity, expected: Marks, kernel: Kernel) -> None:
    """Raise Refused or StepFailed unless both paths of the drive lead to one with the `expected` marks."""
    for path in dict.fromkeys((identity.path, identity.target)):
        try:
            now = marks(path, kernel)
        except OSError as error:
            raise vanished(path, error) from error
        compare(identity.target, expected, now)


def compare(target: str, expected: Marks, now: Marks) -> None:
    """Raise Refused or StepFailed at the first of the `expected` marks that differs now."""
    for key, then in expected.items():
        if now.get(key) != then and key == NUMBER:
            raise Refused(Sentence("gate_leads", target=target))
        if now.get(key) != then and key == SIZE:
            raise StepFailed(Sentence("gate_resized", target=target, then=then, now=now.get(key, "")))
        if now.get(key) != then:
            raise Refused(Sentence("gate_mark", target=target, mark=key, now=repr(now.get(key)), then=repr(then)))
