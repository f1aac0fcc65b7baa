"""Links within a built site: each leads to a file that is there, and to a place that the file has.

`python -m docs.made.links SITE` names those that do not, and ends with 1.
"""

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit


class Page(NamedTuple):
    """What a page leads to, and the places that others can lead to."""

    links: frozenset[str]
    places: frozenset[str]


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        self.links |= {link for name in ("href", "src") if (link := own.get(name))}
        self.places |= {place for name in ("id", "name") if (place := own.get(name))}


@cache
def read(path: Path) -> Page:
    """One page."""
    reader = _Read()
    reader.feed(path.read_text(encoding="utf-8"))
    return Page(frozenset(reader.links), frozenset(reader.places))


def dead(site: Path) -> Iterator[str]:
    """Every link that leads nowhere, with its page; links to other sites are not followed."""
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
    found = list(dead(Path(sys.argv[1])))
    print(*found, sep="\n", end="\n" * bool(found))
    sys.exit(bool(found))
