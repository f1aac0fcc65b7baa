"""A sender that is slow to begin is waited for as long as it works: a slow host compiles its kernels for minutes."""

import sys
from pathlib import Path

import pytest

from stend.base.errors import StepFailed
from stend.engines.replay.process import start_sender
from stend.engines.replay.task import Task
from stend.model.definition import Workload

WORK_S, IDLE_S = 5.0, 2.0
TASK = Task(
    path="",
    workload=Workload(random_pct=0, read_pct=100, block_bytes=4096, range_bytes=1 << 20),
    seed=1,
    bound=1,
    interval_ns=10**9,
    range_bytes=1 << 20,
    block_bytes=512,
    trace="",
    from_bytes=0,
    limit_bytes=0,
)


def interpreter(folder: Path, *lines: str) -> str:
    """Write a program that runs these lines in place of a module of stend, and return its path."""
    path = folder / "python"
    path.write_text("\n".join((f"#!{sys.executable}", "import sys, time", *lines)) + "\n")
    path.chmod(0o755)
    return str(path)


def test_a_sender_that_computes_longer_than_the_limit_becomes_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = f"while time.process_time() < {WORK_S}: pass", "print('ready', flush=True)", "sys.stdin.readline()"
    monkeypatch.setattr(sys, "executable", interpreter(tmp_path, *lines))
    sender = start_sender(TASK, IDLE_S)
    assert sender.alive
    sender.end()


def test_a_sender_that_only_waits_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", interpreter(tmp_path, "sys.stdin.readline()"))
    with pytest.raises(StepFailed, match="did nothing for 2 s before the first IO"):
        start_sender(TASK, IDLE_S)
