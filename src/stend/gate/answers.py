"""Run a program that only reads a drive. If it fails or does not answer, the drive is refused."""

import subprocess

from stend.base import programs
from stend.base.errors import Missing, Refused


def answer(*words: str, of: str, what: str, limit_s: float) -> str:
    """Run the command `words` and return its standard output, stripped. Undecodable bytes are replaced.

    `of` is the drive's name and `what` completes "stend cannot determine what ..." in the message of an error. Raise
    Missing if the program is not installed, Refused if it fails or takes longer than `limit_s`.
    """
    unknown = f"stend cannot determine what {what}"
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
