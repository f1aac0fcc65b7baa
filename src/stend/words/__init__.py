"""Texts in two languages from one catalogue, with plural forms, numbers, units and dates by locale.

A sentence is a template: `{iops:rate} IOPS after {rounds} {rounds:plural:round|rounds}`. Values are in base units, and
the template states their format. Every phrase is in catalogue/, both languages side by side.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from string import Formatter
from typing import Any

import msgspec

from stend.base.errors import BadInput
from stend.words import numbers

LANGUAGES = ("en", "ru")
Pair = tuple[str, str]
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = re.compile(rf"\b(\d{{1,2}}) ({MONTHS}) (\d{{4}})\b")


class Language(Formatter):
    """The phrases and formats of one language."""

    def __init__(self, name: str) -> None:
        if name not in LANGUAGES:
            raise BadInput(f"there is no language {name!r}; there are {', '.join(LANGUAGES)}")
        self.name, self.index = name, LANGUAGES.index(name)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a phrase of the catalogue with its values; raise KeyError for an unknown key."""
        return self.vformat(catalogue()[key][self.index], (), values)

    def knows(self, key: str) -> bool:
        """Return whether the catalogue has this phrase."""
        return key in catalogue()

    def name_of(self, section: str, name: str) -> str:
        """Return the translation of a name, such as a phase's, or the name if the catalogue has none."""
        return self.format_field(name, f"t:{section}.")

    def phase(self, name: str) -> str:
        """Return a phase's name with its parameters after commas: `rounds-4k-t8q16` -> rounds, 4 KiB, T8 Q16."""
        words = name.split("-")
        for count in range(len(words), 0, -1):
            if self.knows(key := "phase." + "-".join(words[:count])):
                return ", ".join([self(key), *(self._part(words[0], word) for word in words[count:])])
        return name

    def _part(self, phase: str, word: str) -> str:
        if match := re.fullmatch(r"t(\d+)q(\d+)", word):
            return f"T{match[1]} Q{match[2]}"
        if match := re.fullmatch(r"(\d+)k", word):
            return self.show(int(match[1]) * 1024, "gib")
        if word.isdigit() and phase in ("wait", "baseline"):
            return f"1:{word}"
        if word.isdigit():
            return f"{word}/{100 - int(word)}" if phase in ("mix", "curve") else f"{word}{numbers.NBSP}%"
        return word.upper()

    def title(self, name: str, title: str) -> str:
        """Return a test's title in this language, or `title` if the catalogue has none."""
        return self(f"test.{name}") if self.knows(f"test.{name}") else title

    def pick(self, pair: Pair, /, **values: Any) -> str:
        """Return this language's text of a pair, with its values."""
        return self.vformat(pair[self.index], (), values)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format `{n:plural:one|few|many}`, `{x:rate}` and the other shapes of `numbers.SHAPES`."""
        kind, _, rest = format_spec.partition(":")
        if kind == "plural":
            forms = rest.split("|")
            return forms[min(numbers.plural(self.name, value), len(forms) - 1)]
        if kind == "num":
            return f"{value} {self.format_field(int(value), f'plural:{rest}')}" if str(value).isdigit() else str(value)
        if kind == "said" or kind in numbers.SHAPES:
            return numbers.shown(self.name, value, kind, rest) if value is not None else "–"
        if format_spec == "t:phase.":
            return self.phase(str(value))
        if kind == "t":
            return self(f"{rest}{value}") if self.knows(f"{rest}{value}") else str(value)
        return str(super().format_field(value, format_spec))

    def show(self, value: Any, shape: str) -> str:
        """Return a value in a shape of `numbers.SHAPES`, or a dash for None."""
        return self.format_field(value, shape)

    def quantity(self, value: float | None, name: str) -> str:
        """Return a value of a quantity (`iops`, `mean`, ...) in the shape of that quantity, or a dash for None."""
        return self.show(value, numbers.QUANTITIES.get(name, "lat"))

    def date(self, at: float) -> str:
        """Return a Unix time as `21 November 2026, 00:48 UTC`."""
        when = datetime.fromtimestamp(at, UTC)
        month, year = self("date.months").split()[when.month - 1], " г." if self.name == "ru" else ""
        return f"{when.day} {month} {when.year}{year}, {when:%H:%M} UTC"

    def translated(self, text: str) -> str:
        """Translate an English sentence of a run's record; without a pattern for it only convert its numbers."""
        return text if self.name == "en" else _translated(self.name, text)

    def converted(self, text: str) -> str:
        """Return a sentence with its numbers and dates in the format of this language."""
        return DATE.sub(self._dated, numbers.converted(self.name, text))

    def _dated(self, match: re.Match[str]) -> str:
        """Return a date in this language: `17 February 2016` -> `17 февраля 2016`."""
        month = catalogue()["date.months"][0].split().index(match[2])
        return f"{match[1]} {self('date.months').split()[month]} {match[3]}"


@cache
def catalogue() -> Mapping[str, Pair]:
    """Return every phrase: key -> (en, ru), with the sections of catalogue/**/*.toml joined by dots."""
    return dict(pair for file in files() for pair in _flat("", msgspec.toml.decode(file.read_bytes())))


def files() -> Iterator[Traversable]:
    """Yield every file of phrases."""
    folder = resources.files(__package__) / "catalogue"
    for place in (folder, folder / "findings"):
        yield from (file for file in sorted(place.iterdir(), key=str) if file.is_file())


@lru_cache(maxsize=4096)
def _translated(name: str, text: str) -> str:
    """Translate a sentence; cached, because a page repeats most sentences and one match takes a millisecond."""
    words = Language(name)
    for pattern, pair in _patterns():
        if match := pattern.fullmatch(text):
            inner = {k: words.translated(words.converted(v)) for k, v in match.groupdict().items()}
            return words.vformat(pair[words.index], (), inner)
    return words.converted(text)


@cache
def _patterns() -> list[tuple[re.Pattern[str], Pair]]:
    pairs = [pair for key, pair in catalogue().items() if key.startswith("told.")]
    return [(re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(pair[0])), re.DOTALL), pair) for pair in pairs]


def _flat(prefix: str, table: dict[str, Any]) -> list[tuple[str, Pair]]:
    pairs: list[tuple[str, Pair]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            pairs += _flat(f"{prefix}{key}.", value)
        else:
            pairs.append((f"{prefix}{key}", (value[0], value[1])))
    return pairs
