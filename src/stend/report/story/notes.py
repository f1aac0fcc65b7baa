"""The author's own words and photos beside a run: notes.md with a heading for each chapter, pictures named after it."""

from collections.abc import Mapping
from pathlib import Path

from stend.base import regular, untrusted
from stend.base.errors import BadInput
from stend.report.parts import Photo
from stend.report.parts.sheet import SUFFIXES, read_photo

NAME = "notes.md"
Notes = Mapping[str, tuple[tuple[str, ...], tuple[Photo, ...]]]


def notes(folder: Path | None) -> Notes:
    """Chapter -> (paragraphs, pictures): `# saturation` in notes.md, `saturation-1.jpg` beside it; "" is page one's."""
    if folder is None:
        return {}
    told: dict[str, tuple[tuple[str, ...], tuple[Photo, ...]]] = {}
    for chapter, texts in _texts(folder / NAME).items():
        told[chapter] = (texts, ())
    for path in sorted(p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and "-" in p.stem):
        chapter = path.stem.rpartition("-")[0]
        texts, photos = told.get(chapter, ((), ()))
        told[chapter] = (texts, (*photos, read_photo(path)))
    return told


def _texts(path: Path) -> dict[str, tuple[str, ...]]:
    """Paragraphs under headings; those before the first are under ""."""
    if not regular.is_file(path):
        return {}
    try:
        text = untrusted.kept(path, "the author's notes").decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"the author's notes {path} are no UTF-8 text") from error
    chapter, found = "", dict[str, list[str]]()
    for block in text.replace("\r\n", "\n").split("\n\n"):
        said = block.strip()
        if said.startswith("#"):
            heading, _, said = said.partition("\n")
            chapter = heading.lstrip("# ").strip().lower()
        if said.strip():
            found.setdefault(chapter, []).append(" ".join(said.split()))
    return {name: tuple(blocks) for name, blocks in found.items()}
