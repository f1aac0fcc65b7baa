"""Try changed functions in forks of one session of tests, which are collected once.

`Session` starts pytest with this module as its plugin. Instead of running the tests it answers requests, one line of
JSON each: a fork exchanges the code of one function, in its own memory, and runs the tests that are asked for until
one fails. A failure counts if it comes again from that test alone, and does not come without the change.
"""

import fcntl
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

from benchmarks.reached import HASTY, QUICK, ROOT

LOADS = ROOT / "build" / "loads.lock"
"""Held by the fork whose tests put real loads on devices: one at a time."""
UNABLE = "unable"
"""The answer where a function has no code that can be exchanged."""


class Some(NamedTuple):
    """Tests to run: names, or files of which all with one of the marks of `having` and none of `without`."""

    tests: Sequence[str]
    having: Sequence[str] = ()
    without: Sequence[str] = ()

    @property
    def expression(self) -> str:
        """As pytest's -m takes it."""
        having = f" and ({' or '.join(self.having)})" if self.having else ""
        return QUICK + having + "".join(f" and not {mark}" for mark in self.without)


def functions(code: CodeType) -> list[CodeType]:
    """The outermost functions in the code of a module or a class, in their order."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [found for one in inner for found in ([one] if one.co_flags & OPTIMIZED else functions(one))]


OPTIMIZED = 1
"""The flag of code that keeps its names in numbered places, as that of functions and not of classes does."""


def exchanged(old: CodeType, new: CodeType, line: int) -> tuple[CodeType, CodeType] | None:
    """The code of the function with a line, before and after the change; nothing where there is no such function."""
    before, after = functions(old), functions(new)
    held = [at for at, one in enumerate(before) if one.co_firstlineno <= line <= _last(one)]
    if len(before) != len(after) or not held:
        return None
    pair = before[held[-1]], after[held[-1]]
    return pair if pair[0].co_freevars == pair[1].co_freevars and pair[0] != pair[1] else None


def _last(code: CodeType) -> int:
    own = [line for *_, line in code.co_lines() if line]
    return max([*own, *(_last(one) for one in code.co_consts if isinstance(one, CodeType))], default=0)


class _Server:
    """The collected tests, and the functions of stend by the lines where they begin."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        self.files = defaultdict[str, list[str]](list)
        self.known = defaultdict[tuple[str, int], list[FunctionType]](list)
        for name in self.items:
            self.files[name.partition("::")[0]].append(name)
        gc.unfreeze()
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and str(one.__module__).partition(".")[0] == "stend":
                self.known[one.__module__, one.__code__.co_firstlineno].append(one)
        gc.freeze()

    def answer(self, asked: dict[str, Any]) -> str:
        """The name of the test that notices the change, nothing if none does, or `UNABLE`."""
        if sys.modules.get(asked["module"]) and not self.change(asked, really=False):
            return UNABLE
        for some in asked["parts"]:
            left = self.named(Some(*some))
            while left:
                loads = "fio" in Some(*some).having
                failing, ended = self.run(left, asked, loads=loads)
                if not failing and not ended:
                    break
                if not failing:
                    return ended
                if self.run([failing], asked, loads=loads) != ("", ""):  # not by chance
                    if self.run([failing], None, loads=loads) == ("", ""):
                        return failing
                    print(f"{failing} fails without a change", file=sys.__stderr__, flush=True)
                    self.items.pop(failing)
                left = left[left.index(failing) + 1 :]
        return ""

    def named(self, some: Some) -> list[str]:
        """The tests that are meant, those of one file together: they may share what one of them makes."""
        names = [name for one in some.tests for name in (self.files.get(one, [one]) if "::" not in one else [one])]
        meant: dict[str, list[str]] = {}
        for name in names:
            if item := self.items.get(name):
                marks = {mark.name for mark in item.iter_markers()}
                if (marks & {*some.having} or not some.having) and not marks & {*some.without}:
                    meant.setdefault(name.partition("::")[0], []).append(name)
        return [name for own in meant.values() for name in own]

    def change(self, asked: dict[str, Any], *, really: bool) -> bool:
        """Exchange the code of the function in this process; whether that is possible."""
        file = str(sys.modules[asked["module"]].__file__)
        texts = (Path(path).read_bytes() for path in (file, asked["source"]))
        old, new = (compile(text, file, "exec", dont_inherit=True) for text in texts)
        if not (pair := exchanged(old, new, asked["line"])):
            return False
        begun = self.known[asked["module"], pair[0].co_firstlineno]
        found = [one for one in begun if one.__code__.co_name == pair[0].co_name]
        for one in found if really else ():
            one.__code__ = pair[1]
        return bool(found)

    def run(self, names: list[str], asked: dict[str, Any] | None, *, loads: bool) -> tuple[str, str]:
        """In a fork: the first test that fails, and why the fork ended without one, if it did not end by itself."""
        with tempfile.TemporaryDirectory(prefix="stend-forked-", ignore_cleanup_errors=True) as place:
            read, write = os.pipe()
            if not (number := os.fork()):
                try:
                    os.setsid()
                    os.close(read)
                    self._child(names, asked, place, write, loads=loads)
                finally:
                    os._exit(0)
            os.close(write)
            said, until = b"", time.monotonic() + (asked["patience"] if asked else 600.0)
            while not said.endswith(b"\n") and select.select([read], [], [], max(until - time.monotonic(), 0.0))[0]:
                if not (part := os.read(read, 4096)):
                    break
                said += part
            os.close(read)
            with suppress(ProcessLookupError):
                os.killpg(number, signal.SIGKILL)
            os.waitpid(number, 0)
        if said.endswith(b"\n"):
            return said.decode().strip(), ""
        return "", f"no end, or an end without a word, amid {names[0]} and {len(names) - 1} more"

    def _child(self, names: list[str], asked: dict[str, Any] | None, place: str, write: int, *, loads: bool) -> None:
        os.environ |= {"PYTEST_DEBUG_TEMPROOT": place, "STEND_RUNTIME": f"{place}/locks"}
        Path(place, "locks").mkdir()
        tempfile.tempdir = None
        lock = os.open(LOADS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if loads:
            fcntl.flock(lock, fcntl.LOCK_EX)
        if asked:
            os.environ |= {"CHANGED": asked["module"], "CHANGED_SOURCE": asked["source"]}
            if asked["module"] in sys.modules:
                self.change(asked, really=True)
        heard = _Heard()
        self.session.config.pluginmanager.register(heard)
        items = [self.items[name] for name in names]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if heard.failed:
                break
        os.write(write, f"{heard.failed}\n".encode())


class _Heard:
    failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the first failure."""
        if report.failed:
            self.failed = self.failed or report.nodeid


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Answer requests in the place of running the tests."""
    if "FORKED" not in os.environ:
        return None
    with socket.socket(fileno=int(os.environ.pop("FORKED"))) as wire, wire.makefile("rw") as lines:
        server = _Server(session)
        print(json.dumps(len(server.items)), file=lines, flush=True)
        for line in lines:
            print(json.dumps(server.answer(json.loads(line))), file=lines, flush=True)
    return True


class Session:
    """A session of all quick tests, of which forks try changes."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        ours, theirs = socket.socketpair()
        words = [sys.executable, "-m", "pytest", "-p", "benchmarks.forked", "--timeout=120", "-m", QUICK, *HASTY]
        paths = f"{ROOT / 'benchmarks/changed'}:{ROOT}:{ROOT / 'src'}"
        env = {**os.environ, "PYTHONPATH": paths, "FORKED": str(theirs.fileno()), "CHANGED": ""}
        self.process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        theirs.close()
        self.lines = ours.makefile("rw")
        self.tests = int(json.loads(self.lines.readline()))

    def ask(self, module: str, source: Path, line: int, parts: Sequence[Some], patience: float) -> str:
        """The test that notices a change of the function with a line, "" if none of these does, or `UNABLE`."""
        asked = {"module": module, "source": str(source), "line": line, "parts": parts, "patience": patience}
        print(json.dumps(asked), file=self.lines, flush=True)
        if answer := self.lines.readline():
            return str(json.loads(answer))
        self._begin()  # the change took more with it than its fork
        return UNABLE
