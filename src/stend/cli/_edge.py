"""Standard output and error without control characters, whatever a drive, a file or another host supplied."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from stend.base.text import plain_lines


class Edge:
    """A stream that replaces control characters. It has no `buffer`, because that would bypass the replacement."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text with line breaks kept. Escape characters that the stream's encoding lacks."""
        safe, encoding = plain_lines(text), getattr(self.stream, "encoding", None) or "utf-8"
        self.stream.write(safe.encode(encoding, errors="backslashreplace").decode(encoding))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.stream, name)


class Lasting:
    """A stream that discards its text from the first time on that it cannot be written: a closed pipe, a full disk."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write or discard text."""
        with self._or_nowhere():
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write or discard what is buffered."""
        with self._or_nowhere():
            self.stream.flush()

    @contextlib.contextmanager
    def _or_nowhere(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            print_nowhere(self.stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def print_nowhere(stream: TextIO) -> None:
    """Point a stream at /dev/null, so that flushing the rest of it raises no error."""
    # a test's stream has no descriptor
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def go_on() -> None:
    """Let the process outlive the readers of its standard output and standard error."""
    for edge in (sys.stdout, sys.stderr):
        if isinstance(edge, Edge) and not isinstance(edge.stream, Lasting):
            edge.stream = Lasting(edge.stream)  # type: ignore[assignment]


def open_stream(stream: Any) -> TextIO:
    """Return the stream below an Edge, for callers that draw on the terminal and clean each text themselves.

    It escapes characters that its encoding lacks.
    """
    inner: TextIO = stream.stream if isinstance(stream, Edge) else stream
    if isinstance(inner, io.TextIOWrapper):
        inner.reconfigure(errors="backslashreplace")
    return inner


def rewrite(line: str, *, ends: bool = False) -> None:
    """Print a line of progress on standard error in place of the line before it. Print nothing without a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="\n" if ends else "", file=open_stream(sys.stderr), flush=True)


def open_closed_streams() -> None:
    """Open /dev/null for each standard stream that the caller closed.

    Otherwise the next file or drive that is opened gets the number of that stream, and messages would be written to it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 it stays open until the process ends
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


@contextlib.contextmanager
def edged() -> Iterator[None]:
    """Wrap standard output and standard error in an Edge."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Edge(open_stream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
