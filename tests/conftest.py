"""Every test has what it needs or says why not: nothing is skipped without being counted at the very end."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.prefix, "numba")))
"""Compiled kernels stay with the environment whose numba made them."""
os.environ.setdefault("XDG_CACHE_HOME", str(Path(sys.prefix, "cache")))
LOCKS = tempfile.TemporaryDirectory(prefix="stend-locks-")
os.environ["STEND_RUNTIME"] = LOCKS.name
"""Locks that no other tests of this host share: neither a worker beside this one, nor another checkout's."""

from stend.cli import ALONE, GARBAGE_AFTER, main  # noqa: E402

os.environ.setdefault(*ALONE)

from stend.base import fio_features  # noqa: E402
from tests import costs, needs  # noqa: E402
from tests.forks import Program  # noqa: E402

NOT_RUN = "not run"
"""A property of a test that has run in part: how many cases it left out, and why."""


settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
"""A busy host takes longer, and nothing is wrong for that."""


def pytest_configure(config: pytest.Config) -> None:
    """Hear what is started from the first test on; what is sorted here stays so beside others."""
    needs.listen()
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end: no garbage is looked for in it, and later as seldom as `stend` does."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(GARBAGE_AFTER)
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Tests of one device, or all of a kernel, never run beside one another; who shares runs shares a worker.

    Told before pytest-xdist asks for the groups, or it sees none. What takes longest begins first, in any order.
    """
    dear = costs.listed()
    for item in items:
        for mark in costs.marks_of(dear.get(costs.name_of(item.nodeid), 0.0)):
            item.add_marker(mark)
        if OVERLAY in needs.wanted(item):
            item.add_marker(pytest.mark.alone)
        if item.get_closest_marker("block"):
            item.add_marker(pytest.mark.xdist_group("block"))
        elif item.get_closest_marker("together"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    yield
    items.sort(key=_turn)


OVERLAY = "overlay in the kernel"
"""With one that cannot be resolved no file of this host may be written, those of other tests neither."""
LONGEST = [("lab",), ("block",), ("together",), ("slow", "fio")]
"""Marks of what begins first where tests run beside each other, or one of them would be waited for at the end."""


def _turn(item: pytest.Item) -> int:
    marks = LONGEST if hasattr(item.config, "workerinput") else LONGEST[:1]
    found = [at for at, names in enumerate(marks) if any(map(item.get_closest_marker, names))]
    return min(found, default=len(marks))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture: has this host what the test needs."""
    item.stash[THREADS] = set(threading.enumerate())
    needs.demand(needs.wanted(item))
    if item.get_closest_marker("fio"):
        fio_features.probe()  # here, once for all forks
    needs.CALLED.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """After all fixtures: threads that a test leaves behind end before the next one, or they would fail that."""
    before: set[threading.Thread] = item.stash[THREADS]
    yield
    for thread in set(threading.enumerate()) - before:
        if "(" in thread.name:  # begun by Python code with a function of ours, not by a library
            thread.join(LAST_OF_A_THREAD_S)
            assert not thread.is_alive(), f"leaves {thread.name} behind"


THREADS = pytest.StashKey[set[threading.Thread]]()
LAST_OF_A_THREAD_S = 60.0


@pytest.fixture(autouse=True)
def every_program_is_declared(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that starts a program says so, or a bare machine would not have it."""
    yield
    found = needs.undeclared(request.node)
    assert not found, f"starts {', '.join(found)}: add to tests/tools.toml and to this test's @pytest.mark.needs"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Show a failure at once: a run of a quarter of an hour may never come to its summary."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\nFAILED {report.nodeid}, {report.when}\n{report.longreprtext}", flush=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    """After everything else: how many tests this host could not run, and why."""
    yield
    if (seed := getattr(terminalreporter.config.option, "randomly_seed", None)) is not None:
        terminalreporter.line(f"in random order; again with -p randomly --randomly-seed={seed}")
    reports = [report for group in terminalreporter.stats.values() for report in group if hasattr(report, "longrepr")]
    skipped = Counter(str(r.longrepr[2]).removeprefix("Skipped: ") for r in reports if r.skipped)
    partly = Counter(dict(told for r in reports for name, told in getattr(r, "user_properties", ()) if name == NOT_RUN))
    for title, reasons in (("NOT RUN HERE: %d tests", skipped), ("NOT RUN HERE: %d cases of the lab", partly)):
        if reasons:
            terminalreporter.section(title % reasons.total(), sep="!", red=True, bold=True)
            for why, count in reasons.most_common():
                terminalreporter.line(f"{count:5}  {why}", red=True)


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Any]:
    """A Stand (tests/stand.py): drives of all kinds in use, undone after the test."""
    from tests.stand import Stand

    with ExitStack() as end:
        yield Stand(tmp_path, end)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser, for tests marked so."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium or not find_spec("playwright"):
        pytest.skip("chromium is not here; `make pages` installs it")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        one = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a virtual run and its report are made with is in the memory of this process, for forks of it."""
    asked = ["fresh", "--target", "sim:small", "--quick", "--round-seconds", "0.2"]
    assert main(["run", *asked, "--into", str(tmp_path_factory.mktemp("warm") / "run")]) == 0


@pytest.fixture(scope="session")
def senders_kernels() -> None:
    """What our own engine's senders are compiled to is in the memory of this process, of which they are to be forks."""
    from stend.engines import simulated
    from stend.engines.replay import kernel, memory, parts
    from stend.sim.requests import stream
    from tests.engine_rules import RANDOM

    told, nowhere = memory.nothing(), parts.flight(1, 0, -1, (0, 0, 0), 0)
    kernel.play(nowhere, told.at, told, memory.ledger(), kernel.ring(1), True, False)
    drawn = simulated.pattern(RANDOM, seed=1, from_bytes=0, limit_bytes=None)
    kernel.press(nowhere, told.at, told, memory.ledger(), stream(drawn, 1), 0)


@pytest.fixture
def forked_senders(senders_kernels: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Senders begin without the imports that are most of so short a load; a run amid which one is killed has others."""
    real, sender = subprocess.Popen, "stend.engines.replay.sender"

    def begun(words: Any, **own: Any) -> Any:
        return Program(words) if sender in words else real(words, **own)

    monkeypatch.setattr(subprocess, "Popen", begun)
