"""lab.toml: the name and look of a site, its languages, and its rules of publication."""

import datetime
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from stend.base import limits, untrusted
from stend.base.errors import BadInput
from stend.base.text import did_you_mean, plain_all, plain_lines
from stend.words import LANGUAGES

Text = Annotated[str, msgspec.Meta(max_length=10_000)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Colour = Annotated[str, msgspec.Meta(pattern=r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})" + limits.END)]
Private = Literal["serial", "host", "paths", "notes", "label", "tested_by"]
"""Private facts of a run that a lab may publish by naming them."""
LOGOS = {".svg", ".png", ".jpg", ".jpeg", ".webp"}


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts of the lab in one language: a line below the name, the first page, the page about the lab."""

    line: Text = ""
    intro: Text = ""
    about: Text = ""


class Ranking(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rules for a place in the rankings: the required profile ("" for any), and whether virtual drives are shown."""

    profile: str = ""
    virtual: bool = False


class Lab(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a site.

    `address` is its public URL, which feeds and previews need. `embargo` maps drives (model or id) to the date from
    which they are shown, `withdrawn` maps runs (hash or name of the folder) to the reason, `reviews` maps drives to
    the run that is their review. `public` names private facts to publish, `sheet` other names of drive sheets.
    `published` are files of other labs' figures.
    """

    name: Name = "stend"
    logo: str = ""
    address: Annotated[str, msgspec.Meta(pattern=r"^(https?://[^\s<>\"']+)?" + limits.END)] = ""
    languages: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)] = LANGUAGES
    colours: dict[Literal["accent", "accent_dark"], Colour] = {}
    text: dict[str, Words] = {}
    ranking: Ranking = Ranking()
    embargo: dict[str, datetime.date] = {}
    withdrawn: dict[str, Name] = {}
    reviews: dict[str, Name] = {}
    public: tuple[Private, ...] = ()
    sheet: tuple[Name, ...] = ()
    published: tuple[str, ...] = ()

    def words(self, lang: str) -> Words:
        """Return the texts in a language, or in the first one of the site that has any."""
        return next((self.text[name] for name in (lang, *self.languages) if name in self.text), Words())

    def embargoed(self, names: tuple[str, ...], today: datetime.date) -> datetime.date | None:
        """Return the date from which a drive with these names is shown, or None if it may be shown today."""
        dates = [date for name, date in self.embargo.items() if name in names and date > today]
        return max(dates, default=None)


class Read(msgspec.Struct, frozen=True):
    """The settings of a site, the folder that their paths are relative to, and their text for the key of a build."""

    lab: Lab = Lab()
    folder: Path = Path()
    text: bytes = b""

    def file(self, name: str) -> Path:
        """Return the path of a file that the settings name."""
        return self.folder / name


def read(path: Path | None) -> Read:
    """Read lab.toml, or return the defaults without one. Raise BadInput with the line of what is wrong."""
    if path is None:
        return Read()
    data, values = untrusted.read(path, "the settings of the lab"), dict[str, Any]()
    try:
        values = msgspec.toml.decode(data)
        lab = msgspec.convert(plain_all(values, plain_lines), Lab)
    except untrusted.BROKEN as error:
        raise BadInput(f"{path}{_line(data, values, error)}: {_sentence(error)}") from error
    for lang in (*lab.languages, *lab.text):
        if lang not in LANGUAGES:
            where = _found(data, lang)
            raise BadInput(f"{path}{where}: there is no language {lang!r}; there are {', '.join(LANGUAGES)}")
    if lab.logo and Path(lab.logo).suffix.lower() not in LOGOS:
        raise BadInput(f"{path}{_found(data, 'logo')}: the logo must be a file of {', '.join(sorted(LOGOS))}")
    return Read(lab, path.parent, data)


def _sentence(error: Exception) -> str:
    text = untrusted.sentence(error)
    if unknown := re.search(r"unknown field `(\w+)`", text):
        known = (*Lab.__struct_fields__, *Ranking.__struct_fields__, *Words.__struct_fields__)
        return f"there is no setting {unknown[1]!r}{did_you_mean(unknown[1], known, 'the how-to page lists them')}"
    return text


def _line(data: bytes, values: dict[str, Any], error: Exception) -> str:
    """Return `, line 12` of the setting that an error names, or ""."""
    text = str(error)
    if "at line" in text:
        return ""
    quoted = re.findall(r"field `(\w+)`", text) or re.findall(r"value '([^']*)'", text)
    names = quoted or re.findall(r"[\w-]+", text.rpartition(" - at `")[2])
    if names and "[...]" in text:
        names = [name for name in values.get(names[0], {}) if not _fits(names[0], name, values)] or names
    return _found(data, names[-1]) if names else ""


def _fits(setting: str, name: str, values: dict[str, Any]) -> bool:
    """Return whether one entry of a table of the settings is valid."""
    try:
        msgspec.convert({setting: {name: values[setting][name]}}, Lab)
    except untrusted.BROKEN:
        return False
    return True


def _found(data: bytes, name: str) -> str:
    """Return `, line 12` of the first line that sets or quotes a name, or ""."""
    pattern = re.compile(rf"^\s*(\[[\w.\"-]*)?[\"']?{re.escape(name)}[\"']?\s*[=\].]|[\"']{re.escape(name)}[\"']")
    lines = data.decode(errors="replace").splitlines()
    number = next((n for n, line in enumerate(lines, 1) if pattern.search(line)), 0)
    return f", line {number}" if number else ""
