"""Every chart on synthetic drives, and its golden specification.

`python -m tests.pictures` writes all of them anew to tests/goldens/charts, and what every picture shows, in few lines,
to charts.json; read the difference before committing it.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from stend import charts, suite
from stend.base.units import MB, GiB
from stend.charts import Picture
from stend.model.record import Run
from tests.synthetic import Truth, made

FOLDER = Path(__file__).parent / "goldens" / "charts"
SHEET: dict[str, Any] = {"claimed": {"seq_read_128k_MB": 2000, "rand_read_4k": 250_000}}
SHOWN = 4
"""Rows of each data set that a golden file holds; the others are counted."""
DISK = Truth(capacity_bytes=600 * GiB, outer_bps=250 * MB, inner_bps=180 * MB, cache_bytes=8 * GiB, cache_speedup=20)


@cache
def run_of(test: str) -> Run:
    """A short run: every test in the shape of the real one."""
    truth = DISK if test in ("lba-profile", "hot-range", "cold-warm") else Truth(capacity_bytes=8 * GiB)
    profile = "review" if suite.load(test).clause == "review" else "enterprise-2.0.2"
    changes: dict[str, Any] = {"shorten": 60, "rounds": 5}
    return made(test, truth=truth, profile=profile, interval_s=10.0, **changes)


@cache
def pictures(test: str, lang: str = "en") -> tuple[Picture, ...]:
    run = run_of(test)
    return tuple(charts.of(run, run.plan.tests[0], lang, SHEET))


def every() -> list[tuple[str, Picture]]:
    """(test, picture) of all tests; those of a workload's streams come last, their charts are others' too."""
    names = sorted(suite.names(), key=lambda test: suite.load(test).clause.startswith("RWSW"))
    return [(test, picture) for test in names for picture in pictures(test)]


@cache
def golden() -> dict[str, str]:
    """Chart's name -> the first specification that any test draws of it."""
    found: dict[str, str] = {}
    for _, picture in every():
        found.setdefault(picture.name, short(picture.spec))
    return found


def short(spec: dict[str, Any]) -> str:
    data = {name: [*rows[:SHOWN], f"{len(rows)} rows"] for name, rows in spec["datasets"].items()}
    kept = {key: value for key, value in spec.items() if key != "config"} | {"datasets": data}
    return json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def outline(picture: Picture) -> list[str]:
    """A picture in a few lines: its title, what each mark shows by which channel, and its data in figures."""
    lines = [picture.title, *_marks(picture.spec)]
    for name, rows in sorted(picture.spec["datasets"].items()):
        columns = {key: [row[key] for row in rows if key in row] for row in rows for key in row}
        lines.append(f"{name}: {len(rows)} rows; " + "; ".join(f"{key} {_figures(columns[key])}" for key in columns))
    return lines


def _marks(spec: dict[str, Any]) -> list[str]:
    """Every mark of a specification with its channels: fields and their titles, and constant values."""
    mark, own = spec.get("mark"), spec.get("encoding", {})
    shown = [
        f"{key} {channel.get('field', channel.get('value'))} {channel.get('title') or ''}{_scale(channel)}".rstrip()
        for key, channel in own.items()
        if isinstance(channel, dict)
    ]
    lines = [f"{mark['type'] if isinstance(mark, dict) else mark or 'all'}: {'; '.join(shown)}"] if shown else []
    inner = [part for key in ("layer", "hconcat", "vconcat", "concat") for part in spec.get(key, ())]
    return [*lines, *(line for part in inner for line in _marks(part))]


def _scale(channel: dict[str, Any]) -> str:
    """How a channel is scaled: its kind, whether from 0, its ends if it has two, and its ticks."""
    scale = channel.get("scale") or {}
    shown = [str(scale[key]) for key in ("type", "zero", "domain") if key in scale and len(str(scale[key])) < 40]
    axis = channel.get("axis") or {}
    shown += [f"{key} {axis[key]}" for key in ("format", "tickMinStep", "tickCount") if key in axis]
    return f" ({', '.join(shown)})" if shown else ""


def _figures(values: list[Any]) -> str:
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < len(values):
        return f"{values[0]}, {len({str(value) for value in values})} different"
    return f"{min(numbers):.5g} to {max(numbers):.5g}, sum {sum(numbers):.5g}"


def outlines() -> dict[str, list[list[str]]]:
    """All pictures of each test."""
    return {test: [outline(picture) for picture in pictures(test)] for test in sorted(suite.names())}


OUTLINES = FOLDER.with_suffix(".json")

if __name__ == "__main__":
    OUTLINES.write_text(json.dumps(outlines(), indent=0, ensure_ascii=False) + "\n")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for stale in FOLDER.glob("*.json"):
        stale.unlink()
    for name, text in golden().items():
        (FOLDER / f"{name}.json").write_text(text)
