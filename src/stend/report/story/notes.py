"""Author's text and photos of a run: notes.md with one heading per chapter, photos named after the chapter."""

from collections.abc import Mapping
from pathlib import Path

from stend.base import regular, untrusted
from stend.base.errors import BadInput
from stend.report.parts import Photo
from stend.report.parts.sheet import SUFFIXES, read_photo

NAME = "notes.md"
Notes = Mapping[str, tuple[tuple[str, ...], tuple[Photo, ...]]]


def notes(folder: Path | None) -> Notes:
    """Return chapter -> (paragraphs, photos); "" is page one.

    `# saturation` in notes.md starts a chapter, `saturation-1.jpg` next to it is a photo of it.
    """
    if folder is None:
        return {}
    by_chapter: dict[str, tuple[tuple[str, ...], tuple[Photo, ...]]] = {}
    for chapter, texts in _texts(folder / NAME).items():
        by_chapter[chapter] = (texts, ())
    for path in sorted(p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and "-" in p.stem):
        chapter = path.stem.rpartition("-")[0]
        texts, photos = by_chapter.get(chapter, ((), ()))
        by_chapter[chapter] = (texts, (*photos, read_photo(path)))
    return by_chapter


def _texts(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the paragraphs under each heading. Those before the first heading are under ""."""
    if not regular.is_file(path):
        return {}
    try:
        text = untrusted.kept(path, "the author's notes").decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"the author's notes {path} are not UTF-8 text") from error
    chapter, paragraphs = "", dict[str, list[str]]()
    for block in text.replace("\r\n", "\n").split("\n\n"):
        text_of = block.strip()
        if text_of.startswith("#"):
            heading, _, text_of = text_of.partition("\n")
            chapter = heading.lstrip("# ").strip().lower()
        if text_of.strip():
            paragraphs.setdefault(chapter, []).append(" ".join(text_of.split()))
    return {name: tuple(blocks) for name, blocks in paragraphs.items()}
