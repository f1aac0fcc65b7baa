"""Vega, Vega-Lite and Vega-Embed as one script from vl-convert, cached per user because it takes seconds to make."""

import contextlib
import hashlib
import os
import tempfile
from importlib.metadata import version
from pathlib import Path

from stend.base.errors import StepFailed
from stend.base.home import home


def script() -> str:
    """Return the libraries as one script. Raise StepFailed if they cannot be made."""
    if kept := _kept():
        return kept
    made = _made()
    _keep(made)
    return made


def _place() -> Path:
    """Return the path of the cached script of this version."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(cache) if os.path.isabs(cache) else home() / ".cache"
    return folder / "stend" / f"vega-{version('vl-convert-python')}.js"


def _kept() -> str:
    """Return the cached script if it is complete and owned by this user, else ""."""
    try:
        with _place().open("rb") as file:
            own_file = os.fstat(file.fileno()).st_uid == os.geteuid()
            digest, text = file.readline().decode().strip(), file.read()
    except (OSError, UnicodeError):
        return ""
    return text.decode() if own_file and digest == _digest(text) else ""


def _keep(made: str) -> None:
    """Cache the script for the next report; without write permission nothing is cached."""
    text = made.encode()
    with contextlib.suppress(OSError):
        place = _place()
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as stage:  # no incomplete script under the final name
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
        # The library raises this, which is not an Exception, for example without free descriptors or memory.
        if type(error).__name__ != "PanicException":
            raise
        raise StepFailed(f"the script that draws charts could not be made: {error}") from None
    return made
