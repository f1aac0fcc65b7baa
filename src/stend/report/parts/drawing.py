"""Pictures as SVG and pages as PDF, rendered offline in other processes from the specifications of the page.

If a native library crashes, only the picture or page that it was rendering is lost.
"""

import atexit
import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from stend.base import extras, render_process
from stend.base.errors import StepFailed, Undrawn
from stend.base.text import ODD, plain, plain_all
from stend.charts import Picture
from stend.report.parts.markup import template_text, tied

MOST = 4
"""Maximum number of processes that draw in parallel."""

FEW = 24
"""One process draws this many pictures: the start of a second one takes the processor for as long as 20 of them."""

FEW_LINES_MM, TIGHT = 40.0, "tight"
"""A last page with less is avoided, if tables without much space between their rows do not need it."""

PATIENCE_S = 300
"""Longer than any picture takes. A process whose library hangs is killed then."""

UNDRAWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="60" viewBox="0 0 600 60">'
    '<rect width="600" height="60" fill="#fff" stroke="#999"/>'
    '<text x="12" y="36" font-family="sans-serif" font-size="14">{words}</text></svg>'
)


class Renderer:
    """One process of `stend.base.render_process`, started at the first request and again after it ended."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def render(self, kind: str, given: str) -> str:
        """Return the SVG of a chart specification ("svg"), its PNG in base64 ("png"), marks ("layout") or the path
        ("pdf") of a Typst file.

        Raise StepFailed if the library fails, or if its process ends.
        """
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
        """Return whether the process has ended, for example by Ctrl-C, which all processes of a terminal receive."""
        return self.process is not None and self.process.poll() is not None

    def close(self) -> None:
        """Kill the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


_KEPT: dict[int, list[Renderer]] = {}
"""Renderers by process, because a fork has none. One that has drawn is kept: a first picture takes as long as 20
more."""


def _kept() -> list[Renderer]:
    return _KEPT.setdefault(os.getpid(), [])


@contextmanager
def _lent(count: int) -> Iterator[list[Renderer]]:
    """Lend `count` renderers, including the kept one. After success one is kept again, the others are closed."""
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
    """Return all pictures in order as SVG.

    For a picture that fails, warn with Undrawn and return a placeholder with a sentence.
    """
    count = min(os.cpu_count() or 1, MOST, -(-len(pictures) // FEW)) or 1
    with _lent(count) as renderers:
        made = _drawn(pictures, renderers)
    for _, wrong in made:
        if wrong:
            warnings.warn(wrong, Undrawn, stacklevel=2)
    return [svg for svg, _ in made]


def _drawn(pictures: Sequence[Picture], renderers: Sequence[Renderer]) -> list[tuple[str, str]]:
    """Return each picture and its error ("" if none), rendered by the first free renderer."""
    free: SimpleQueue[Renderer] = SimpleQueue()
    for renderer in renderers:
        free.put(renderer)

    def draw(picture: Picture) -> tuple[str, str]:
        renderer = free.get()
        try:
            return renderer.render("svg", _specification(picture)), ""
        except StepFailed as error:
            wrong = plain(f"the chart “{picture.title}” could not be drawn: {error}")
            return UNDRAWN.format(words=escape(wrong)), wrong
        finally:
            free.put(renderer)

    with ThreadPoolExecutor(len(renderers)) as pool:
        return list(pool.map(draw, pictures))


def svg(picture: Picture) -> str:
    """Return one picture as SVG."""
    return svgs([picture])[0]


def preview(picture: Picture) -> bytes:
    """Return one picture as PNG. Raise StepFailed if it cannot be drawn."""
    with _lent(1) as (renderer,):
        return base64.b64decode(renderer.render("png", _specification(picture)))


def _specification(picture: Picture) -> str:
    """Return the specification as JSON; odd characters in texts, which JSON may hide as escapes, become plain ones."""
    text = json.dumps(picture.spec, ensure_ascii=False)
    return json.dumps(plain_all(picture.spec)) if ODD.search(text) or "\\u00" in text else text


def pages(
    template: str, content: Callable[[Path], dict[str, Any]], again: Callable[[Path, Mapping[str, float]], None]
) -> bytes:
    """Return a Typst template as PDF, with the data of `content`, which stores its pictures in the folder it is given.

    `again` draws pictures again, by name, each at most once, with plots that are so many mm taller as the template
    marks. Lower ones come first, because they move what follows. Heads of chapters then stay on their pages. If the
    last page has only a few lines, the last section is set tighter.
    Text is passed as data (report.json), never as markup. Raise StepFailed if the page cannot be typeset, and
    ModuleNotFoundError without typst.
    """
    extras.installed("typst")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = json.dumps(plain_all(content(folder), tied), ensure_ascii=False)
        (folder / "report.json").write_text(data, encoding="utf-8")
        (folder / "report.typ").write_text(template_text(template), encoding="utf-8")
        drawn, heads, loose = set[str](), dict[str, bool](), 0
        while True:
            (folder / "fixed.json").write_text(json.dumps(heads), encoding="utf-8")
            *marked, (_, (count, used)) = json.loads(_typeset("layout", folder))
            stays = {name: value for name, value in marked if isinstance(value, bool)}
            every = [(name, more) for name, more in marked if name not in drawn and name not in stays]
            new = dict([pair for pair in every if pair[1] < 0] or every)
            if new:
                heads = stays if min(new.values()) >= 0 else heads
                again(folder, new)
                drawn |= new.keys()
            elif TIGHT not in heads and used < FEW_LINES_MM and count > 1:
                heads, loose = {**heads, TIGHT: True}, count
            elif heads.get(TIGHT) and count >= loose:
                heads[TIGHT] = False
            else:
                return Path(_typeset("pdf", folder)).read_bytes()


def _typeset(kind: str, folder: Path) -> str:
    with _lent(1) as (renderer,):
        try:
            return renderer.render(kind, str(folder / "report.typ"))
        except StepFailed as error:
            raise StepFailed(f"the PDF could not be typeset: {error}; choose another format") from error
