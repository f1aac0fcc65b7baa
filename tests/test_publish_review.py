"""The author's review of a published drive: text between the chapters, figures from the run, photographs."""

import re
import struct
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend import publish
from stend.base.errors import BadInput
from stend.many.sides import Key
from stend.publish import lab as settings
from stend.publish import photos, prose
from tests.labs import run
from tests.test_publish import BETA, DAY, details, truth

pytestmark = pytest.mark.together
HEAD = """+++
title = "Beta under load"
author = "A. Writer"
date = 2026-11-20
verdict = "Writes end at {iops.4k.write}."
photographs = ["front.png"]
+++
"""


def png(text: bytes = b"") -> bytes:
    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = part(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    more = part(b"tEXt", text) if text else b""
    return b"\x89PNG\r\n\x1a\n" + head + more + part(b"IDAT", zlib.compress(b"\0\0")) + part(b"IEND", b"")


def published(tmp_path: Path, text: str, lang: str = "", *, beside: dict[str, bytes] | None = None) -> Path:
    folder = tmp_path / "runs/beta"
    if not folder.exists():
        run(folder, truth("Beta 2000", iops=30_000), names=("iops", "latency", "write-saturation"))
    (folder / f"review{lang}.md").write_text(text)
    for name, data in (beside or {}).items():
        (folder / name).write_bytes(data)
    built = publish.build([folder], tmp_path / "site", settings.Read(), DAY, workers=1)
    if built.broken:
        raise BadInput(built.broken[0].why)
    return tmp_path / "site"


def page(site: Path, lang: str = "en") -> str:
    return (site / lang / "drives" / f"{BETA}.html").read_text()


def test_every_picture_of_a_page_has_words_for_who_does_not_see_it(tmp_path: Path) -> None:
    text, files = HEAD + "\n![The label](label.png)\n", dict.fromkeys(("front.png", "label.png", "sheet.png"), png())
    published(tmp_path, text, beside=files)
    site = published(tmp_path, text, beside={"drive.toml": b'photo = "sheet.png"\n'})
    alts = [re.findall(r' alt="([^"]*)"', one) for one in re.findall(r"<img[^>]*photos/[^>]*>", page(site))]
    assert len(alts) == 3
    assert all(alt and alt[0] for alt in alts), alts
    assert sorted(alts) == [["Beta 2000"], ["Beta 2000"], ["The label"]]


def test_text_stands_between_the_chapters_and_its_figures_are_of_the_run(tmp_path: Path) -> None:
    text = HEAD + (
        "On the first screen: {reads}.\n\n# saturation\nIt ends at {writes} and *falls*, "
        "{latency.4k.write.mean} alone.\n\n# A thought\nMore.\n"
    )
    site = published(tmp_path, text, beside={"front.png": png(b"Comment\0taken at home")})
    rows = {str(row["id"]): row for row in details(site, "en", BETA)["rows"]}
    writes = next(
        row for name, row in rows.items() if name.startswith("iops|rounds|window|100|0|4K") and name.endswith("|iops")
    )
    waits = next(
        row
        for name, row in rows.items()
        if name.startswith("latency|rounds-q1|window|100|0|4K") and name.endswith("|mean")
    )
    html = page(site)
    assert f"Writes end at {writes['shown']}" in html
    assert str(waits["shown"]) in html
    saturation = html.index('id="saturation"')
    assert html.index("On the first screen") < html.index('id="contents"') < saturation
    assert saturation < html.index("<em>falls</em>") < html.index("A thought", saturation) < html.index('id="method"')
    assert '<a href="#run-' in html[html.index("On the first screen") :][:200]
    assert "A. Writer" in html
    assert "Beta under load" in html
    photo = site / f"photos/{BETA}-front.png"
    assert b"taken at home" not in photo.read_bytes()
    assert photo.read_bytes() == png()


def test_each_language_has_its_own_text(tmp_path: Path) -> None:
    published(tmp_path, "Words of England.\n")
    site = published(tmp_path, "Слова России: {reads}.\n", ".ru")
    assert "Words of England" in page(site)
    assert "Слова России" in page(site, "ru")
    assert "Words of England" not in page(site, "ru")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One.\n\nTwo {iops.4k.wriet}.\n", r"review.md, line 3: \{iops.4k.wriet\} fits no figure"),
        ("{iop.4k.write}\n", r"line 1: there is no figure \{iop.4k.write\}; did you mean 'iops'"),
        ("\n{iops.4k}\n", r"line 2: \{iops.4k\} is 3 figures"),
        ("+++\ntitle = 'x'\ncolour = 'y'\n+++\n", r"line 3: .*unknown field `colour`"),
        ("+++\ntitle = 'x'\n", r"line 1: the head that begins"),
        ("+++\nverdict = '{nothing}'\n+++\n", r"verdict: there is no figure"),
        ("+++\nphotographs = ['../secret.png']\n+++\n", r"must be the name of a PNG or JPEG file beside"),
        ("Text\n\n![a](https://elsewhere.example/x.png)\n", r"line 3: the photograph .* must be the name"),
        ("![a](gone.png)\n", r"line 1: the photograph 'gone.png' is not a file beside"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        published(tmp_path, text)


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("latency.4k.read.mean", "100 both"),
        ("latency.4k.reads.mean", "100 both"),
        ("latency.4k.write.mean", "0 both"),
        ("latency.4k.65/35.read.mean", "65 read"),
        ("latency.4k.65_35.write.mean", "65 write"),
        ("latency.4k.mean", r"is 3 figures .*; add words, such as a mix \(65/35\)"),
        ("latency.8k.read.mean", "65 read"),
    ],
)
def test_reads_are_those_of_a_load_of_reads_alone_before_those_of_a_mix(reference: str, found: str) -> None:
    """The latency test of the PTS holds reads, writes and a mix of both."""
    loads = [(100, "both"), (65, "both"), (65, "read"), (65, "write"), (0, "both")]
    keys = [Key("latency", "rounds-q1", "window", 100, pct, "4K", 1, 1, 0, way) for pct, way in loads]
    keys.append(Key("latency", "rounds-q1", "window", 100, 65, "8K", 1, 1, 0, "read"))
    rows: Any = [SimpleNamespace(key=key, quantity="mean") for key in keys]
    find = prose.resolver(rows, {}, lambda row: f"{row.key.read_pct} {row.key.direction}", "#")
    if not found.startswith("is"):
        assert find(reference) == (found, "#")
        return
    with pytest.raises(KeyError, match=found):
        find(reference)


@pytest.mark.parametrize("mark", ["\u202e", r"\u202e"])
def test_a_mark_that_turns_text_around_is_shown_as_its_number_in_the_head_too(tmp_path: Path, mark: str) -> None:
    (tmp_path / "review.md").write_text(f'+++\nverdict = "Slow{mark}evil."\n+++\nThis{mark}too.\n')
    sample: Any = SimpleNamespace(folder=tmp_path)
    written = prose.read(sample, "en", lambda name: (name, "#"), "")
    assert written
    assert written.head.verdict == r"Slow\u202eevil."
    assert "\u202e" not in str(written.chapters)


def test_a_brace_that_is_no_reference_stays(tmp_path: Path) -> None:
    site = published(tmp_path, "As `{ a: b }` and \\{iops.4k.wriet}.\n")
    assert "{ a: b }" in page(site)
    assert "{iops.4k.wriet}" in page(site)


def test_pictures_that_a_camera_appended_are_left_out() -> None:
    """A telephone appends further pictures (CIPA DC-007), each with its own metadata; a progressive one has scans."""
    scan = b"\xff\xda\x00\x03s\x11\xff\x00\x22\xff\xd0\x33"
    table = b"\xff\xc4\x00\x04\xff\xd9"  # the bytes of a table may look like the end
    picture = b"\xff\xd8" + scan + table + scan + b"\xff\xd9"
    again = b"\xff\xd8\xff\xe1\x00\x0aGPS-HOME" + scan + b"\xff\xd9"
    assert photos.bare("jpeg", picture + again) == picture


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"1",
        b"\xff",
        b"\xff\xd8\xff\xe0\x00\x00GPS",
        b"\xff\xd8\xff\xe1\x00\xffGPS-HOME",
        b"\xff\xd8\xff\xda\xff\xff\xff\xe1\x00\x0aGPS-HOME\xff\xd9",
        b"\xff\xd8" + b"\xff" * 9 + b"\xff\xe1\x00\x0aGPS-HOME\xff\xd9",
    ],
)
def test_a_damaged_photograph_is_returned_up_to_the_damage(data: bytes) -> None:
    bare = photos.bare("jpeg", data)
    assert b"GPS" not in bare
    assert photos.bare("jpeg", bare) == bare


KEPT = (0xC0, 0xC4, 0xCF, 0xDB, 0xDD, 0xDF, 0xE0, 0xE2, 0xEE, 0xF0)
"""Frames, tables and intervals (ITU T.81, table B.1); JFIF, the colour profile and Adobe's colour transform."""
LOST = (0xE1, 0xE3, 0xED, 0xEF, 0xFE)
"""Exif and XMP, makers' own, Photoshop's, and comments."""
SEGMENT = st.tuples(st.sampled_from(KEPT + LOST), st.binary(max_size=40))
SCANNED = st.lists(st.sampled_from([b"a", b"\x00", b"\xff\x00", b"\xff\xd0", b"\xff\xd7"]), max_size=9).map(b"".join)
SCANS = st.lists(st.tuples(SCANNED, st.lists(SEGMENT, max_size=2)), max_size=3)
CHUNK = st.tuples(
    st.sampled_from([b"IHDR", b"IDAT", b"iCCP", b"IEND", b"tEXt", b"eXIf", b"tIME"]), st.binary(max_size=40)
)


def segment(mark: int, content: bytes) -> bytes:
    return bytes((0xFF, mark)) + (len(content) + 2).to_bytes(2, "big") + content


@given(st.lists(SEGMENT, max_size=5), SCANS, st.binary(max_size=9), st.integers(0, 3), st.data())
def test_a_jpeg_keeps_what_its_look_depends_on(
    head: list[Any], scans: list[Any], behind: bytes, fill: int, data: st.DataObject
) -> None:
    whole = kept = b"\xff\xd8"
    for scanned, segments in [(None, head), *scans]:
        scan = b"" if scanned is None else segment(0xDA, b"s") + scanned
        whole, kept = whole + scan, kept + scan
        for mark, content in segments:
            whole += (b"\xff" * fill if scanned is None else b"") + segment(mark, content)
            kept += segment(mark, content) if mark in KEPT else b""
    whole += b"\xff\xd9" + behind
    assert photos.bare("jpeg", whole) == kept + b"\xff\xd9"
    cut = photos.bare("jpeg", whole[: data.draw(st.integers(0, len(whole)))])
    assert kept.startswith(cut[:-2])


@given(st.lists(CHUNK, max_size=6), st.data())
def test_a_png_keeps_what_its_look_depends_on(chunks: list[Any], data: st.DataObject) -> None:
    parts = [len(content).to_bytes(4, "big") + kind + content + b"crc4" for kind, content in chunks]
    whole = b"\x89PNG\r\n\x1a\n" + b"".join(parts)
    kept = whole[:8] + b"".join(part for part in parts if part[4:8] not in (b"tEXt", b"eXIf", b"tIME"))
    assert photos.bare("png", whole) == kept
    assert kept.startswith(photos.bare("png", whole[: data.draw(st.integers(0, len(whole)))]))
