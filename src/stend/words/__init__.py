"""Texts of pages, screens and reports by language, with plural forms, numbers, units and dates.

A sentence is a template: `{iops:rate} IOPS after {rounds} {rounds:plural:round|rounds}`. Values are in base units, and
the template states their format. A language is one file in languages/; a phrase that it lacks is shown in English.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from string import Formatter
from typing import Any

import msgspec

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.base.text import capital
from stend.words import loads, numbers

FOLDER = resources.files(__package__) / "languages"
FIRST = "en"
"""The language of records and of phrases that another language lacks."""
RECORD = "record."
"""Prefix of the keys of sentences that records hold."""
LANGUAGES = (FIRST, *sorted(file.name[:-5] for file in FOLDER.iterdir() if file.name not in (f"{FIRST}.toml",)))
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
CACHE = re.compile(r"(\d+ [KMG]iB) cache\b")
"""The cache that the interface of a RAID controller states."""
SHARES = re.compile(r"\d+/\d+")
"""Shares of reads and writes, which the name of a load states."""
BARE = re.compile(r"\d+\.\d+")
PERCENTILE = re.compile(r"(\w+)\.p(\d+(?:\.\d+)?)")
"""Key of a percentile's name in a section, which has one phrase for all of them: `percentile`."""
STATED = {"file": "header.file", "NVMe virtual": "header.nvme_virtual"}
"""Interfaces that have a phrase."""
YEAR = re.compile(r"(?<=, )\d{4}$")
DATE = re.compile(rf"\b(\d{{1,2}}) ({MONTHS}) (\d{{4}})\b")


class Language(Formatter):
    """The phrases and formats of one language."""

    def __init__(self, name: str) -> None:
        if name not in LANGUAGES:
            raise BadInput(f"there is no language {name!r}; there are {', '.join(LANGUAGES)}")
        self.name, self.texts, self.format_of = name, texts(name), formats(name)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a phrase with its values. Raise KeyError for an unknown key."""
        if key not in self.texts and (percentile := PERCENTILE.fullmatch(key)):
            key, values = f"{percentile[1]}.percentile", {"percent": self.value(percentile[2])}
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

    def claim(self, name: str) -> str:
        """Return what a vendor claims by its key in a sheet: `rand_7030_8k` -> Random mix 70/30, 8 KiB.

        A response time (`_us`) is of single IOs. A key of another form has its own name.
        """
        load = "" if self.knows(f"claim.{name}") else loads.of_claim(name)
        return capital(self.show(load, "load")) if load else self.title(name, name, "claim")

    def phase_beside(self, name: str, beside: str, *, load: bool = True) -> str:
        """Return a phase's name without what a text `beside` it has, such as `curve` beside a load. May be empty."""
        named = self.phase(name).split(", ")
        kept = (part for part in named if not re.search(rf"(?<!\w){re.escape(part)}(?!\w)", beside, re.IGNORECASE))
        return ", ".join(part for part in kept if not (load and SHARES.fullmatch(part)))

    def _part(self, phase: str, word: str) -> str:
        if match := re.fullmatch(r"t(\d+)q(\d+)", word):
            return f"T{match[1]} Q{match[2]}"
        if match := re.fullmatch(r"(\d+(?:\.\d+)?)k", word):
            return self.show(float(match[1]) * 1024, "gib")
        if not word.isdigit():
            return word.upper()
        if phase in ("wait", "baseline"):
            return f"1:{word}"
        if phase in ("beside", "precondition"):
            return word
        return f"{word}/{100 - int(word)}" if phase in ("mix", "curve", "open") else word + self.format_of.percent

    def title(self, name: str, title: str, of: str = "test") -> str:
        """Return the title of a test or a profile in this language, or `title` without a translation."""
        return self(f"{of}.{name}") if self.knows(f"{of}.{name}") else title

    def quantity(self, name: str) -> str:
        """Return the name of a quantity (`model.quantities`) for figures; one without a phrase has its own name."""
        known = self.knows(f"quantity.{name}") or PERCENTILE.fullmatch(f"quantity.{name}")
        return self(f"quantity.{name}") if known else name.replace("_", " ")

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format `{n:plural:one|few|many}`, `{x:rate}` and the other shapes of `numbers.SHAPES`.

        A list is joined by commas, or by `{x:joined:; }`. Numbers in text, as old records have them, keep their digits.
        """
        kind, _, rest = format_spec.partition(":")
        if isinstance(value, list) and kind not in numbers.OF_LISTS:
            return (rest if kind == "joined" else ", ").join(self.format_field(part, format_spec) for part in value)
        if kind in ("said", "fixed", "with", *numbers.SHAPES) and not (
            isinstance(value, str) and kind not in numbers.OF_LABELS
        ):
            return numbers.shown(self.format_of, value, kind, rest) if value is not None else "–"
        return self._words(value, format_spec, kind, rest)

    def _words(self, value: Any, format_spec: str, kind: str, rest: str) -> str:
        """Format a value in a shape that chooses words: plural forms and translated names."""
        if kind == "plural":
            return numbers.one_of(self.format_of, value, rest.split("|"))
        if kind == "num":
            return f"{value} {self.format_field(int(value), f'plural:{rest}')}" if str(value).isdigit() else str(value)
        if own := {"t:phase.": self.phase, "t:claim.": self.claim, "link": self.interface}.get(format_spec):
            return own(str(value))
        if kind == "t":
            return self(f"{rest}{value}") if self.knows(f"{rest}{value}") else self.show(str(value), "load")
        text = str(super().format_field(value, "" if isinstance(value, str) else format_spec))
        return text.replace(".", self.format_of.decimal) if isinstance(value, float) and not format_spec else text

    def show(self, value: Any, shape: str) -> str:
        """Return a value in a shape of `numbers.SHAPES`, or a dash for None."""
        return self.format_field(value, shape)

    def ranged(self, ends: tuple[float, float], shape: str) -> str:
        """Return a range in a shape of `numbers.SHAPES`: `130,000 … 140,000`, or one value if both look alike."""
        return " … ".join(dict.fromkeys(self.show(end, shape) for end in ends))

    def date(self, at: float) -> str:
        """Return a Unix time as `21 November 2026, 00:48 UTC`."""
        when = datetime.fromtimestamp(at, UTC)
        month = self("date.months").split()[when.month - 1]
        return f"{when.day}{self.format_of.day} {month} {when.year}{self.format_of.year}, {when:%H:%M} UTC"

    def translated(self, text: str) -> str:
        """Translate a sentence of a run's record.

        Text without a key is a program's message, whose numbers are converted, or is from an old record, whose
        sentences are recognised. English has the present words of both.
        """
        if self.name == FIRST and key_of(text) == getattr(text, "key", ""):
            return text
        if isinstance(text, Sentence) and text.key:
            return self(f"{RECORD}{text.key}", **{name: self._value(value) for name, value in text.values.items()})
        return _translated(self.name, text)

    def source(self, text: str) -> str:
        """Return who published figures and when. A year alone is followed by its word: `2015 г.`."""
        return YEAR.sub(lambda match: match[0] + self.format_of.year, self.translated(text))

    def interface(self, text: str) -> str:
        """Return an interface as a drive states it, in units of this language: `SATA 6 Gbit/s` -> `SATA 6 Гбит/с`."""
        if self.name == FIRST:
            return text
        if text in STATED:
            return self(STATED[text])
        return self.converted(CACHE.sub(lambda match: self("header.cache_of", size=match[1]), text))

    def _value(self, value: Any) -> Any:
        """Return a value of a sentence. A part that is a sentence is translated, and a list is joined."""
        if isinstance(value, list | tuple):
            return [str(self._value(part)) for part in value]
        if isinstance(value, Sentence):
            return self.translated(value)
        return self.value(value) if isinstance(value, str) else value

    def converted(self, text: str) -> str:
        """Return a sentence with its numbers and dates in the format of this language."""
        return DATE.sub(self._dated, numbers.converted(self.format_of, text))

    def value(self, text: str) -> str:
        """Return a part of a sentence in the format of this language. It may be a bare number, such as `0.2`."""
        return text.replace(".", self.format_of.decimal) if BARE.fullmatch(text) else self.converted(text)

    def _dated(self, match: re.Match[str]) -> str:
        """Return a date in this language: `17 February 2016` -> `17 февраля 2016 г.`."""
        month = MONTHS.split("|").index(match[2])
        return f"{match[1]}{self.format_of.day} {self('date.months').split()[month]} {match[3]}{self.format_of.year}"


@cache
def texts(language: str) -> dict[str, str]:
    """Return every phrase by its key, in English if the language lacks it."""
    return phrases(language) if language == FIRST else {**phrases(FIRST), **phrases(language)}


@cache
def phrases(language: str) -> dict[str, str]:
    """Return the phrases of a language's file. A key is the sections and the name, joined by dots."""
    return dict(_flat("", _file(language)))


@cache
def formats(language: str) -> numbers.Format:
    """Return how a language writes numbers and dates: the part `format` of its file, with English names of loads."""
    own = _file(language).get("format", {})
    loads = _file(FIRST)["format"]["loads"] | own.get("loads", {})
    return untrusted.converted(own | {"loads": loads}, numbers.Format, f"the language file {language}.toml, format")


@cache
def _file(language: str) -> dict[str, Any]:
    data = (FOLDER / f"{language}.toml").read_bytes()
    return untrusted.toml(data, dict[str, Any], f"the language file {language}.toml")


@lru_cache(maxsize=4096)
def key_of(text: str) -> str:
    """Return the key of a sentence, or "" for other text. A sentence of an old record is recognised by its text."""
    if isinstance(text, Sentence) and text.key:
        return text.key
    return _recognised(text)[0]


@lru_cache(maxsize=4096)
def _translated(name: str, text: str) -> str:
    """Translate a sentence of an old record; cached, because a page repeats most sentences."""
    words = Language(name)
    key, parts = _recognised(text)
    if not key:
        return words.converted(text)
    values = {part: words.translated(words.value(value)) for part, value in parts.items()}
    return words.vformat(_templates(name)[key], (), values)


@cache
def _templates(name: str) -> dict[str, str]:
    """Return the sentences of old records by key as a page writes them, in English if the language has none."""
    old = _old(name)
    return {key: old.get(key) or texts(name).get(f"{RECORD}{key}", text) for key, text in _old("english").items()}


@lru_cache(maxsize=4096)
def _recognised(text: str) -> tuple[str, dict[str, str]]:
    """Return the key and the values of a sentence of an old record, or "" and no values for other text."""
    for key, english in _old("english").items():
        if text.startswith(english.partition("{")[0]) and (match := _pattern(english).fullmatch(text)):
            return key, match.groupdict()
    return "", {}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(text)), re.DOTALL)


@cache
def _old(part: str) -> dict[str, str]:
    """Return a part of `old.toml`, in its order."""
    return dict(_flat("", _old_file().get(part, {})))


@cache
def _old_file() -> dict[str, Any]:
    read: dict[str, Any] = msgspec.toml.decode((resources.files(__package__) / "old.toml").read_bytes())
    return read


def _flat(prefix: str, table: dict[str, Any]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, str):
            pairs.append((f"{prefix}{key}", value))
        elif (prefix, key) != ("", "format"):
            pairs += _flat(f"{prefix}{key}.", value)
    return pairs


class Sentence(str):
    """A sentence of a run's record: English text that keeps its key in the catalogue (`record.KEY`) and its values.

    A value is a string, a number, a sentence, or a list of them. A message of another program, and a sentence of an old
    record, has no key.
    """

    __slots__ = ("key", "values")

    key: str
    values: dict[str, Any]

    def __new__(cls, key: str, /, **values: Any) -> "Sentence":
        """Make a sentence from its key and values. Raise KeyError if there is no such key, or a value is missing."""
        words = Language(FIRST)
        parts = {name: words._value(value) for name, value in values.items()}
        sentence = super().__new__(cls, words(f"{RECORD}{key}", **parts).replace(numbers.NBSP, " "))
        sentence.key, sentence.values = key, values
        return sentence

    def __str__(self) -> str:
        """Return the sentence itself, so that an error made from it keeps its key."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Make it again from its data."""
        return sentence, (encoded(self),)


def text(words: str) -> Sentence:
    """Return text that no catalogue has, such as a message of another program, as a sentence without a key."""
    if isinstance(words, Sentence):
        return words
    made = str.__new__(Sentence, words)
    made.key, made.values = "", {}
    return made


NO_WORDS = text("")
"""The sentence of an event that has none."""


def encoded(value: Any) -> Any:
    """Return a sentence as it is recorded: its key and values, or its text without a key."""
    if not isinstance(value, Sentence):
        raise NotImplementedError(f"a record cannot hold {type(value).__name__}")
    return {"key": value.key, "values": value.values} if value.key else english(value)


def english(value: Any) -> str:
    """Return a sentence as English text, for files that hold no keys."""
    if not isinstance(value, Sentence):
        raise NotImplementedError(f"text cannot hold {type(value).__name__}")
    return str.__str__(value)


def sentence(recorded: Any) -> Sentence:
    """Return a sentence from recorded data. Raise ValueError if that is not a sentence.

    One of a newer stend, whose key is unknown here, becomes text: its key and its values.
    """
    match recorded:
        case "":
            return NO_WORDS
        case str():
            return text(recorded)
        case {"key": str(key), "values": dict(values), **rest} if not rest:
            parts = {str(name): _part(value) for name, value in values.items()}
            if not known(key):
                return text(f"{key}: {', '.join(f'{name} {value}' for name, value in parts.items())}")
            try:
                return Sentence(key, **parts)
            except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError) as error:
                raise ValueError(f"{key[:40]!r} with these values is not a sentence that this stend knows") from error
    raise ValueError("a sentence is text, or a key with values")


def _part(value: Any) -> Any:
    if isinstance(value, list):
        return [_part(part) for part in value]
    return sentence(value) if isinstance(value, dict) else value


def decoded(kind: type, value: Any) -> Any:
    """Return a value of a record as `kind`, for decoders."""
    if kind is not Sentence:
        raise NotImplementedError(f"a record has no {kind.__name__}")
    return sentence(value)


def schema(kind: type) -> dict[str, Any]:
    """Return the JSON Schema of a sentence, for the schema of a type that holds one."""
    if kind is not Sentence:
        raise NotImplementedError(f"there is no schema of {kind.__name__}")
    keyed = {"key": {"type": "string"}, "values": {"type": "object"}}
    return {"anyOf": [{"type": "string"}, {"type": "object", "properties": keyed, "required": ["key", "values"]}]}


def rewritten(sentence_: Sentence, by: Callable[[str], str]) -> Sentence:
    """Return a sentence with `by` applied to each text in it: to its values, or to the whole of one without a key."""
    if not sentence_.key:
        return text(by(english(sentence_)))
    return Sentence(sentence_.key, **{name: _rewritten(value, by) for name, value in sentence_.values.items()})


def _rewritten(value: Any, by: Callable[[str], str]) -> Any:
    if isinstance(value, Sentence):
        return rewritten(value, by)
    if isinstance(value, list | tuple):
        return [_rewritten(part, by) for part in value]
    return by(value) if isinstance(value, str) else value


def known(key: str) -> bool:
    """Return True if the catalogue has a sentence of records with this key."""
    return f"{RECORD}{key}" in texts(FIRST)
