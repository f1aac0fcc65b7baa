"""The author's text of a review: review.md with a head in TOML, Markdown between the chapters, figures by reference.

    +++
    title = "A drive for databases?"
    author = "A. Writer"
    date = 2026-11-25
    verdict = "At {iops.4k.write} it is the slowest of its class."
    photographs = ["front.jpg"]
    +++
    Text of the first screen.

    # saturation
    Text of this chapter: writes end at {writes}, {write-saturation.saturated.mean} on average.

A heading that names a chapter of the review puts the text below it there. Another heading starts a chapter.
"""

import datetime
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from stend.base import regular, untrusted
from stend.base.errors import BadInput
from stend.base.text import did_you_mean, plain_all, plain_lines
from stend.many.compare.rules import fits
from stend.model.quantities import QUANTITIES
from stend.publish.figures import Row
from stend.publish.samples import Sample
from stend.report.parts.sheet import SUFFIXES

NAME = "review"
FENCE = "+++"
REFERENCE = re.compile(r"(?<!\\)\{([A-Za-z0-9_./%-]+)\}")
ENDS = re.compile(r"\.(" + "|".join(re.escape(name) for name in sorted(QUANTITIES, key=len, reverse=True)) + r")$")
WAYS = {"read": 100, "reads": 100, "write": 0, "writes": 0}
Line = Annotated[str, msgspec.Meta(max_length=1000)]


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a review: author, date, the verdict in one sentence, and photographs of the first screen."""

    title: Line = ""
    author: Line = ""
    date: datetime.date | None = None
    verdict: Line = ""
    photographs: tuple[Line, ...] = ()


class Written(NamedTuple):
    """The text of a review: its head, HTML by heading ("" is the first screen), and the photographs that it shows."""

    head: Head
    chapters: tuple[tuple[str, str], ...]
    photographs: tuple[Path, ...]


Figures = Callable[[str], tuple[str, str]]
"""Return the shown value of a reference and the address of its figure. Raise KeyError with a reason if unknown."""


def read(sample: Sample, lang: str, figures: Figures, photos: str) -> Written | None:
    """Return review.LANG.md or review.md of a run folder, or None without one.

    `photos` is the prefix of the address of photographs. Raise BadInput with the line of what is wrong.
    """
    names = (f"{NAME}.{lang}.md", f"{NAME}.md")
    path = next((sample.folder / name for name in names if regular.is_file(sample.folder / name)), None)
    if path is None:
        return None
    try:
        text = plain_lines(untrusted.kept(path, "the review").decode().replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        raise BadInput(f"the review {path} is not UTF-8 text") from error
    head, first, lines = _head(path, text)
    verdict = _filled([head.verdict], 0, path, figures, linked=False)[0] if head.verdict else ""
    seen = [_photograph(path, name) for name in head.photographs]
    filled = _filled(lines, first, path, figures, linked=True)
    chapters = tuple(_chapters(filled, first, path, seen, photos))
    return Written(msgspec.structs.replace(head, verdict=verdict), chapters, tuple(dict.fromkeys(seen)))


def _head(path: Path, text: str) -> tuple[Head, int, list[str]]:
    """Return the head, the number of the first line after it, and the lines after it."""
    lines = text.split("\n")
    if lines[0].strip() != FENCE:
        return Head(), 1, lines
    end = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == FENCE), 0)
    if not end:
        raise BadInput(f"{path}, line 1: the head that begins with {FENCE} has no end")
    try:
        values = msgspec.toml.decode("\n".join(["", *lines[1:end], ""]))
        return msgspec.convert(plain_all(values), Head), end + 2, lines[end + 1 :]  # TOML has escapes of its own
    except untrusted.BROKEN as error:
        reason = untrusted.sentence(error)
        field = re.search(r"field `(\w+)`", reason) or re.match(r"(\w+)[^ ]*: ", reason)
        named = next((n for n, line in enumerate(lines, 1) if field and line.strip().startswith(field[1])), 1)
        at = re.search(r"at line (\d+)", reason)
        raise BadInput(f"{path}, line {at[1] if at else named}: {reason}") from error


def _filled(lines: Sequence[str], first: int, path: Path, figures: Figures, *, linked: bool) -> list[str]:
    """Return lines with their references replaced by figures, which link to their run."""

    def fill(line: str, number: int) -> str:
        def value(match: re.Match[str]) -> str:
            try:
                shown, address = figures(match[1])
            except KeyError as error:
                where = f"line {number}" if number else "verdict"
                raise BadInput(f"{path}, {where}: {error.args[0]}") from None
            return f"[{shown}]({address})" if linked else shown

        return REFERENCE.sub(value, line).replace("\\{", "{")

    return [fill(line, first + n if first else 0) for n, line in enumerate(lines)]


def _chapters(lines: Sequence[str], first: int, path: Path, seen: list[Path], photos: str) -> Any:
    """Yield (heading, HTML) of each chapter. Photographs in the text are added to `seen`."""
    name, start = "", 0
    for number, line in enumerate([*lines, "# "]):
        if line.startswith("# ") or number == len(lines):
            part = lines[start:number]
            if any(text.strip() for text in part):
                yield name, _html("\n".join(part), first + start, path, seen, photos)
            name, start = line[2:].strip(), number + 1


def _html(text: str, first: int, path: Path, seen: list[Path], photos: str) -> str:
    """Return Markdown as HTML: no markup of the author, no scripts, pictures only from the run folder."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for token in tokens:
        if token.tag in ("h1", "h2"):
            token.tag = "h3"
        for inner in token.children or ():
            source = inner.attrs.get("src")
            if isinstance(source, str):  # of an image
                line = first + token.map[0] if token.map else first
                try:
                    file = _photograph(path, source)
                except BadInput as error:
                    raise BadInput(f"{path}, line {line}: {error}") from error
                seen.append(file)
                inner.attrs |= {"src": photos + file.name, "loading": "lazy"}
            address = str(inner.attrs.get("href", ""))
            if inner.type == "link_open" and not address.startswith("#"):
                inner.attrs["rel"] = "noopener noreferrer nofollow"
    made: str = parser.renderer.render(tokens, parser.options, {})
    return made


def _photograph(path: Path, name: str) -> Path:
    """Return the path of a photograph beside the review. Raise BadInput if it is anywhere else or not there."""
    if Path(name).name != name or Path(name).suffix.lower() not in SUFFIXES:
        raise BadInput(f"the photograph {name!r} must be the name of a PNG or JPEG file beside the review")
    if not regular.is_file(path.parent / name):
        raise BadInput(f"the photograph {name!r} is not a file beside the review")
    return path.parent / name


def resolver(rows: Sequence[Row], keys: dict[str, dict[str, Any]], shown: Callable[[Row], str], anchor: str) -> Figures:
    """Return how references of a run are resolved: `{writes}`, `{iops.4k.write}`, `{latency.4k.read.mean}`."""

    def find(reference: str) -> tuple[str, str]:
        if reference in keys:
            return str(keys[reference]["shown"]), anchor
        return shown(_row(reference, rows, list(keys))), anchor

    return find


def _row(reference: str, rows: Sequence[Row], keys: Sequence[str]) -> Row:
    ends = ENDS.search(reference)
    quantity = ends[1] if ends else ""
    test, *words = (reference[: ends.start()] if ends else reference).split(".")
    tests = dict.fromkeys(row.key.test for row in rows)
    if test not in tests:
        known = f"the run has {', '.join((*keys, *tests))}"
        raise KeyError(f"there is no figure {{{reference}}}{did_you_mean(test, (*keys, *tests), known)}")
    found = [row for row in rows if row.key.test == test and all(_fits(word, row) for word in words)]
    if quantity:
        found = [row for row in found if row.quantity == quantity]
    else:
        found = [row for n, row in enumerate(found) if row.key not in [other.key for other in found[:n]]]
    both = [row for row in found if row.key.direction == "both"] if not {"read", "write"} & set(words) else found
    found = both or found
    if len(found) > 1:  # the state after preconditioning is what a reader expects
        found = [row for row in found if row.key.state == "window"] or found
    if len(found) > 1 and (ways := [WAYS[word.lower()] for word in words if word.lower() in WAYS]):
        found = [row for row in found if row.key.read_pct in ways] or found  # reads alone before reads of a mix
    if len(found) != 1:
        few = "; ".join(f"{row.key.load} {row.key.state}" for row in found[:4])
        why = (
            f"is {len(found)} figures ({few}); add words, such as a mix (65/35)"
            if found
            else "fits no figure of the run"
        )
        raise KeyError(f"{{{reference}}} {why}")
    return found[0]


def _fits(word: str, row: Row) -> bool:
    if word.lower() in WAYS:
        return row.key.read_pct == WAYS[word.lower()] or row.key.direction == word.lower().rstrip("s")
    return fits(word.replace("_", "/"), row.key)
