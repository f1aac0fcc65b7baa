"""Drive sheet of a run: the maker's and the shop's data, and a photo."""

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
"""Names that reports compute with. All other names are shown as they are."""

MOST_BYTES = 8 * MiB
"""The page embeds the photo."""
BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}
SUFFIXES = (".png", ".jpg", ".jpeg")


def sheet(folder: Path | None) -> Sheet:
    """Return the drive sheet of a run folder, or {} without one."""
    path = next((folder / name for name in SHEETS if regular.is_file(folder / name)), None) if folder else None
    return read_sheet(path) if path else {}


def read_sheet(path: Path) -> Sheet:
    """Return a drive sheet. Raise BadInput with the reason if it is invalid.

    Values of unknown names are kept, tables and lists of unknown names are refused.
    """
    what = f"the drive sheet {path}"
    facts = untrusted.toml(untrusted.read(path, "the drive sheet"), dict[str, Any], what)
    for key, value in facts.items():
        known = KNOWN.get(key) or (limits.Count if key.endswith("_bytes") else Any)
        if known is Any and isinstance(value, dict | list):
            raise BadInput(f"{what} has a table or list {key!r}; only `[claimed]` and `peers` are allowed")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        untrusted.converted(value, limits.Number if known is Any and number else known, f"{what}: {key}")
    if "price" in facts and "currency" not in facts:
        raise BadInput(f'{what} has a price without a currency; add one, such as currency = "EUR"')
    return facts


def keep(name: str, folder: Path) -> None:
    """Put a sheet (a file, or `published:NAME`) and its photo into a run folder.

    Raise BadInput, with nothing written, if either cannot be used.
    """
    if name.startswith(PREFIX):
        atomic.write(folder / SHEETS[0], tomli_w.dumps(published_sheet(name)).encode())
        return
    path = Path(name)
    facts, files = read_sheet(path), [(path, SHEETS[0])]
    if PHOTO in facts:
        inside = path.parent.resolve() == folder.resolve()
        file = _kept(folder, facts) if inside else path.parent / _photo_name(facts)
        read_photo(file)
        files.append((file, file.name))
    for file, kept in files:
        if file.resolve() != (folder / kept).resolve():
            atomic.write(folder / kept, file.read_bytes())


def published_sheet(name: str) -> Sheet:
    """Return the published maker's data of `published:NAME`. Raise BadInput for an unknown name."""
    known = {key: facts["sheet"] for key, facts in published().items() if "sheet" in facts}
    if (key := name.removeprefix(PREFIX)) not in known:
        raise BadInput(f"there is no published drive sheet {key!r}; there are {', '.join(known)}")
    sheet: Sheet = known[key]
    return sheet


def photo(folder: Path | None, facts: Sheet) -> Photo | None:
    """Return the photo that a sheet names, or None. Raise BadInput if a page cannot show it."""
    return read_photo(_kept(folder, facts)) if folder and PHOTO in facts else None


def _photo_name(facts: Sheet) -> str:
    name = facts[PHOTO]
    if not isinstance(name, str) or Path(name).suffix.lower() not in SUFFIXES:
        raise BadInput(f"the drive sheet's photo {name!r} must be the name of a PNG or JPEG file")
    return name


def _kept(folder: Path, facts: Sheet) -> Path:
    """Return the photo's path in a run folder: its bare name if that exists, else the path in the sheet."""
    name = _photo_name(facts)
    beside = folder / Path(name).name
    return beside if beside.is_file() else folder / name


def read_photo(path: Path) -> Photo:
    """Return the photo in a PNG or JPEG file. Raise BadInput if a page cannot show it."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise BadInput(f"the photo {path} has {binary(size)}; use one of at most {binary(MOST_BYTES)}")
        data = regular.read(path, MOST_BYTES)
    except OSError as error:
        raise BadInput(f"the photo {path} cannot be read: {error.strerror}") from error
    kind = next((kind for beginning, kind in BEGINNINGS.items() if data.startswith(beginning)), None)
    if not kind:
        raise BadInput(f"the photo {path} is neither PNG nor JPEG; convert it to one of them")
    return Photo(kind, data)


def characteristics(facts: Sheet, words: Language) -> Iterator[Table]:
    """Yield a table of the drive sheet's data, and one of its claims."""
    pair = (words("table.item"), words("table.value"))
    plain = {k: v for k, v in facts.items() if not isinstance(v, dict | list) and k != PHOTO}
    if plain:
        rows = tuple((words.name_of("sheet", key), _value(key, value, words)) for key, value in plain.items())
        yield Table(words("page.sheet_title"), pair, rows)
    if claimed := facts.get("claimed"):
        figures = ((k, f"{words.show(v, 'n')}{claim_unit(k, words)}") for k, v in claimed.items())
        strange = [key for key in claimed if not meaning(key) and not words.knows(f"claim.{key}")]
        note = words("page.claims_unknown", names=", ".join(strange)) if strange else ""
        claims = tuple((words.claim(k), v) for k, v in figures)
        yield Table(words("page.characteristics"), pair, claims, note=note)


def _value(key: str, value: Any, words: Language) -> str:
    """Return a value of a drive sheet as text; that of a class or a bool in words."""
    if key.endswith("_bytes"):
        return words.show(value, "gb")
    if words.knows(known := f"sheet.{key}_{value}"):
        return words(known)
    return words.interface(value) if isinstance(value, str) else words.value(str(value))


def claim_unit(key: str, words: Language) -> str:
    """Return the unit of a claim from the suffix of its name, as a reader expects it."""
    if key.endswith("_MB"):
        return " " + words("unit.throughput")
    if key.endswith("_us"):
        return " " + words("unit.us")
    return " IOPS" if key.startswith("rand_") else ""
