"""Traces of others: one file a format, found by its name, told by content, read as a stream of lines.

A format is a file with a class `Reader`; the one is taken that understands most of a file's first lines.
"""

import importlib
import pkgutil
from typing import Any

import numpy as np

from stend.trace.lines import Lines
from stend.trace.readers._reader import Reader

__all__ = ["Reader", "formats", "known", "told_by"]


def formats() -> dict[str, type[Reader]]:
    """Every reader by the name of its format, as typed: `msr`, `fio-iolog`."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    every: list[Any] = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {module.__name__.rpartition(".")[2].replace("_", "-"): module.Reader for module in every}


def known(own: type[Reader], head: bytes) -> float:
    """The share of the first lines that a format understands, and of which some are IOs; 0 where none is."""
    if not head.startswith(own.begins):
        return 0.0
    reader, lines = own(head), Lines(np.frombuffer(head, np.uint8), own.separator, own.most)
    ios = len(reader.parse(lines)["t_ns"]) + len(reader.rest()["t_ns"])
    malformed, _ = lines.counted()
    return 1 - malformed.total() / len(lines) if ios else 0.0


def told_by(head: bytes) -> str:
    """The format that understands more than half of these lines, and more than others do; none is an empty word."""
    shares = {name: known(own, head) for name, own in formats().items()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] > 0.5 else ""
