"""Pictures as SVG, drawn offline from the same specifications as in the page, and pages typeset: in other processes.

A native library that ends its process costs the one thing it was asked for.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from stend.base import render_process
from stend.base.errors import StepFailed, Undrawn
from stend.base.text import ODD, plain, plain_all, plain_lines
from stend.charts import Picture
from stend.report.parts.markup import template_text

MOST = 4
"""Processes that draw at once."""

FEW = 12
"""So many pictures are drawn before another process could help."""

PATIENCE_S = 300
"""Longer than any picture takes; a library that is stuck is ended then."""

UNDRAWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="60" viewBox="0 0 600 60">'
    '<rect width="600" height="60" fill="#fff" stroke="#999"/>'
    '<text x="12" y="36" font-family="sans-serif" font-size="14">{words}</text></svg>'
)


class Renderer:
    """One process of `stend.base.render_process`, begun when first asked and begun again when it ended."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def ask(self, kind: str, given: str) -> str:
        """What came of it. StepFailed when the library cannot do it, or ended its process over it."""
        process = self._running()
        if process.stdin is None or process.stdout is None:
            raise StepFailed("the process that draws has no pipes")
        limit = threading.Timer(PATIENCE_S, process.kill)
        limit.start()
        try:
            process.stdin.write(json.dumps([kind, given]) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            limit.cancel()
        if not line.endswith("\n"):
            code = process.wait()
            self.close()
            raise StepFailed(f"its library ended by signal {-code}" if code < 0 else f"its library ended ({code})")
        made, wrong = json.loads(line)
        if wrong:
            raise StepFailed(plain(wrong.strip().splitlines()[0])[:300])
        return str(made)

    def _running(self) -> "subprocess.Popen[str]":
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-P", render_process.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        return self.process

    @property
    def ended(self) -> bool:
        """Whether its process is gone, by a Ctrl-C perhaps, which all of a terminal's processes get."""
        return self.process is not None and self.process.poll() is not None

    def close(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


_KEPT: dict[int, list[Renderer]] = {}
"""By process, for a fork has none of its own: one that has drawn, since its first picture takes as long as 20 more."""


def _kept() -> list[Renderer]:
    return _KEPT.setdefault(os.getpid(), [])


@contextmanager
def _lent(count: int) -> Iterator[list[Renderer]]:
    """So many, the one kept among them; one is kept again unless something broke in between, the others end."""
    kept, lent = _kept(), list[Renderer]()
    with suppress(IndexError):
        lent.append(kept.pop())
    if lent and lent[0].ended:
        lent.pop().close()
    lent += [Renderer() for _ in range(count - len(lent))]
    try:
        yield lent
        if not kept:
            kept.append(lent.pop())
    finally:
        for renderer in lent:
            renderer.close()


@atexit.register
def _end() -> None:
    for renderer in _kept():
        renderer.close()


def svgs(pictures: Sequence[Picture]) -> list[str]:
    """All of them in order as SVG; Undrawn is warned of each that cannot be, and a sentence stands in its place."""
    count = min(os.cpu_count() or 1, MOST, -(-len(pictures) // FEW)) or 1
    with _lent(count) as renderers:
        made = _drawn(pictures, renderers)
    for _, wrong in made:
        if wrong:
            warnings.warn(wrong, Undrawn, stacklevel=2)
    return [svg for svg, _ in made]


def _drawn(pictures: Sequence[Picture], renderers: Sequence[Renderer]) -> list[tuple[str, str]]:
    """Each picture, and what was wrong with it, by whoever is free."""
    free: SimpleQueue[Renderer] = SimpleQueue()
    for renderer in renderers:
        free.put(renderer)

    def draw(picture: Picture) -> tuple[str, str]:
        renderer = free.get()
        try:
            return renderer.ask("svg", _said(picture)), ""
        except StepFailed as error:
            wrong = plain(f"the chart “{picture.title}” could not be drawn: {error}")
            return UNDRAWN.format(words=escape(wrong)), wrong
        finally:
            free.put(renderer)

    with ThreadPoolExecutor(len(renderers)) as pool:
        return list(pool.map(draw, pictures))


def svg(picture: Picture) -> str:
    """One picture."""
    return svgs([picture])[0]


def _said(picture: Picture) -> str:
    """Its specification; words with anything odd in them, which JSON may hide as an escape, made plain."""
    text = json.dumps(picture.spec, ensure_ascii=False)
    return json.dumps(plain_all(picture.spec)) if ODD.search(text) or "\\u00" in text else text


def pages(template: str, content: Callable[[Path], dict[str, Any]]) -> bytes:
    """A Typst template as PDF, with what `content` gives, which leaves pictures in the folder it is handed.

    The text travels as data (report.json), never as markup. StepFailed when it cannot be typeset.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        told = json.dumps(plain_all(content(folder), plain_lines), ensure_ascii=False)
        (folder / "report.json").write_text(told, encoding="utf-8")
        (folder / "report.typ").write_text(template_text(template), encoding="utf-8")
        return _typeset(folder / "report.typ")


def _typeset(source: Path) -> bytes:
    with _lent(1) as (renderer,):
        try:
            return Path(renderer.ask("pdf", str(source))).read_bytes()
        except StepFailed as error:
            raise StepFailed(f"the PDF could not be typeset: {error}; the other formats can be had") from error
