"""stend as a fork of this process, whose modules and compiled drives are loaded: a start is most of so short a run.

For tests whose matter is not the start itself; `python -m stend` is for those of environments, imports and memory.
"""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

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


def _speak(said: str | Path) -> None:
    log = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(log, number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False, errors="replace") for number in (1, 2))
