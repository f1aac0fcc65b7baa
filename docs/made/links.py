"""Check the links within a built site: each must lead to an existing file and to an existing place in it.

`python -m docs.made.links SITE` prints the dead ones and exits with 1 if there are any.
"""

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit


class Page(NamedTuple):
    """The links of a page, and the places in it that links can lead to."""

    links: frozenset[str]
    places: frozenset[str]


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links |= {link for name in ("href", "src") if (link := values.get(name))}
        self.places |= {place for name in ("id", "name") if (place := values.get(name))}


@cache
def read(path: Path) -> Page:
    """Return the links and places of a page."""
    reader = _Read()
    reader.feed(path.read_text(encoding="utf-8"))
    return Page(frozenset(reader.links), frozenset(reader.places))


def dead(site: Path) -> Iterator[str]:
    """Yield every dead link with its page; links to other sites are not checked."""
    for page in sorted(site.rglob("*.html")):
        for link in sorted(read(page).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            goal = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.is_file():
                yield f"{page.relative_to(site)}: {link}: no such file"
            elif parts.fragment and goal.suffix == ".html" and unquote(parts.fragment) not in read(goal).places:
                yield f"{page.relative_to(site)}: {link}: no such place"


if __name__ == "__main__":
    broken = list(dead(Path(sys.argv[1])))
    print(*broken, sep="\n", end="\n" * bool(broken))
    sys.exit(bool(broken))
