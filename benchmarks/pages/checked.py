"""Choose the checks for a file by its kind."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from benchmarks.pages import Defect, browser, pdf


class Checker:
    """Checks files; Chromium starts at the first file that needs it."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._browser: browser.Browser | None = None

    def __enter__(self) -> "Checker":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    @property
    def chromium(self) -> browser.Browser:
        """Return the browser of all files."""
        if self._browser is None:
            self._browser = self._open.enter_context(browser.opened())
        return self._browser

    def of(self, path: Path) -> Iterator[tuple[str, Defect]]:
        """Yield (the view of a web page or "", defect)."""
        if path.suffix == ".pdf":
            yield from (("", defect) for defect in pdf.defects(path))
        elif path.suffix == ".html":
            for view in browser.VIEWS:
                yield from ((view.name, defect) for defect in self.chromium.html(path, view))
        elif svg := drawing(path):
            yield from (("", defect) for defect in self.chromium.svg(svg))


def drawing(path: Path) -> str:
    """Return an SVG file, or a Vega-Lite specification drawn as in reports; "" for other JSON."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".svg":
        return text
    if "vega-lite" not in text:  # other JSON, or one JSON per line
        return ""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(text))
