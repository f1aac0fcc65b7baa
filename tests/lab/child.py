"""stend as a process of its own, forked from one that has its imports: under emulation those take longer than a run."""

import os
import signal
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from pkgutil import walk_packages
from typing import IO, Self

from stend.cli import application, main

FORK = get_context("fork")
PATIENCE_S = 400
LATE = ("rich.live", "tomli_w")
"""What stend and its libraries import no sooner than they need it."""
UNUSED = {"__main__", "live", "parquet", "pdf", "sim", "simulated"}
"""Parts of stend that no case runs."""
LOADS = ("run", "resume")
AFTER = {"charts", "compare", "findings", "report", "stream", "words"}
"""Parts that only those verbs need: they measure the host, judge and draw."""


@cache
def warm(*, loads: bool) -> None:
    """Import now what stend imports in its course; the script that its reports draw with is made on the host."""
    import stend

    unwanted = UNUSED if loads else UNUSED | AFTER
    ours = (found.name for found in walk_packages(stend.__path__, "stend."))
    for name in (*(name for name in ours if not set(name.split(".")) & unwanted), *LATE):
        import_module(name)
    if loads:
        vl_convert, markup = (import_module(name) for name in ("vl_convert", "stend.report.parts.markup"))
        setattr(vl_convert, "javascript_bundle", Path(os.environ["STEND_LAB_BUNDLE"]).read_text)  # noqa: B010 for mypy
        markup.drawing_script()


class Child:
    """One stend, running on; killed at the end of a `with` that it outlives."""

    def __init__(self, arguments: tuple[str, ...]) -> None:
        warm(loads=arguments[0] in LOADS)
        application(arguments[0])
        self.arguments = arguments
        self.out, self.err = (tempfile.TemporaryFile("w+") for _ in range(2))  # noqa: SIM115
        self.process = FORK.Process(target=self._stend)
        self.process.start()

    def _stend(self) -> None:
        for number, file in ((1, self.out), (2, self.err)):
            os.dup2(file.fileno(), number)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
        code = main(self.arguments)
        for file in (sys.stdout, sys.stderr):
            file.flush()
        os._exit(code)

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process.is_alive()

    def send(self, number: signal.Signals) -> None:
        """A signal to it."""
        os.kill(self.process.pid or 0, number)

    def end(self) -> "subprocess.CompletedProcess[str]":
        """Wait for its end (bounded); its exit code and all that it said."""
        self.process.join(PATIENCE_S)
        assert not self.running, f"stend {' '.join(self.arguments)} has not ended: {self._said(self.err)}"
        code = self.process.exitcode or 0
        return subprocess.CompletedProcess(self.arguments, code, self._said(self.out), self._said(self.err))

    @staticmethod
    def _said(file: IO[str]) -> str:
        return os.pread(file.fileno(), 1 << 20, 0).decode(errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.running:
            self.process.kill()
        self.process.join(PATIENCE_S)
        self.process.close()
        for file in (self.out, self.err):
            file.close()
