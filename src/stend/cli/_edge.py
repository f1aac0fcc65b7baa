"""The terminal's edge: whatever is printed, only text gets there; no escape of a drive, a file or a stranger."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from stend.base.text import plain_lines


class Edge:
    """A stream that writes text out plainly. It has no `buffer`, by which one could get round it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Lines stay lines; a character that the terminal's own encoding lacks is written out as well."""
        said, encoding = plain_lines(text), getattr(self.stream, "encoding", None) or "utf-8"
        self.stream.write(said.encode(encoding, errors="backslashreplace").decode(encoding))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.stream, name)


def open_stream(stream: Any) -> TextIO:
    """The stream behind the edge, for who draws on the terminal and makes each word plain before."""
    inner: TextIO = stream.stream if isinstance(stream, Edge) else stream
    return inner


@contextlib.contextmanager
def edged() -> Iterator[None]:
    """Both streams of this process behind the edge."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Edge(open_stream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
