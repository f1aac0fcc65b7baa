"""The texts of words.toml: the meaning of columns, files and variables, which no type states."""

import tomllib
from pathlib import Path
from typing import Any

WORDS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
