"""Results of other tools, by every reader, as far as the run that is made of them and what a screen shows of it."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import msgspec

from stend import imports
from stend.cli import _summary
from stend.findings.look.figures import figures
from stend.imports import folder
from stend.imports.given import Given
from stend.model.events import Event, Source
from stend.model.quantities import QUANTITIES
from stend.model.record import Run
from stend.report.parts.records import rows
from stend.words import decoded, encoded
from tests.fuzz.target import Target, senseless, unprintable
from tests.imported import FORMATS, SAMPLES, ods

READ = msgspec.json.Decoder(Event, dec_hook=decoded)


def _taken(form: str, *, tree: bool = False) -> Callable[[bytes], Any]:
    def reading(data: bytes) -> Any:
        handed = Given("result", (("randread-4-1.json", data),), 1e9, folder=tree)
        for reader in imports.readers().values():
            reader.claims(handed)
        taken = imports.understood(handed, form, "result")
        source = Source(tool=taken.tool, version=taken.version, format=form, files=handed.digests)
        told = [
            READ.decode(msgspec.json.encode(event, enc_hook=encoded)) for event in folder.events(handed, taken, source)
        ]
        run = Run(told)
        shown = [*_summary.lines(run), folder.name(handed, taken)]
        values = [{name: row.value(name) for name in QUANTITIES} for row in figures(run)]
        return told, values, list(rows(run, "result")), shown

    return reading


def _wrong(taken: Any) -> str:
    told, values, records, shown = taken
    return senseless([told, values, records]) or unprintable("\n".join(shown))


def _packed(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", data)
    return made.getvalue()


def targets() -> list[Target]:
    """One a format, and ezFIO's sheet inside and outside of its archive."""
    found = []
    for form in sorted(set(FORMATS.values()) - {"bench-fio"}):
        names = [name for name, own in FORMATS.items() if own == form]
        seeds = [(SAMPLES / name).read_bytes() for name in names]
        found.append(Target(f"import {form}", "json" if form == "fio" else "text", seeds, _taken(form), _wrong, 4))
    tree = [path.read_bytes() for path in sorted((SAMPLES / "bench-fio").rglob("*.json"))]
    sheet = ods((SAMPLES / "ezfio.csv").read_text())
    with zipfile.ZipFile(io.BytesIO(sheet)) as archive:
        content = archive.read("content.xml")
    ezfio = _taken("ezfio")
    return [
        *found,
        Target("import bench-fio", "json", tree, _taken("bench-fio", tree=True), _wrong, 2),
        Target("import ods", "text", [sheet], ezfio, _wrong, 2),
        Target("import sheet", "text", [content], lambda data: ezfio(_packed(data)), _wrong, 2),
    ]
