"""A site: settings, an author's review, figures of other labs, the record of the last build; and whole builds."""

import contextlib
import datetime
import io
import re
import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from stend.cli import main
from stend.model import publications
from stend.publish import figures, lab, ledger, photos, prose, samples
from stend.words import Language
from tests.fuzz.files import FOLDER, SHEET
from tests.fuzz.target import Target, senseless, unprintable
from tests.labs import run
from tests.synthetic import Truth

HOME = FOLDER / "lab"
DAY = datetime.date(2026, 11, 25)
LAB = b"""name = "Lab"
address = "https://lab.example/"
languages = ["en", "ru"]
public = ["host"]
published = ["rivals.toml"]
[colours]
accent = "#0a6"
[text.en]
line = "Drives that are measured"
about = "We *measure*."
[ranking]
virtual = true
[embargo]
"Gamma 3" = 2030-01-01
[withdrawn]
"abcdef" = "the drive was broken"
[reviews]
"Alpha 1000" = "alpha"
"""
REVIEW = b"""+++
title = "A drive"
author = "A. Writer"
date = 2026-11-20
verdict = "Reads end at {reads}."
photographs = ["front.png"]
+++
First: {iops.4k.write} and {latency.4k.read.mean}, \\{not one}.

# saturation
It *falls* to {writes}. ![a photograph](front.png) [link](https://a.example/?b=1)

| a | b |
|---|---|
| 1 | {iops.128k.read} |

# A thought
<script>alert(1)</script> `code` [x](javascript:alert(1))
"""
RIVALS = b"""[p5510.about]
title = "P5510"
class = "nvme-server"
source = "a lab"
date = 2022-01-02
[p5510.iops]
"4K 100" = 700000
"8K 65" = [200000, 300000]
"""
KEPT = ("lab.toml", "alpha/drive.toml", "alpha/review.md", "rivals.toml")
PHOTO = b"\x89PNG\r\n\x1a\n" + b"".join(
    struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    for kind, data in (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"tEXt", b"Comment\0home"),
        (b"IDAT", zlib.compress(b"\0\0")),
        (b"IEND", b""),
    )
)
JPEG = b"\xff\xd8\xff\xe0\0\x04JF\xff\xe1\0\x08Exif12\xff\xda\0\x02pixels\xff\xd9"
MARKUP = re.compile(r"<script|(?:href|src)=\"\s*(?:javascript|vbscript):|<[^>]*\son\w+\s*=", re.IGNORECASE)


def _written(name: str, read: Callable[[Path], Any]) -> Callable[[bytes], Any]:
    def reading(data: bytes) -> Any:
        path = HOME / name
        path.write_bytes(data)
        return read(path)

    return reading


def _lab(path: Path) -> Any:
    read = lab.read(path)
    texts = [read.lab.name, *(text for words in read.lab.text.values() for text in msgspec.structs.astuple(words))]
    assert read.file(read.lab.logo or "x")
    return [], [read.lab.embargoed(("Gamma 3",), DAY), *texts]


def _reader() -> Callable[[Path], Any]:
    sample = samples.load(HOME / "runs/alpha", lab.Lab())
    review = sample.review(Language("en"))
    rows = [*figures.rows(sample)]
    keys: dict[str, dict[str, Any]] = {name: {"shown": "9"} for name in figures.key_figures(review)}
    resolve = prose.resolver(rows, keys, lambda row: f"{row.value:g}", "#run")

    def read(path: Path) -> Any:
        written = prose.read(sample, "en", resolve, "../photos/")
        assert written
        outside = [photo for photo in written.photographs if photo.parent != path.parent]
        assert not outside, outside
        return [], [written.head.title, written.head.verdict, *(name for name, _ in written.chapters)], written.chapters

    return read


def _shown(taken: Any) -> str:
    """Return what must not be in a page: markup of the author, and what no terminal may get."""
    numbers, texts, *chapters = taken
    unsafe = next((found[0] for _, text in (chapters or [()])[0] if (found := MARKUP.search(text))), "")
    return senseless(numbers) or unprintable("\n".join(map(str, texts))) or (f"{unsafe} is shown" if unsafe else "")


def _ledger(path: Path) -> Any:
    kept = ledger.read(path.parent)
    return [[shown.value for entry in kept.drives.values() for shown in entry.figures.values()], []]


def _rivals(path: Path) -> Any:
    return publications.known([path]), []


def _picture(data: bytes) -> Any:
    for kind in ("png", "jpeg"):
        again = photos.bare(kind, photos.bare(kind, data))
        assert again == photos.bare(kind, data), "a second look takes something out"
        assert len(again) <= len(data) + 2
    return [], []


def _built(data: bytes) -> Any:
    """Build a site of a good run with these bytes as one of its files."""
    runs, site = HOME / "build", HOME / "site"
    shutil.rmtree(runs, ignore_errors=True)
    shutil.copytree(HOME / "runs", runs)
    names = (*KEPT, "alpha/events.jsonl") if data.startswith(b"{") else KEPT
    name = names[len(data) % len(names)]
    (runs / name).write_bytes(data)
    if len(data) % 3:
        shutil.rmtree(site, ignore_errors=True)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["publish", str(runs), "--into", str(site), "--lab", str(runs / "lab.toml")])
    return code, out.getvalue(), err.getvalue()


def _wrong_build(taken: Any) -> str:
    code, out, err = taken
    if code not in (0, 2, 8):
        return f"publish: exit code {code}: {(err.strip().splitlines() or [''])[-1][:80]}"
    if code and not err.strip():
        return f"publish: exit code {code} without a sentence"
    return unprintable(out + err)


def targets() -> list[Target]:
    """All of them."""
    shutil.rmtree(HOME, ignore_errors=True)
    alpha = run(HOME / "runs/alpha", Truth(model="Alpha 1000"), names=("iops", "latency", "write-saturation"))
    for name, data in {"review.md": REVIEW, "drive.toml": SHEET, "front.png": PHOTO}.items():
        (alpha / name).write_bytes(data)
    for name, data in {"lab.toml": LAB, "rivals.toml": RIVALS}.items():
        (HOME / "runs" / name).write_bytes(data)
    code, _, err = _built(LAB.ljust(len(LAB) + (-len(LAB)) % len(KEPT), b"\n"))
    assert code == 0, err
    (HOME / "ledger").mkdir()
    last = (HOME / "site/published.json").read_bytes()
    events = (alpha / "events.jsonl").read_bytes()
    return [
        Target("lab.toml", "toml", [LAB], _written("lab.toml", _lab), _shown, 2),
        Target("review.md", "text", [REVIEW], _written("runs/alpha/review.md", _reader()), _shown, 2),
        Target("rivals", "toml", [RIVALS], _written("rivals.toml", _rivals), lambda taken: senseless(taken[0]), 2),
        Target("published.json", "json", [last], _written("ledger/published.json", _ledger), lambda taken: "", 1),
        Target("photograph", "text", [PHOTO, JPEG], _picture, _shown, 1),
        Target("site", "toml", [LAB, SHEET, RIVALS], _built, _wrong_build, 0.04),
        Target("site of a run", "jsonl", [events], _built, _wrong_build, 0.04),
        Target("site of a text", "text", [REVIEW], _built, _wrong_build, 0.04),
    ]
