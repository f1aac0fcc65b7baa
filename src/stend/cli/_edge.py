"""Standard output and error without control characters, whatever a drive, a file or another host supplied."""

import contextlib
import io
import os
import re
import select
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

from stend.base.text import plain_lines

PARTS = re.compile(f"(?s:.{{1,{select.PIPE_BUF // 4}}})")
"""Texts that are written at once: a pipe that has room for any takes PIPE_BUF bytes, and a character has up to four."""
TERMINAL_PARTS = re.compile(r"[^\n\t]{1,64}|[\n\t]")
"""Texts that are written at once to a terminal, which has room for 256 bytes if for any (Linux, tty_buffer.c). Line
breaks and tabs are separate, because the kernel checks the room before each of them (n_tty.c)."""
LOCK = threading.RLock()
MOST_KEPT = 10_000
"""How many parts are kept for a reader that takes none. The oldest are dropped."""


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
    """A stream that a run does not wait for.

    Text is kept for later while its reader (a stopped terminal, a pager) takes none. From the first time on that the
    stream cannot be written (a closed pipe, a full disk) text is discarded.
    """

    def __init__(self, stream: TextIO, streams: list["Lasting"]) -> None:
        self.stream, self.streams = stream, streams
        self.parts = TERMINAL_PARTS if stream.isatty() else PARTS
        self.kept = deque[tuple[int, str]](maxlen=MOST_KEPT)
        """Parts with the times of their writing in nanoseconds."""
        streams.append(self)

    def write(self, text: str) -> int:
        """Write, keep or discard text."""
        with LOCK:
            now = time.monotonic_ns()
            self.kept.extend((now, part) for part in self.parts.findall(text))
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Write as much of the kept text of all streams as the readers take now."""
        _write_kept(self.streams, _takes)

    def write_first(self) -> None:
        """Write or discard the first kept part, however long the reader takes."""
        text = self.kept.popleft()[1]
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:
            print_nowhere(self.stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _write_kept(streams: Sequence[Lasting], ready: Callable[[Lasting], bool]) -> None:
    """Write the kept text of these streams, which can be one pipe, in the order of its writing, while one is ready."""
    with LOCK:
        while left := [stream for stream in streams if stream.kept and ready(stream)]:
            min(left, key=lambda stream: stream.kept[0][0]).write_first()


def _finish(streams: Sequence[Lasting]) -> None:
    """Write all that was kept, however long the readers take. Ctrl-C, SIGTERM and SIGHUP drop it."""
    if any(stream.kept for stream in streams):
        woken, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes)  # a signal just before a wait ends it too
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        _write_kept(streams, lambda stream: _takes(stream, woken))


def _takes(stream: Lasting, woken: int | None = None) -> bool:
    """Return whether a stream takes a part at once, as far as the kernel knows.

    With `woken` wait until it does, and return False once that descriptor can be read.
    """
    with contextlib.suppress(OSError, ValueError):  # a test's stream has no descriptor
        looked = select.poll()
        looked.register(stream.fileno(), select.POLLOUT)
        if woken is None:
            return bool(looked.poll(0))
        looked.register(woken, select.POLLIN)
        return woken not in dict(looked.poll())
    return True


def print_nowhere(stream: TextIO) -> None:
    """Point a stream at /dev/null, so that flushing the rest of it raises no error."""
    # a test's stream has no descriptor
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def go_on() -> None:
    """Let the process outlive the readers of its standard output and standard error."""
    streams = list[Lasting]()
    for edge in (sys.stdout, sys.stderr):
        if isinstance(edge, Edge) and not isinstance(edge.stream, Lasting):
            edge.stream = Lasting(edge.stream, streams)  # type: ignore[assignment]


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
    """Wrap standard output and standard error in an Edge. At the end write what was kept for their readers."""
    before, edges = (sys.stdout, sys.stderr), [Edge(open_stream(stream)) for stream in (sys.stdout, sys.stderr)]
    sys.stdout, sys.stderr = edges
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        _finish([edge.stream for edge in edges if isinstance(edge.stream, Lasting)])
