"""Vega, Vega-Lite and Vega-Embed as one script, by vl-convert; kept in the user's cache, for it takes seconds."""

import contextlib
import hashlib
import os
import tempfile
from importlib.metadata import version
from pathlib import Path

from stend.base.errors import StepFailed


def script() -> str:
    """The libraries. StepFailed when they cannot be had."""
    if kept := _kept():
        return kept
    made = _made()
    _keep(made)
    return made


def _place() -> Path:
    """Where it is kept, for this version. RuntimeError for a user without a home."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
    return home / "stend" / f"vega-{version('vl-convert-python')}.js"


def _kept() -> str:
    """What was kept, whole and by this user; empty otherwise."""
    try:
        with _place().open("rb") as file:
            mine = os.fstat(file.fileno()).st_uid == os.geteuid()
            digest, text = file.readline().decode().strip(), file.read()
    except (OSError, RuntimeError, UnicodeError):
        return ""
    return text.decode() if mine and digest == _digest(text) else ""


def _keep(made: str) -> None:
    """For the next report; a host on which it cannot be kept makes it again."""
    text = made.encode()
    with contextlib.suppress(OSError, RuntimeError):
        place = _place()
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as stage:  # never half a script under its name
            staged = Path(stage, place.name)
            staged.write_bytes(f"{_digest(text)}\n".encode() + text)
            staged.replace(place)


def _digest(text: bytes) -> str:
    return f"// sha256 {hashlib.sha256(text).hexdigest()}"


def _made() -> str:
    import vl_convert

    try:
        made: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of its library, and no Exception: too few descriptors, memory
            raise
        raise StepFailed(f"the script that draws charts cannot be had: {error}") from None
    return made
