"""What reviews and their makers published of real drives (published.toml): facts to calibrate and to compare by."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def published() -> dict[str, dict[str, Any]]:
    """All cells, by drive and kind of measurement; `about` says what the drive is and who published it."""
    return tomllib.loads((resources.files("stend") / "published.toml").read_text())
