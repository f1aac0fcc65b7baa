"""Names of the streams and directions of a trace."""

from stend.trace.form import DISCARD, FLUSH, READ, WRITE
from stend.trace.steps import Key
from stend.words import Language

OPERATIONS = {READ: "reads", WRITE: "writes", FLUSH: "flushes", DISCARD: "discards"}


def operation(op: int, words: Language) -> str:
    """Return the name of an operation: `reads`."""
    return words(f"traced.{OPERATIONS[op]}")


def stream(key: Key, words: Language) -> str:
    """Return the name of a stream: `RND 4K R`, as RWSW writes it in every language."""
    return key.label if key.op in (READ, WRITE) else operation(key.op, words)
