"""Nothing was written by an inspection: the counters of the kernel, or the state of the file, before and after."""

from collections.abc import Iterator, Mapping
from typing import Any

from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look.inspected import TESTS
from stend.model.record import Run

DISTURBED = ()
"""No conclusion here depends on the load."""
COUNTERS = ("kernel_write_bytes", "kernel_discard_bytes")
OTHERS = ("host_write_bytes",)
FILE = ("file_bytes", "file_mtime_ns", "file_sha256")


def _pairs(run: Run) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the first and the last values that the drive reported, for each part of an interrupted run."""
    starts = [looks for _, looks, _ in run.stretches]
    for first, end in zip(starts, [*starts[1:], len(run.telemetry)], strict=True):
        if end - first > 1:
            yield run.telemetry[first].values, run.telemetry[end - 1].values


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding: nothing was written, something was, or no counter shows it."""
    for test in look.tests(run, *TESTS):
        pairs = list(_pairs(run))
        if not pairs:
            yield Finding(key="unknown", test=test.name, confidence="can't tell")
            continue
        before, after = pairs[0][0], pairs[-1][1]
        names = [name for name in COUNTERS if name in before and name in after]
        names = names or [name for name in OTHERS if name in before and name in after]
        moved = sum(max(int(b.get(name, 0)) - int(a.get(name, 0)), 0) for a, b in pairs for name in names)
        used = run.used
        if names:
            key = "nothing" if not moved else "in_use" if used else "written"
            values = {"moved": moved, "by": "kernel" if names[0] in COUNTERS else "drive"}
        elif "file_bytes" in before:
            same = all(before.get(name) == after.get(name) for name in FILE)
            key = ("file_hash" if "file_sha256" in before else "file") if same else "file_changed"
            values = {}
        else:
            key, values = "unknown", {}
        sure: Confidence = "can't tell" if key == "unknown" else "high"
        against = side(con=key in ("written", "file_changed"))
        yield Finding(key=key, test=test.name, values=values, confidence=sure, side=against)
        if used:
            yield Finding(key="used", test=test.name, values={"how": used})
