"""Nothing was written by an inspection: the counters of the kernel, or the state of the file, before and after."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look
from stend.model.record import Run

NAME = "untouched"
TESTS = ("inspect",)
COUNTERS = ("kernel_write_bytes", "kernel_discard_bytes")
OTHERS = ("host_write_bytes",)
FILE = ("file_bytes", "file_mtime_ns", "file_sha256")


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding: nothing was written, something was, or no counter shows it."""
    for test in look.tests(run, *TESTS):
        _, looks = run.present
        if len(looks) < 2:
            yield Finding(name=NAME, key="unknown", test=test.name, confidence="can't tell")
            continue
        before, after = looks[0].values, looks[-1].values
        names = [name for name in COUNTERS if name in before and name in after]
        names = names or [name for name in OTHERS if name in before and name in after]
        moved = sum(max(int(after[name]) - int(before[name]), 0) for name in names)
        used = run.plan.device.facts.get("in_use")
        if names:
            key = "nothing" if not moved else "in_use" if used else "written"
            values = {"moved": moved, "by": "kernel" if names[0] in COUNTERS else "drive"}
        elif "file_bytes" in before:
            same = all(before.get(name) == after.get(name) for name in FILE)
            key = ("file_hash" if "file_sha256" in before else "file") if same else "file_changed"
            values = {}
        else:
            key, values = "unknown", {}
        side = "con" if key in ("written", "file_changed") else ""
        sure = "can't tell" if key == "unknown" else "high"
        yield Finding(name=NAME, key=key, test=test.name, values=values, confidence=sure, side=side)
        if used:
            yield Finding(name=NAME, key="used", test=test.name, values={"how": str(used)})
