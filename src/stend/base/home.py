"""The home folder of this user, and where programs are that only administrators have in their path."""

import os
from pathlib import Path

NONE = Path("/nonexistent")
"""Debian's name for the home folder of users who have none."""
ADMINISTRATION = ("/usr/local/sbin", "/usr/sbin", "/sbin")


def home() -> Path:
    """Return the home folder of this user, which is NONE for a number without a user, as in many containers."""
    try:
        return Path.home()
    except RuntimeError:
        return NONE


def search_administration() -> None:
    """Let this process find programs such as wipefs, which the path of cron, of `su` and of users often lacks."""
    places = [place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if place]
    os.environ["PATH"] = os.pathsep.join(dict.fromkeys((*places, *ADMINISTRATION)))
