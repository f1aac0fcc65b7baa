"""Other people's programs that know drives: asked with a time limit, a missing one named with what installs it."""

import json
import re
import subprocess
from typing import Any, NamedTuple

from stend.base.errors import Missing, StepFailed
from stend.base.limits import MOST
from stend.base.programs import missing
from stend.base.text import plain

PATIENCE_S = 30.0


class Told(NamedTuple):
    """What a program said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """Its complaint in one line, or what it said last."""
        lines = [line.strip() for line in f"{self.out}\n{self.err}".splitlines() if line.strip()]
        return plain("; ".join(lines[-2:]))[:300] or f"exit code {self.code}"

    @property
    def document(self) -> dict[str, Any]:
        """Its JSON; {} where it is none (warnings may stand before it)."""
        start = self.out.find("{")
        try:
            found = json.loads(self.out[start:]) if start >= 0 else {}
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def ask(*words: str, limit_s: float = PATIENCE_S) -> Told:
    """What a program says. Missing when it is not installed, StepFailed when it does not answer in time."""
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_s,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise Missing(missing(words[0])) from error
    except OSError as error:
        raise Missing(f"{words[0]} cannot be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        said = (error.stdout or b"") + (error.stderr or b"")
        raise StepFailed(f"`{' '.join(words)}` did not end within {limit_s:g} s: {_last(said)}") from error
    return Told(done.returncode, done.stdout, done.stderr)


def softly(*words: str) -> Told:
    """The same where nothing must end for it: a program that is missing or silent says nothing."""
    try:
        return ask(*words)
    except (Missing, StepFailed) as error:
        return Told(127, "", str(error))


def _last(said: bytes | str) -> str:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    return text.strip().splitlines()[-1] if text.strip() else "it said nothing"


def number(value: Any) -> int:
    """A count, 0 where it is none."""
    return count(value) or 0


def count(value: Any) -> int | None:
    """A count however a program writes it: 7, "7", "1,234,567", "308 K", "0x1f"; None where it is none."""
    if isinstance(value, str) and (found := re.match(r"\s*(0x[0-9a-fA-F]{1,32}|\d[\d,.]{,60})", value)):
        digits = found[1]
        whole = digits.replace(",", "").partition(".")[0]
        value = int(digits, 16) if digits.startswith("0x") else int(whole) if whole.isascii() else None
    return int(value) if isinstance(value, int | float) and 0 <= value <= MOST else None
