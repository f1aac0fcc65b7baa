"""A run killed at any moment goes on to the figures it would have had."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from stend import store
from stend.cli import main
from stend.record import Result

ASKED = ["iops", "write-saturation", "--target", "sim:small", "--quick", "--rounds", "2", "--round-seconds", "0.2"]
KILLS = 50


def in_child(arguments: list[str]) -> int:
    """Start stend in a fork of this process, quiet; the compiled virtual drive is warm there already."""
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(quiet, number)
        os._exit(main(arguments))
    return child


def results(folder: Path) -> list[Result]:
    return store.load(folder).results


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Result], float]:
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert main(["run", *ASKED, "--seed", "7", "--into", str(folder)]) == 0  # warm, so that the next tells its time
    began = time.monotonic()
    again = folder.with_name("again")
    assert os.waitpid(in_child(["run", *ASKED, "--seed", "7", "--into", str(again)]), 0)[1] == 0
    assert results(again) == results(folder)
    return results(folder), time.monotonic() - began


def test_fifty_kills_change_nothing(uninterrupted: tuple[list[Result], float], tmp_path: Path) -> None:
    expected, lasts_s = uninterrupted
    moments = random.Random(20261120)
    cut = 0
    for number in range(KILLS):
        folder = tmp_path / f"run{number}"
        child = in_child(["run", *ASKED, "--seed", "7", "--into", str(folder)])
        time.sleep(moments.uniform(0, lasts_s))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if not (folder / "events.jsonl").exists() or not any(True for _ in store.read(folder)):
            continue  # killed before the run had begun: nothing to go on with
        before = store.load(folder)
        code = os.waitpid(in_child(["resume", str(folder)]), 0)[1]
        if before.ended:
            continue  # killed while the report was made
        cut += 1
        assert code == 0
        assert results(folder) == expected
        assert any("interrupted" in stamp for stamp in store.load(folder).stamps)
    assert cut > KILLS // 2


def test_a_torn_line_is_dropped(uninterrupted: tuple[list[Result], float], tmp_path: Path) -> None:
    expected, _ = uninterrupted
    folder = tmp_path / "run"
    main(["run", *ASKED, "--seed", "7", "--into", str(folder)])
    path = folder / "events.jsonl"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 3])
    assert main(["resume", str(folder)]) == 0
    assert results(folder) == expected


def test_a_finished_run_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    main(["run", *ASKED, "--seed", "7", "--into", str(folder)])
    before = (folder / "events.jsonl").read_bytes()
    assert main(["resume", str(folder)]) == 2
    assert "is finished" in capsys.readouterr().err
    assert (folder / "events.jsonl").read_bytes() == before
