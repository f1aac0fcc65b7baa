"""The numbers of a review's sentences, each with the figure that its template names."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from stend import store
from stend.model.published import PLACES, figure
from stend.model.record import Run
from stend.report.parts import Keys, Page, Pair, Stamps, Uses
from stend.report.parts.sheet import sheet
from stend.report.story.rivals import reference
from stend.report.story.telling import story
from stend.words import Language
from tests.recounted.figures import FIGURES, agrees
from tests.recounted.record import Record, read

NUMBER = re.compile(r"(?<![\w.,-])\d[\d.,\u00a0]*\d|(?<![\w.,-])\d")
LITERAL = re.compile(r"{[^}]*}")


OF_SHEET = ("dwpd", "tbw", "years", "price", "per_gb", "per_kiops", "tb_each")
"""Figures of the drive sheet, or of it and the capacity."""


class Shown(NamedTuple):
    """A value of a template: its name, the value, and how it was written."""

    name: str
    value: float
    text: str


class Listening(Language):
    """A language that keeps every value that it writes."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.kept: list[Shown] = []
        self.field = ""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        """Return the value of a field, and keep the field's name."""
        found = super().get_field(field_name, args, kwargs)
        self.field = field_name
        return found

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return the value as written, and keep it where it is a number."""
        name, text = self.field, super().format_field(value, format_spec)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.kept.append(Shown(name, float(value), text))
        return text

    def show(self, value: Any, shape: str) -> str:
        """Return a value in a shape, and keep it."""
        text = super().show(value, shape)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.kept.append(Shown("", float(value), text))
        return text


class Counted(NamedTuple):
    """Of the numbers of the sentences: found in the record, in the words of the page, in plan or sheet, not found."""

    record: int
    words: int
    plan: int
    wrong: tuple[str, ...]


OF_LISTS = {"best": "extreme", "worst": "extreme", "claims": "claim", "deviates": "plan", "for": "closing",
            "against": "closing", "facts": "closing"}  # fmt: skip


def sentences(page: Page) -> Iterator[tuple[str, str]]:
    """Yield (where, sentence) of every sentence of a review."""
    words = Language(page.lang)
    places = {words(f"story.{key}"): place for key, place in OF_LISTS.items()}
    yield "verdict", page.lead.title
    for section in page.every:
        for block in section.blocks if section.anchor != "method" else ():
            if isinstance(block, Uses):
                yield from (("use", use.why) for use in block.uses)
            elif isinstance(block, Keys):
                yield from ((f"key {key.name}", key.value) for key in block.keys)
            elif isinstance(block, Stamps):
                yield from (("plan", text) for text in block.texts)
            elif isinstance(block, Pair):
                yield from (
                    (places[one.title], item.text) for one in block.lists for item in one.items if one.title in places
                )
        yield from (("answer", text) for text in section.of_role("answer"))
        yield from (("words", text) for text in (section.title, *section.of_role("test")) if section is not page.lead)


def count(folder: Path, lang: str) -> Counted:
    """Return how many numbers of a review's sentences were found again, and those that were not."""
    return counted(store.load(folder), read(folder), sheet(folder), folder, lang)


def counted(run: Run, record: Record, facts: dict[str, Any], folder: Path | None, lang: str) -> Counted:
    """Return the same for a run in memory."""
    words = Listening(lang)
    page = story([(folder, run, {})], None, lang, words=words)
    literal = _literals(words) | _numbers(page.title)
    known = {name: _value(work_out, record) for name, work_out in FIGURES.items()}
    sheeted = {float(v) for v in (*facts.values(), *facts.get("claimed", {}).values()) if isinstance(v, int | float)}
    names = {f"key {words(f'figure_name.{name}')}": name for name in FIGURES if words.knows(f"figure_name.{name}")}
    names |= {f"key {words('figure_name.writes_filled')}": "writes"}
    sides = reference([run])
    titles = {number for side in sides for number in _numbers(side.name)}
    published = {value for side in sides for name in PLACES if (value := figure(side.facts, name)) is not None}
    whole = record.capacity * 365 * facts.get("warranty_years", 5)  # bytes of a drive write per day, all the time
    sheeted |= {v * whole for v in sheeted} | {v * 1e12 for v in sheeted} | {v * 1e12 / whole for v in sheeted}
    found = {"record": 0, "words": 0, "plan": 0}
    wrong = []
    for where, text in sentences(page):
        named = not where.startswith(("key", "claim", "extreme"))
        own = [one for one in words.kept if one.text in text]
        own = [one for one in own if one.name in known or one.name in OF_SHEET or (not named and not one.name)]
        for number in NUMBER.findall(text):
            shown = [one for one in own if number in one.text]
            place = _place(where, shown, known, names)
            if where in ("plan", "words"):
                found[where] += 1
            elif place == "record":
                found["record"] += 1
            elif where == "extreme" and number in _named(words):
                found["words"] += 1
            elif _published(where, number, shown, titles, published) or _sheeted(shown, sheeted):
                found["plan"] += 1
            elif number in literal and not shown:
                found["words"] += 1
            else:
                wrong.append(f"{where}: {number} of {text!r} ({', '.join(one.name for one in shown) or 'no figure'})")
    return Counted(found["record"], found["words"], found["plan"], tuple(wrong))


def _place(where: str, shown: list[Shown], known: dict[str, float | None], names: dict[str, str]) -> str:
    own = [one._replace(name=one.name or names.get(where, "")) for one in shown]
    return "record" if any(_agrees(one, known) for one in own) else ""


def _published(where: str, number: str, shown: list[Shown], titles: set[str], known: set[float]) -> bool:
    """Return whether a number is of a published drive beside which this one is set."""
    return where == "extreme" and (number in titles or any(one.value in known for one in shown))


def _sheeted(shown: list[Shown], sheeted: set[float]) -> bool:
    """Return whether a number is of the drive sheet, whatever its unit there."""
    return any(math.isclose(one.value * scale, v) for one in shown for v in sheeted for scale in (1, 1e-6, 1e6))


def _value(work_out: Any, record: Record) -> float | None:
    """Return a figure of the record, None where its test was not run."""
    try:
        value: float | None = work_out(record)
    except (IndexError, ValueError, ZeroDivisionError, KeyError):
        return None
    return value


def _agrees(one: Shown, known: dict[str, float | None]) -> bool:
    """Return whether the record has the figure of this name; a value without a name must be one of them."""
    if one.name in known:
        return agrees(one.name, one.value, known[one.name])
    return any(agrees(name, one.value, value) for name, value in known.items())


def _literals(words: Language) -> set[str]:
    """Return the numbers that stand in the templates themselves, such as 999 writes of 1,000."""
    texts = (LITERAL.sub(" ", text) for text in words.texts.values())
    return {number for text in texts for number in _numbers(text)}


def _numbers(text: str) -> set[str]:
    return set(NUMBER.findall(text))


def _named(words: Language) -> set[str]:
    """Return the numbers in the names of key figures, such as 4 KiB."""
    return {n for key, text in words.texts.items() if key.startswith("figure_name.") for n in _numbers(text)}
