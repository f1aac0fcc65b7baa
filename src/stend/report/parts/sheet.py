"""The drive sheet beside a run: what the box and the shop say, and a photo."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli_w

from stend.base import atomic, limits, regular, untrusted
from stend.base.errors import BadInput
from stend.base.units import MiB, binary
from stend.findings import Sheet
from stend.findings.look.claimed import meaning
from stend.model.published import PREFIX, published
from stend.report.parts import Photo, Table
from stend.store import SHEETS
from stend.words import Language

PHOTO = "photo"
KNOWN: dict[str, Any] = {
    PHOTO: Any,
    "price": limits.Positive,
    "currency": limits.Name,
    "endurance_tbw": limits.Positive,
    "endurance_dwpd": limits.Positive,
    "warranty_years": limits.Positive,
    "power_loss_protection": bool,
    "interface": limits.Name,
    "peers": list[limits.Name],
    "claimed": dict[limits.Name, limits.Positive],
}
"""What the report reckons with; all other names are shown as they are."""

MOST_BYTES = 8 * MiB
"""The page carries the photo."""
BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}
SUFFIXES = (".png", ".jpg", ".jpeg")


def sheet(folder: Path | None) -> Sheet:
    """The drive sheet of a run folder; {} where there is none."""
    path = next((folder / name for name in SHEETS if regular.is_file(folder / name)), None) if folder else None
    return read_sheet(path) if path else {}


def read_sheet(path: Path) -> Sheet:
    """A drive sheet; BadInput says what is wrong with it. Words of any other name are kept, tables are not."""
    what = f"the drive sheet {path}"
    facts = untrusted.toml(untrusted.read(path, "the drive sheet"), dict[str, Any], what)
    for key, value in facts.items():
        known = KNOWN.get(key) or (limits.Count if key.endswith("_bytes") else Any)
        if known is Any and isinstance(value, dict | list):
            raise BadInput(f"{what} has a table or list {key!r}; `[claimed]` and `peers` are the only ones")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        untrusted.converted(value, limits.Number if known is Any and number else known, f"{what}: {key}")
    return facts


def keep(name: str, folder: Path) -> None:
    """Put a sheet (a file, or `published:NAME`) and its photo into a run folder.

    BadInput, with nothing written, if either cannot be used.
    """
    if name.startswith(PREFIX):
        atomic.write(folder / SHEETS[0], tomli_w.dumps(published_sheet(name)).encode())
        return
    path = Path(name)
    facts, files = read_sheet(path), [(path, SHEETS[0])]
    if PHOTO in facts:
        own = path.parent.resolve() == folder.resolve()
        file = _kept(folder, facts) if own else path.parent / _said(facts)
        read_photo(file)
        files.append((file, file.name))
    for file, kept in files:
        if file.resolve() != (folder / kept).resolve():
            atomic.write(folder / kept, file.read_bytes())


def published_sheet(name: str) -> Sheet:
    """Return what was published of the maker's data of `published:NAME`; BadInput if nothing was."""
    known = {key: facts["sheet"] for key, facts in published().items() if "sheet" in facts}
    if (key := name.removeprefix(PREFIX)) not in known:
        raise BadInput(f"no drive sheet of {key!r} is published; there are {', '.join(known)}")
    sheet: Sheet = known[key]
    return sheet


def photo(folder: Path | None, facts: Sheet) -> Photo | None:
    """The photo that a sheet names, kept beside it or where it says; BadInput if it is none that a page can show."""
    return read_photo(_kept(folder, facts)) if folder and PHOTO in facts else None


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


def read_photo(path: Path) -> Photo:
    """A PNG or JPEG file; BadInput if it is none that a page can show."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise BadInput(f"the photo {path} has {binary(size)}; a page carries at most {binary(MOST_BYTES)}")
        data = regular.read(path, MOST_BYTES)
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
        strange = [key for key in claimed if not meaning(key) and not words.knows(f"claim.{key}")]
        note = words("page.claims_unknown", names=", ".join(strange)) if strange else ""
        told = tuple((words.name_of("claim", k), v) for k, v in rows)
        yield Table(words("page.characteristics"), pair, told, note=note)


def claim_unit(key: str, words: Language) -> str:
    """The unit at the end of a claim's name, as people write it."""
    if key.endswith("_MB"):
        return " " + words("unit.throughput")
    if key.endswith("_us"):
        return " " + words("unit.us")
    return " IOPS" if key.startswith("rand_") else ""
