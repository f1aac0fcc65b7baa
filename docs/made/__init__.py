"""The pages of the reference, generated from the code at every build of the site: a Sphinx extension (docs/conf.py).

They are written into docs/reference/ and are not stored, because stored pages could differ from the code. Facts without
a type, such as the meaning of a column or a file, are in words.toml beside this file; tests compare it with the code.
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
    """Write every page that has changed; Sphinx reads only changed pages again."""
    for name, page in PAGES.items():
        path, text = into / f"{name}.md", page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            atomic.write(path, text.encode())


def setup(app: Any) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", lambda app: write())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
