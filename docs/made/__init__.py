"""The reference's pages, made of the code whenever the site is built: a Sphinx extension (docs/conf.py).

They are written into docs/reference/ and not kept: what is made of the code at every build cannot differ from it. What
no type says, the meaning of a column or a file, is in words.toml beside this file; tests hold it to the code.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from docs.made import columns, files, python, shapes, stand, verbs

from stend.base import atomic

PAGES: dict[str, Callable[[], str]] = {
    "verbs": verbs.page,
    "files": files.page,
    "run-folder": stand.run_folder,
    "events": shapes.events,
    "json": shapes.json,
    "columns": columns.page,
    "exit-codes": stand.exit_codes,
    "environment": stand.environment,
    "python": python.page,
}
INTO = Path(__file__).parent.parent / "reference"


def write(into: Path = INTO) -> None:
    """Every page; one that is as it was stays as it is, so that Sphinx reads it once."""
    for name, page in PAGES.items():
        path, text = into / f"{name}.md", page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            atomic.write(path, text.encode())


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx asks of an extension."""
    app.connect("builder-inited", lambda app: write())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
