"""JSON schemas of reports about many drives: lot and sweep. The modules that they need are loaded only here."""

from typing import Any, get_type_hints

from stend.report.parts.schemas import file, many, reasons, record, shape


def lot() -> dict[str, Any]:
    """Return the schema of lot.json: distributions, odd drives with evidence, the lot's verdict, in base units."""
    from stend.many.batch.verdict import Verdict
    from stend.many.sides import Key

    place = {"key": record(Key), "quantity": str}
    spread: Any = {"drives": int, "median": float, "deviation": float, "values": dict[str, float]}
    far: Any = many(shape("Evidence", place | {"ratio": float, "distance": float, "p_holm": float}))
    broken: Any = many(shape("Broken", {"limit": str, "value": float | None, "bound": float}))
    counts = dict.fromkeys(("sample", "accept", "judged", "missing", "more"), int)
    accepted = {"verdict": Verdict, "lot": int | None, "bad": dict[str, broken]} | counts
    fields = {"drives": many(shape("Drive", {"name": str, "runs": many(str)})), "notes": reasons()}
    fields |= {"figures": many(shape("Figure", place | spread)), "odd": dict[str, far]}
    apart: Any = {"drives": many(str), "ratio": float, "gap": float, "p_holm": float, "differs": many(str)}
    fields |= {"groups": shape("Groups", place | apart) | None}
    return file("Batch", fields | {"acceptance": shape("Acceptance", accepted) | None})


def inspection() -> dict[str, Any]:
    """Return the schema of `stend inspect --json`: drives, the worst first, with verdicts and reasons."""
    from stend.many.incoming import Row

    fields: dict[str, Any] = dict(get_type_hints(Row))
    drive: Any = shape("Drive", fields | {"reasons": many(dict[str, Any])})
    return file("Inspection", {"drives": many(drive)})


def sweep() -> dict[str, Any]:
    """Return the schema of sweep.json: shares of each figure's variance with intervals, and the best designs."""
    from stend.many.sides import Key
    from stend.many.sweep.design import Value

    interval = dict.fromkeys(("value", "low", "high"), float)
    share: Any = shape("Share", interval)
    place = {"key": record(Key), "quantity": str, "drives": int}
    effects = place | {"deviation": float, "explained": float, "why": str, "first": dict[str, share]}
    effects |= {"total": dict[str, share], "pairs": many(shape("Pair", {"of": tuple[str, str]} | interval))}
    drive = shape("Drive", {"drive": int, "target": str, "values": dict[str, Value]})
    best = {"wish": str, "where": many(str), "most": bool, "drives": many(drive)}
    fields = {"title": str, "target": str, "tests": many(str), "drives": int}
    fields |= {"failed": many(shape("Failed", {"drive": int, "reason": str})), "parameters": many(str)}
    return file("Sweep", fields | {"figures": many(shape("Figure", effects)), "best": shape("Best", best) | None})
