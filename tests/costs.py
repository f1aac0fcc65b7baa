"""Processor time of tests: `python -m tests.costs` writes the list of those that `make check` leaves out.

As a pytest plugin it adds one line per test to build/costs.tsv: node id, tab, seconds of this process and of the
children that have ended, or a third of its duration if that is more; and one line per test and fixture that it
shares with others: its part of what that takes. The largest of the parameters of a function counts.
"""

import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MARKS_S = {"over_50_ms": 0.05, "over_300_ms": 0.3}
"""Seconds of processor above which a test has each mark."""
WAITS = 3
"""Seconds that a test may wait for one of processor; its worker has nothing else to do meanwhile."""
AGAIN = 3
LIST = Path(__file__).with_name("costs.txt")
SHARED_S: list[float] = []
"""What the fixtures took that the present test was the first to use."""
COSTS = Path(__file__).parent.parent / "build/costs.tsv"
CHECKED = "not (fio or block or lab or slow or soak or browser or alone)"


def listed() -> dict[str, float]:
    """Seconds of the dear tests by names as `test_heat.py::test_throttling_is_seen`, without parameters."""
    lines = map(str.split, LIST.read_text().splitlines())
    return {name: float(seconds) for name, seconds in lines}


def marks_of(seconds: float) -> list[str]:
    """Return the marks of a test that takes these seconds."""
    return [mark for mark, limit_s in MARKS_S.items() if seconds > limit_s]


def name_of(node: str) -> str:
    """Return the file and the function of a node id, without the parameters and the group of pytest-xdist."""
    return node.partition("[")[0].partition("@")[0].rpartition("/")[2]


def _spent_s() -> float:
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Add what a test takes, its own fixtures included."""
    SHARED_S.clear()
    before, began = _spent_s(), time.monotonic()
    yield
    waited_s = time.monotonic() - began - sum(SHARED_S)
    with COSTS.open("a") as file:
        file.write(f"{item.nodeid}\t{max(_spent_s() - before - sum(SHARED_S), waited_s / WAITS):.3f}\n")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: Any) -> Iterator[Any]:
    """Divide what a fixture of several tests takes by those that are run: without one, another waits for it."""
    before, within = _spent_s(), sum(SHARED_S)
    made = yield
    if fixturedef.scope != "function":
        own_s = _spent_s() - before - (sum(SHARED_S) - within)
        SHARED_S.append(own_s)
        users = [item for item in request.session.items if _uses(item, fixturedef, request)]
        with COSTS.open("a") as file:
            file.writelines(f"{item.nodeid}\t{own_s / len(users):.4f}\n" for item in users)
    return made


def _uses(item: pytest.Item, fixturedef: pytest.FixtureDef[Any], request: Any) -> bool:
    """Whether a test uses the fixture that is requested, with the same parameter."""
    name = fixturedef.argname
    params = item.callspec.params if hasattr(item, "callspec") else {}
    same = name not in params or params[name] is getattr(request, "param", None)
    return name in getattr(item, "fixturenames", ()) and item.nodeid.startswith(fixturedef.baseid) and same


def main() -> int:
    """Run every test that `make check` could run, and list the dear ones; kernels should have been compiled before.

    Then run the others alone, `AGAIN` times: what several tests share is paid by another one if the first is left out.
    """
    LIST.write_text("")
    failed = _added(CHECKED)
    for _ in range(AGAIN):
        failed = failed or _added(f"{CHECKED} and not over_50_ms")
    return failed


def _added(among: str) -> int:
    """Run these tests and add the dear ones to the list. Return the exit code of pytest."""
    COSTS.parent.mkdir(exist_ok=True)
    COSTS.unlink(missing_ok=True)
    words = ("-m", among, "-p", "tests.costs", "-n", str(os.cpu_count()), "--dist", "loadgroup", "--tb=short")
    failed = subprocess.run([sys.executable, "-m", "pytest", *words], check=False).returncode
    most, total = listed(), defaultdict[str, float](float)
    for node, seconds in (line.rsplit("\t", 1) for line in COSTS.read_text().splitlines()):
        total[node] += float(seconds)
    for node, spent_s in total.items():
        most[name_of(node)] = max(most.get(name_of(node), 0.0), spent_s)
    dear = (f"{name} {seconds:.3f}\n" for name, seconds in sorted(most.items()) if seconds > min(MARKS_S.values()))
    LIST.write_text("".join(dear))
    return failed


if __name__ == "__main__":
    sys.exit(main())
