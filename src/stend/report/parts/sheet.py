"""The drive sheet beside a run: what the box and the shop say, and a photo."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from stend.errors import BadInput
from stend.findings import Sheet
from stend.findings.language import Language
from stend.report.parts import Photo, Table
from stend.units import MiB, binary

NAMES = ("drive.toml", "sheet.toml")
PHOTO = "photo"
MOST_BYTES = 8 * MiB
"""The page carries the photo."""
BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}
SUFFIXES = (".png", ".jpg", ".jpeg")


def sheet(folder: Path | None) -> Sheet:
    """The drive sheet of a run folder; {} where there is none."""
    path = next((folder / name for name in NAMES if (folder / name).is_file()), None) if folder else None
    return read_sheet(path) if path else {}


def read_sheet(path: Path) -> Sheet:
    """A drive sheet; BadInput says what is wrong with it."""
    try:
        return msgspec.toml.decode(path.read_bytes(), type=dict[str, Any])
    except OSError as error:
        raise BadInput(f"the drive sheet {path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"the drive sheet {path} cannot be used: {error}") from error


def keep(path: Path, folder: Path) -> None:
    """Put a sheet and its photo into a run folder; BadInput, with nothing written, if either cannot be used."""
    facts, files = read_sheet(path), [(path, NAMES[0])]
    if PHOTO in facts:
        own = path.parent.resolve() == folder.resolve()
        file = _kept(folder, facts) if own else path.parent / _said(facts)
        _read(file)
        files.append((file, file.name))
    for file, name in files:
        if file.resolve() != (folder / name).resolve():
            shutil.copyfile(file, folder / name)


def photo(folder: Path | None, facts: Sheet) -> Photo | None:
    """The photo that a sheet names, kept beside it or where it says; BadInput if it is none that a page can show."""
    return _read(_kept(folder, facts)) if folder and PHOTO in facts else None


def _said(facts: Sheet) -> str:
    said = facts[PHOTO]
    if not isinstance(said, str) or Path(said).suffix.lower() not in SUFFIXES:
        raise BadInput(f"the drive sheet's photo {said!r} must be the name of a PNG or JPEG file")
    return said


def _kept(folder: Path, facts: Sheet) -> Path:
    """Where a run folder has it: under its bare name, or where the sheet says."""
    said = _said(facts)
    beside = folder / Path(said).name
    return beside if beside.is_file() else folder / said


def _read(path: Path) -> Photo:
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise BadInput(f"the photo {path} has {binary(size)}; a page carries at most {binary(MOST_BYTES)}")
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"the photo {path} cannot be read: {error.strerror}") from error
    kind = next((kind for beginning, kind in BEGINNINGS.items() if data.startswith(beginning)), None)
    if not kind:
        raise BadInput(f"the photo {path} is neither PNG nor JPEG")
    return Photo(kind, data)


def characteristics(facts: Sheet, words: Language) -> Iterator[Table]:
    """What the drive sheet says of the drive, the claims in a table of their own."""
    pair = (words("table.item"), words("table.value"))
    plain = {k: v for k, v in facts.items() if not isinstance(v, dict | list) and k != PHOTO}
    if plain:
        rows = ((k, words.show(v, "gb") if k.endswith("_bytes") else str(v)) for k, v in plain.items())
        yield Table(words("page.sheet_title"), pair, tuple((words.name_of("sheet", k), v) for k, v in rows))
    if claimed := facts.get("claimed"):
        rows = ((k, f"{words.show(v, 'n')}{claim_unit(k, words)}") for k, v in claimed.items())
        yield Table(words("page.characteristics"), pair, tuple((words.name_of("claim", k), v) for k, v in rows))


def claim_unit(key: str, words: Language) -> str:
    """The unit at the end of a claim's name, as people write it."""
    if key.endswith("_MB"):
        return " " + words("unit.throughput")
    if key.endswith("_us"):
        return " " + words("unit.us")
    return " IOPS" if key.startswith("rand_") else ""
