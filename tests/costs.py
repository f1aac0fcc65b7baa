"""Processor time of the tests of `make check`: `python -m tests.costs` writes the list of those that it leaves out.

As a pytest plugin it adds one line per test to build/costs.tsv: node id, tab, seconds of this process and of the
children that have ended. The largest of the parameters of a function counts.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LIMIT_S = 0.3
LIST = Path(__file__).with_name("over_300_ms.txt")
SHARED_S: list[float] = []
"""What the fixtures took that the present test was the first to use."""
COSTS = Path(__file__).parent.parent / "build/costs.tsv"
CHECKED = "not (fio or block or lab or slow or soak or browser or alone)"


def listed() -> frozenset[str]:
    """Names as `test_heat.py::test_throttling_is_seen`, without parameters."""
    return frozenset(LIST.read_text().split())


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
    before = _spent_s()
    yield
    with COSTS.open("a") as file:
        file.write(f"{item.nodeid}\t{_spent_s() - before - sum(SHARED_S):.3f}\n")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
    """Leave out what a fixture of several tests takes: without this test another one would wait for it."""
    before, within = _spent_s(), sum(SHARED_S)
    made = yield
    if fixturedef.scope != "function":
        SHARED_S.append(_spent_s() - before - (sum(SHARED_S) - within))
    return made


def main() -> int:
    """Run every test that `make check` could run, and list the dear ones; kernels should have been compiled before."""
    COSTS.parent.mkdir(exist_ok=True)
    COSTS.unlink(missing_ok=True)
    words = ("-m", CHECKED, "-p", "tests.costs", "-n", str(os.cpu_count()), "--dist", "loadgroup", "--tb=short")
    failed = subprocess.run([sys.executable, "-m", "pytest", *words], check=False).returncode
    lines = [line.rsplit("\t", 1) for line in COSTS.read_text().splitlines()]
    dear = sorted({name_of(node) for node, seconds in lines if float(seconds) > LIMIT_S})
    LIST.write_text("\n".join(dear) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
