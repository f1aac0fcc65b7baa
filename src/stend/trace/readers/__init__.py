"""Readers of trace formats of other tools: one module per format, recognised by content, read as a stream of lines.

Each module has a class `Reader`. `detect` chooses the one that parses most of a file's first lines.
"""

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np

from stend.trace.lines import Lines
from stend.trace.readers._reader import Reader

__all__ = ["Reader", "detect", "formats", "obstacle", "parsed_share"]

RESPELLED: dict[str, Callable[[bytes], bytes]] = {
    "saved as UTF-8": lambda head: head.decode("utf-16", errors="replace").encode(),
    "with commas instead of semicolons, and decimals with a point": (
        lambda head: head.replace(b",", b".").replace(b";", b",") if b";" in head else b""
    ),
    "with a point in decimals": lambda head: head.replace(b",", b"."),
    "with commas instead of tabs": lambda head: head.replace(b"\t", b","),
    "without blanks after its commas": lambda head: head.replace(b", ", b","),
    "without quotation marks": lambda head: head.replace(b'"', b""),
}
"""Changes that make known formats of their relatives."""


def formats() -> dict[str, type[Reader]]:
    """Return every reader by the name of its format on the command line: `msr`, `fio-iolog`."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    every: list[Any] = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {module.__name__.rpartition(".")[2].replace("_", "-"): module.Reader for module in every}


def parsed_share(form: type[Reader], head: bytes) -> float:
    """Return the share (0-1) of the first lines that are not malformed in a format, or 0 if they hold no IO.

    First bytes that are those of one format alone count for it although no IO follows.
    """
    if not head.startswith(form.begins):
        return 0.0
    reader, lines = form(head), Lines(np.frombuffer(head, np.uint8), form.separator, form.most)
    ios = len(reader.parse(lines)["t_ns"]) + len(reader.rest()["t_ns"])
    malformed, _ = lines.counted()
    return 1 - malformed.total() / len(lines) if ios or form.begins else 0.0


def detect(head: bytes) -> str:
    """Return the format that parses most of these lines, or "" if each parses at most half of them."""
    shares = {name: parsed_share(form, head) for name, form in formats().items()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] > 0.5 else ""


def obstacle(head: bytes) -> str:
    """Return the format that is nearest to lines of no known format, and what is different, or "" if none is near."""
    for change, respelled in RESPELLED.items():
        if name := detect(respelled(head)):
            return f"it would be {name} {change}"
    near = []
    for name, form in formats().items():
        if head.startswith(form.begins) and (form.begins or form.separator == ","):
            lines = Lines(np.frombuffer(head, np.uint8), form.separator, form.most)
            form(head).parse(lines)
            line, why = lines.worst()
            if form.begins or (why and not why.startswith("it has not")):
                near.append((why.startswith("it is neither"), f"read as {name}, line {line} is malformed: {why}"))
    return min(near, default=(False, ""))[1]
