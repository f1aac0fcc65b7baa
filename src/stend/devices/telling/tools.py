"""Run external programs that read drives, with a time limit. The error of a missing one names its package."""

import contextlib
import json
import re
import subprocess
from typing import Any, NamedTuple

from stend.base.errors import Missing, StepFailed
from stend.base.limits import MOST
from stend.base.programs import install
from stend.base.text import plain
from stend.words import Sentence
from stend.words.system import errno_text

PATIENCE_S = 30.0


class Output(NamedTuple):
    """The exit code of a program, its standard output and its standard error."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """Return its last two lines, standard error last, in one line of at most 300 characters."""
        lines = [line.strip() for line in f"{self.out}\n{self.err}".splitlines() if line.strip()]
        return plain("; ".join(lines[-2:]))[:300] or f"exit code {self.code}"

    @property
    def document(self) -> dict[str, Any]:
        """Return its JSON, also after warnings, or {} if it printed no JSON object."""
        start = self.out.find("{")
        try:
            parsed = json.loads(self.out[start:]) if start >= 0 else {}
        except (ValueError, RecursionError):
            return {}
        return parsed if isinstance(parsed, dict) else {}


def finished(*words: str, limit_s: float = PATIENCE_S) -> tuple[int, bytes, bytes]:
    """Run a program and return its exit code, standard output and standard error.

    Raise Missing if it is not installed, StepFailed if it does not end within `limit_s` seconds. A program that the
    kernel cannot end, because its drive does not answer, is not waited for.
    """
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=True
        )
    except FileNotFoundError as error:
        raise Missing(absent(words[0])) from error
    except OSError as error:
        raise Missing(Sentence("evidence_not_run", program=words[0], reason=errno_text(error))) from error
    try:
        out, err = process.communicate(timeout=limit_s)
    except BaseException as error:
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=1.0)
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        printed = _text((error.stdout or b"") + (error.stderr or b"")).strip().splitlines() or ["it printed nothing"]
        raise StepFailed(f"`{' '.join(words)}` did not end within {limit_s:g} s: {printed[-1]}") from error
    return process.returncode, out, err


def run(*words: str, limit_s: float = PATIENCE_S) -> Output:
    """Run a program and return its output as text. Errors: those of `finished`."""
    code, out, err = finished(*words, limit_s=limit_s)
    return Output(code, _text(out), _text(err))


def _text(printed: bytes) -> str:
    return printed.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def absent(program: str) -> Sentence:
    """Return the sentence on a missing program, with the command that installs it."""
    return Sentence("not_installed", program=program, command=install([program]))


def try_run(*words: str) -> Output:
    """Run a program like `run`, but return exit code 127 and the reason if it is missing or takes too long."""
    try:
        return run(*words)
    except (Missing, StepFailed) as error:
        return Output(127, "", str(error))


def number(value: Any) -> int:
    """Return a count, or 0 if the value is not a count."""
    return count(value) or 0


def count(value: Any) -> int | None:
    """Return a count in any notation: 7, "7", "1,234,567", "308 K", "0x1f", or None if the value is not a count."""
    if isinstance(value, str) and (match := re.match(r"\s*(0x[0-9a-fA-F]{1,32}|\d[\d,.]{,60})", value)):
        digits = match[1]
        whole = digits.replace(",", "").partition(".")[0]
        value = int(digits, 16) if digits.startswith("0x") else int(whole) if whole.isascii() else None
    return int(value) if isinstance(value, int | float) and 0 <= value <= MOST else None
