"""stend as a fork of this process, whose modules and compiled drives are loaded: a start is most of so short a run.

For tests whose matter is not the start itself; `python -m stend` is for those of environments, imports and memory.
"""

import importlib
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import RawIOBase
from pathlib import Path

from stend import catalogue, store
from stend.cli import main


def child(words: Sequence[str], said: str | Path = os.devnull, before: Callable[[], object] = lambda: None) -> int:
    """Its process number; what it says goes to a file, a traceback of its own too, and then its exit code is 1."""
    number = os.fork()
    if number == 0:
        code = 1
        try:
            _speak(said)
            before()
            code = main(list(words))
        except BaseException:  # never back into pytest, of which this is a copy
            traceback.print_exc()
        finally:
            with suppress(OSError):  # a full disk, which may be the test's matter
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
    return number


def true_for_nobody(check: Callable[[], bool]) -> bool:
    """Try in a process of user 65534, which may not be able to import any more modules."""
    for package in (catalogue, store):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)
    if not (number := os.fork()):
        try:
            os.setuid(65534)
            os._exit(0 if check() else 1)
        finally:  # as of `child`
            os._exit(2)
    return os.waitpid(number, 0)[1] == 0


def once_written(marks: Sequence[bytes], act: Callable[[], object]) -> None:
    """In a child: act once a line of its record has the last of these marks, each in a line after the one before it.

    How busy the host is, and how many samples a step has there, makes no difference to where in its plan the run is.
    """
    plain, left = store._write, list(marks)

    def written(file: RawIOBase, line: bytes) -> None:
        plain(file, line)
        if left and left[0] in line:
            left.pop(0)
            if not left:
                act()

    vars(store).update(_write=written)


def _speak(said: str | Path) -> None:
    log = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(log, number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False, errors="replace") for number in (1, 2))


class Fork:
    """What a `subprocess.Popen` is to who looks on and ends it."""

    returncode: int | None = None

    def __init__(self, number: int) -> None:
        self.pid = number

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        if self.returncode is None and (ended := os.waitpid(self.pid, os.WNOHANG))[0]:
            self.returncode = os.waitstatus_to_exitcode(ended[1])
        return self.returncode

    def wait(self, timeout: float = 600.0) -> int:
        """The same once it ended."""
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("a fork", timeout)
            time.sleep(0.001)
        return code

    def send_signal(self, number: int) -> None:
        """Unless it ended before."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """At once."""
        self.send_signal(signal.SIGKILL)


class Run(Fork):
    """What `apart.begin` gives: a run in a session of its own, whose words are in a log, with these descriptors."""

    def __init__(self, words: Sequence[str], log: Path, fds: Sequence[int] = ()) -> None:
        super().__init__(child(words, log, before=lambda: _apart(fds)))


def _apart(fds: Sequence[int]) -> None:
    """Nothing is held for others; the numbers stay taken, for whoever of this copy would close one later."""
    os.setsid()
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and fd not in fds:
            os.dup2(0, fd)


class Program(Fork):
    """`subprocess.Popen([python, "-m", module, *words])`, to be heard and told."""

    stderr = None

    def __init__(self, words: Sequence[str], **own: object) -> None:
        (theirs, ours), (heard, said) = os.pipe(), os.pipe()
        if not (number := os.fork()):
            _become(words[2:], theirs, said, (ours, heard))
        super().__init__(number)
        os.close(theirs)
        os.close(said)
        self.stdin, self.stdout = os.fdopen(ours, "wb", buffering=0), os.fdopen(heard, "rb", buffering=0)


def _become(words: Sequence[str], given: int, said: int, others: Sequence[int]) -> None:
    code = 1
    try:
        os.setpgid(0, 0)
        for fd in others:
            os.close(fd)
        for fd, number in ((given, 0), (said, 1), (said, 2)):
            os.dup2(fd, number)
        sys.stdin = os.fdopen(0, "r", closefd=False)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
        sys.argv[:] = words
        sys.modules.pop(words[0], None)  # or runpy warns that it is there already
        runpy.run_module(words[0], run_name="__main__")
        code = 0
    except SystemExit as end:
        sys.stderr.write(f"{end}\n")
    except BaseException:  # as of `child`
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def gone() -> int:
    """Return the number of a process that has exited."""
    if not (number := os.fork()):
        os._exit(0)
    os.waitpid(number, 0)
    return number
