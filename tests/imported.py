"""Samples of other tools' results, and runs made of them."""

import io
import zipfile
from pathlib import Path

from stend import imports, store
from stend.findings.look.figures import Figures, figures
from stend.imports import folder as folders
from stend.model.record import Run

SAMPLES = Path(__file__).parent / "fixtures" / "imports"
FORMATS = {
    "bench-fio": "bench-fio",
    "crystaldiskmark-5.txt": "diskmark",
    "crystaldiskmark.txt": "diskmark",
    "diskplorer.json": "diskplorer",
    "diskspd-linux.txt": "diskspd-text",
    "diskspd.txt": "diskspd-text",
    "diskspd.xml": "diskspd-xml",
    "elbencho.csv": "elbencho",
    "ezfio.csv": "ezfio",
    "fio-2.1.10.json": "fio",
    "fio-2.21.json": "fio",
    "fio-3.33-plus.json": "fio",
    "fio-3.33.json": "fio",
    "fio-3.42.json": "fio",
    "iometer.csv": "iometer",
    "kdiskmark.txt": "diskmark",
    "tkperf.xml": "tkperf",
}
"""Made on this project's hosts by fio (four versions), bench-fio and diskspd for Linux. That of diskplorer has rates
and percentiles of eight of the 441 cells of a published result (m7gd.4xlarge, scylladb/diskplorer 658a85a), no bins.
The others are written from the documented form of each format, with round numbers."""


def imported(place: Path, top: Path) -> Path:
    handed, form, taken = imports.taken_from(place)
    return folders.write(handed, form, taken, top)


def run_of(name: str, top: Path) -> Run:
    return store.load(imported(SAMPLES / name, top))


def told(cell: str) -> str:
    """As ezFIO writes a cell of its sheet: every number with a decimal point."""
    try:
        return str(float(cell))
    except ValueError:
        return cell


def ods(table: str) -> bytes:
    rows = ""
    for line in table.strip().split("\n"):
        cells = "".join(f"<table:table-cell><text:p>{told(c)}</text:p></table:table-cell>" for c in line.split(","))
        empty = '<table:table-cell table:number-columns-repeated="1013"/>'
        rows += f"<table:table-row>{cells}{empty}</table:table-row>"
    rows += '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    sheet = f'<table:table table:name="Tests">{rows}</table:table>'
    content = f"<office:document-content {spaces}>{sheet}</office:document-content>"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr("content.xml", content)
    return made.getvalue()


def loads(run: Run) -> dict[str, Figures]:
    return {f"{row.phase} {row.workload.label}": row for row in figures(run) if row.direction == "both"}


def at(row: Figures) -> tuple[float, float, float | None, float | None]:
    return row.iops, row.number("throughput"), row.value("mean"), row.value("p99.9")
