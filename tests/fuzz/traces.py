"""Traces of others and our own, by every reader, as far as what a screen and JSON tell of them."""

from collections.abc import Callable
from importlib import resources
from typing import Any

from stend.report.parts import traced, traced_plain
from stend.trace import described, taken
from tests.fuzz.files import FOLDER
from tests.fuzz.target import Target, senseless, unprintable
from tests.test_trace_readers import SAMPLES

LINES = 200
"""Of a long sample: enough to have every kind of line, few enough to be read often."""


def _read(form: str) -> Callable[[bytes], Any]:
    def reading(data: bytes) -> Any:
        path = FOLDER / "trace"
        path.write_bytes(data)
        with taken.reading(path, form) as trace:
            known = described.described(trace)
        page = traced.traced(known, "en", drawn=False)
        tables = [cell for part in page.sections for table in part.tables for row in table.rows for cell in row]
        return traced_plain.plain(known), [*(text for part in page.sections for text in part.texts), *map(str, tables)]

    return reading


def _wrong(taken: Any) -> str:
    told, shown = taken
    return senseless(told) or unprintable("\n".join(shown))


def targets() -> list[Target]:
    """One a format; stend's own, whose seeds are binary, too."""
    found = []
    for name, sample in SAMPLES.items():
        few = b"".join(sample.splitlines(keepends=True)[:LINES])
        found.append(Target(f"trace {name}", "text", [few], _read(name.partition(" ")[0]), _wrong))
    own = (resources.files("stend.trace") / "example.parquet").read_bytes()
    return [*found, Target("trace parquet", "text", [own], _read(""), _wrong)]
