"""Names of the streams and directions of a trace, and shares of its IOs, as pages and pictures show them."""

from stend.trace.form import DISCARD, FLUSH, READ, WRITE
from stend.trace.steps import Key
from stend.words import Language

OPERATIONS = {READ: "reads", WRITE: "writes", FLUSH: "flushes", DISCARD: "discards"}
LEAST = 0.001
NEARLY = 0.99
"""Shares from this one on have a decimal place, so that none is rounded to all."""


def operation(op: int, words: Language) -> str:
    """Return the name of an operation: `reads`."""
    return words(f"traced.{OPERATIONS[op]}")


def stream(key: Key, words: Language) -> str:
    """Return the name of a stream: `RND 4K R`, as RWSW writes it in every language."""
    return key.label if key.op in (READ, WRITE) else operation(key.op, words)


def shown_share(share: float, words: Language) -> str:
    """Return a share in per cent. A share that is neither none nor all is not shown as such, but as "< 0.1 %" or so."""
    if 0 < share < LEAST / 2:
        return "< " + words.show(LEAST, "pct")
    if 1 - LEAST / 2 < share < 1:
        return "> " + words.show(1 - LEAST, "tenths")
    return words.show(share, "tenths" if NEARLY <= share < 1 else "pct")
