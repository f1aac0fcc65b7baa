"""Texts of pages, screens and reports by language, with plural forms, numbers, units and dates.

A sentence is a template: `{iops:rate} IOPS after {rounds} {rounds:plural:round|rounds}`. Values are in base units, and
the template states their format. A language is one file in languages/; a phrase that it lacks is shown in English.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from string import Formatter
from typing import Any

import msgspec

from stend.base.errors import BadInput
from stend.words import numbers

FOLDER = resources.files(__package__) / "languages"
FIRST = "en"
"""The language of records and of phrases that another language lacks."""
LANGUAGES = (FIRST, *sorted(file.name[:-5] for file in FOLDER.iterdir() if file.name not in (f"{FIRST}.toml",)))
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
BARE = re.compile(r"\d+\.\d+")
DATE = re.compile(rf"\b(\d{{1,2}}) ({MONTHS}) (\d{{4}})\b")


class Language(Formatter):
    """The phrases and formats of one language."""

    def __init__(self, name: str) -> None:
        if name not in LANGUAGES:
            raise BadInput(f"there is no language {name!r}; there are {', '.join(LANGUAGES)}")
        self.name, self.texts, self.format_of = name, texts(name), formats(name)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a phrase with its values; raise KeyError for an unknown key."""
        return self.vformat(self.texts[key], (), values)

    def knows(self, key: str) -> bool:
        """Return whether there is such a phrase."""
        return key in self.texts

    def name_of(self, section: str, name: str) -> str:
        """Return the translation of a name, such as a phase's, or the name itself without a translation."""
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
        if word.isdigit() and phase == "beside":
            return word
        if word.isdigit():
            return f"{word}/{100 - int(word)}" if phase in ("mix", "curve", "open") else f"{word}{numbers.NBSP}%"
        return word.upper()

    def title(self, name: str, title: str) -> str:
        """Return a test's title in this language, or `title` without a translation."""
        return self(f"test.{name}") if self.knows(f"test.{name}") else title

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format `{n:plural:one|few|many}`, `{x:rate}` and the other shapes of `numbers.SHAPES`."""
        kind, _, rest = format_spec.partition(":")
        if kind == "plural":
            forms = rest.split("|")
            return forms[min(numbers.plural(self.format_of, value), len(forms) - 1)]
        if kind == "num":
            return f"{value} {self.format_field(int(value), f'plural:{rest}')}" if str(value).isdigit() else str(value)
        if kind == "said" or kind in numbers.SHAPES:
            return numbers.shown(self.format_of, value, kind, rest) if value is not None else "–"
        if format_spec == "t:phase.":
            return self.phase(str(value))
        if kind == "t":
            return self(f"{rest}{value}") if self.knows(f"{rest}{value}") else str(value)
        return str(super().format_field(value, format_spec))

    def show(self, value: Any, shape: str) -> str:
        """Return a value in a shape of `numbers.SHAPES`, or a dash for None."""
        return self.format_field(value, shape)

    def date(self, at: float) -> str:
        """Return a Unix time as `21 November 2026, 00:48 UTC`."""
        when = datetime.fromtimestamp(at, UTC)
        month = self("date.months").split()[when.month - 1]
        return f"{when.day} {month} {when.year}{self.format_of.year}, {when:%H:%M} UTC"

    def translated(self, text: str) -> str:
        """Translate an English sentence of a run's record; without a pattern for it only convert its numbers."""
        return text if self.name == FIRST else _translated(self.name, text)

    def converted(self, text: str) -> str:
        """Return a sentence with its numbers and dates in the format of this language."""
        return DATE.sub(self._dated, numbers.converted(self.format_of, text))

    def value(self, text: str) -> str:
        """Return a part of a sentence in the format of this language; it may be a bare number, such as `0.2`."""
        return text.replace(".", self.format_of.decimal) if BARE.fullmatch(text) else self.converted(text)

    def _dated(self, match: re.Match[str]) -> str:
        """Return a date in this language: `17 February 2016` -> `17 февраля 2016`."""
        month = MONTHS.split("|").index(match[2])
        return f"{match[1]} {self('date.months').split()[month]} {match[3]}"


@cache
def texts(language: str) -> Mapping[str, str]:
    """Return every phrase by its key, in English if the language lacks it."""
    return phrases(language) if language == FIRST else {**phrases(FIRST), **phrases(language)}


@cache
def phrases(language: str) -> Mapping[str, str]:
    """Return the phrases of a language's file; a key is the sections and the name, joined by dots."""
    return dict(_flat("", _file(language)))


@cache
def formats(language: str) -> numbers.Format:
    """Return how a language writes numbers and dates: the part `format` of its file."""
    return msgspec.convert(_file(language).get("format", {}), numbers.Format)


@cache
def _file(language: str) -> dict[str, Any]:
    read: dict[str, Any] = msgspec.toml.decode((FOLDER / f"{language}.toml").read_bytes())
    return read


@lru_cache(maxsize=4096)
def _translated(name: str, text: str) -> str:
    """Translate a sentence; cached, because a page repeats most sentences and one match takes a millisecond."""
    words = Language(name)
    for pattern, key in _patterns():
        if match := pattern.fullmatch(text):
            return words(key, **{k: words.translated(words.value(v)) for k, v in match.groupdict().items()})
    return words.converted(text)


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    english = ((key, text) for key, text in texts(FIRST).items() if key.startswith("told."))
    return [(re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(text)), re.DOTALL), k) for k, text in english]


def _flat(prefix: str, table: dict[str, Any]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, str):
            pairs.append((f"{prefix}{key}", value))
        elif (prefix, key) != ("", "format"):
            pairs += _flat(f"{prefix}{key}.", value)
    return pairs
