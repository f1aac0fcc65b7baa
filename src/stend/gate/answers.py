"""What a program that only reads tells of a drive. Where it does not answer, nobody passes."""

import subprocess

from stend.base import programs
from stend.base.errors import Missing, Refused


def answer(*words: str, of: str, what: str, limit_s: float) -> str:
    """What it prints; bytes that are no text are kept out.

    `of` is the drive's name and `what` is asked, for the sentence of the refusal: Missing where there is no such
    program, Refused where it complains or takes longer than `limit_s`.
    """
    unknown = f"nobody can tell what {what}"
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
        raise Missing(f"{programs.missing(words[0])}; without it {unknown}") from error
    except subprocess.TimeoutExpired as error:
        raise Refused(f"{of} does not answer {words[0]} within {limit_s:g} s, so {unknown}; see `dmesg`") from error
    if done.returncode:
        raise Refused(f"{of} cannot be read by {words[0]}, so {unknown}: {done.stderr.strip()}")
    return done.stdout.strip()
