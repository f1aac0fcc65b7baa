"""JSON schemas of the data of a site: data/index.json and data/drives/ID.json."""

from typing import Any

from stend.findings.look.figures import Direction, State
from stend.publish.ledger import Erratum, Withdrawn
from stend.report.parts.schemas import file, many, shape

KEY: Any = shape("KeyFigure", {"value": float, "usable": bool, "run": str})
COMMON: dict[str, Any] = {
    "id": str, "name": str, "maker": str, "interface": str, "class": str, "firmware": many(str), "virtual": bool,
    "reference": bool, "source": str, "ranked": bool, "profile": str, "capacity_bytes": int, "price": float | None,
    "currency": str, "watts": float | None, "samples": int, "review": str, "started_s": int, "uses": dict[str, str],
}  # fmt: skip


def every() -> dict[str, dict[str, Any]]:
    """Return the JSON schemas of the published files by file name."""
    return {"index": index(), "drive": drive()}


def index() -> dict[str, Any]:
    """Return the schema of data/index.json: all drives with their key figures in base units."""
    drive = shape("Drive", COMMON | {"key_figures": dict[str, KEY], "data": str, "errata": int})
    return file("Index", {"lab": str, "drives": many(drive)})


def drive() -> dict[str, Any]:
    """Return the schema of data/drives/ID.json: one drive, its figures, runs, errata and withdrawn runs."""
    texts = dict[str, str]
    figure: dict[str, Any] = {
        "id": str, "name": texts, "test": str, "phase": str, "state": State, "random_pct": int, "read_pct": int,
        "block": str, "threads": int, "depth": int, "place": int, "direction": Direction, "quantity": str,
        "value": float, "run": str,
    }  # fmt: skip
    run: dict[str, Any] = {
        "hash": str, "started_s": float, "stend": str, "profile": str, "firmware": str, "serial": str,
        "tests": many(str), "outcome": str, "stamps": many(str), "differs": many(str), "host": dict[str, str | int],
        "key_figures": dict[str, KEY],
    }  # fmt: skip
    fields = COMMON | {"verdict": texts, "why_not": dict[str, tuple[str, ...]], "key_figures": dict[str, KEY]}
    fields |= {"figures": many(shape("Figure", figure)), "runs": many(shape("Run", run))}
    return file("Drive", fields | {"errata": many(Erratum), "withdrawn": many(Withdrawn)})
