"""Several builds of the site by one program, `python -m tests.sites INTO`: each a fork that finds Sphinx imported.

A build is a line of JSON on its standard input: what Sphinx is told. The N-th leaves INTO/N.code and INTO/N.err.
"""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from docs.made import write

DOCS = Path(__file__).parent.parent / "docs"
NEEDED = ("docutils.parsers.rst", "furo.navigation", "myst_nb.sphinx_ext", "sphinx.builders.html", "sphinx.cmd.build")


class Site(NamedTuple):
    """The site in both languages, as `make docs` lays them, and the sentences of some pages in English."""

    english: Path
    russian: Path
    sentences: Path
    said: list[tuple[str, str]]
    """Of each the exit code of Sphinx, and what it said while it built."""


def made(into: Path, of_pages: Sequence[str]) -> Site:
    """All three, in a folder."""
    english, russian, sentences = into / "html", into / "html/ru", into / "gettext"
    asked = [["-b", "html", str(DOCS), str(english)], ["-b", "html", "-D", "language=ru", str(DOCS), str(russian)]]
    asked += [["-b", "gettext", str(DOCS), str(sentences), *(str(DOCS / f"{page}.md") for page in of_pages)]]
    always = ["-q", "-W", "--keep-going", "-D", "nb_execution_mode=off"]  # tests/test_notebook.py runs it
    lines = "".join(json.dumps(always + words) + "\n" for words in asked if of_pages or "gettext" not in words)
    subprocess.run([sys.executable, "-m", __name__, str(into)], input=lines, text=True, cwd=DOCS.parent, check=True)
    told = [[(into / f"{at}.{kind}").read_text() for kind in ("code", "err")] for at in range(lines.count("\n"))]
    return Site(english, russian, sentences, [(code, err) for code, err in told])


def built(words: Sequence[str], place: Path) -> None:
    """One build, as `python -m sphinx` has it."""
    if number := os.fork():
        os.waitpid(number, 0)
        return
    code = 1
    try:
        said = os.open(place.with_suffix(".err"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 2)
        code = int(import_module("sphinx.cmd.build").main(list(words)))
    finally:
        sys.stderr.flush()
        place.with_suffix(".code").write_text(str(code))
        os._exit(code)


if __name__ == "__main__":
    for name in NEEDED:
        import_module(name)
    write()
    gc.freeze()
    gc.set_threshold(50_000, 100)  # trees of pages are kept: to look through them again takes a fifth of a build
    for at, line in enumerate(sys.stdin):
        built(json.loads(line), Path(sys.argv[1]) / str(at))
