"""fio that is missing, too old, chatty, crashed, stuck or robbed of its target: one sentence, nothing left running."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stend import session, store
from stend.base.errors import Missing, StepFailed
from stend.base.programs import install
from stend.base.units import MiB
from stend.engines import Load
from stend.engines.fio import FioEngine
from stend.words import Sentence
from tests.engine_rules import FILL, RANDOM, finished
from tests.short import study
from tests.waits import PATIENCE_S

pytestmark = pytest.mark.fio
INTERVAL_S = 0.1
SILENCE_S = 1.0
"""A busy host may be late with anything; who is known to be stuck needs no waiting for."""

Making = Callable[..., FioEngine]


@pytest.fixture
def target(tmp_path: Path) -> str:
    path = tmp_path / "target.bin"
    path.touch()
    os.truncate(path, 16 * MiB)
    return str(path)


@pytest.fixture
def make(target: str) -> Iterator[Making]:
    made: list[FioEngine] = []

    def making(fio: str = "fio") -> FioEngine:
        made.append(FioEngine(target, interval_s=INTERVAL_S, silence_s=PATIENCE_S, fio=fio))
        return made[-1]

    yield making
    for engine in made:
        engine.close()


def script(folder: Path, text: str) -> str:
    path = folder / "some-fio"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def intervals(load: Load, count: int) -> None:
    for _ in range(count):
        assert load.next()


def group_is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_missing_fio_is_told_with_the_way_to_get_it(make: Making) -> None:
    with pytest.raises(Missing, match=rf"is not installed: `{install(['fio'])}`"):
        make("/no/such/fio")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo fio-2.1; echo 'bs : Block size'", "does not know .*bssplit"),
        ("exit 1", "does not know"),
        ("echo nonsense >&2; kill -SEGV $$", "--cmdhelp=all was ended by SIGSEGV"),
    ],
    ids=["too old", "failing", "crashing"],
)
def test_an_fio_that_cannot_do_what_we_need_is_told(make: Making, tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(Missing, match=words):
        make(script(tmp_path, text))


@pytest.mark.parametrize(
    "text", ["fio: note: {not json}", "{", '{"jobs": 1', "}{"], ids=["words", "open", "half", "shut"]
)
def test_text_before_its_documents_changes_nothing(make: Making, tmp_path: Path, text: str) -> None:
    chatty = script(tmp_path, f"case \"$*\" in *--name=*) printf '%s\\n' '{text}';; esac\nexec fio \"$@\"")
    load = make(chatty).start(FILL, seed=1, limit_bytes=2 * FILL.range_bytes)
    assert finished(load).write.bytes == 2 * FILL.range_bytes


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_crash_is_a_failed_step(make: Making, number: signal.Signals) -> None:
    load = make().start(RANDOM, seed=1)
    assert load.next()
    group = load.process.child.pid
    os.killpg(group, number)
    with pytest.raises(StepFailed, match=f"fio failed at {RANDOM.label}: .*killed by signal {int(number)}"):
        intervals(load, 5)
    assert group_is_gone(group)


def test_one_that_says_nothing_is_given_up(make: Making) -> None:
    load = make().start(RANDOM, seed=1)
    assert load.next()
    group = load.process.child.pid
    os.killpg(group, signal.SIGSTOP)
    load.silence_s = SILENCE_S
    with pytest.raises(StepFailed, match="silent"):
        load.next()
    assert group_is_gone(group)


def test_one_that_does_not_end_is_killed_and_the_step_failed(make: Making) -> None:
    load = make().start(RANDOM, seed=1)
    assert load.next()
    group = load.process.child.pid
    os.killpg(group, signal.SIGSTOP)
    load.silence_s = SILENCE_S
    with pytest.raises(StepFailed, match=r"did not end within 1 s .* was killed"):
        load.stop()
    assert group_is_gone(group)


def test_one_that_ends_too_early_is_a_failed_step(make: Making, tmp_path: Path) -> None:
    hasty = script(tmp_path, 'case "$*" in *--name=*) exec fio "$@" --runtime=1;; esac\nexec fio "$@"')
    load = make(hasty).start(RANDOM, seed=1)
    with pytest.raises(StepFailed, match="fio failed"):
        intervals(load, 40)


def test_a_target_that_is_gone_is_a_failed_step(make: Making, target: str) -> None:
    engine = make()
    Path(target).unlink()
    with pytest.raises(StepFailed, match="cannot be opened"):
        engine.start(RANDOM, seed=1)


def run_with(tools: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    own = ["--target", str(folder / "t.bin"), "--create", "16MiB", "--into", str(folder / "run")]
    return stend(tools, "run", study(folder, "iops"), *own)


def stend(tools: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PATH": str(tools)}
    return subprocess.run([sys.executable, "-m", "stend", *words], capture_output=True, text=True, env=env, check=False)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A search path with what stend needs, but fio."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in ("sh", "setpriv", "wipefs"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


def test_without_fio_nothing_is_begun(tools: Path, tmp_path: Path) -> None:
    done = run_with(tools, tmp_path)
    assert done.returncode == 4, done.stderr
    assert "fio is not installed" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()
    assert not (tmp_path / "t.bin").exists()


def test_an_fio_that_fails_in_mid_run_is_recorded(tools: Path, tmp_path: Path) -> None:
    real = shutil.which("fio")
    dying = f'case "$*" in *--rw=randrw*) echo "fio: engine burnt" >&2; exit 3;; esac\nexec {real} "$@"'
    Path(script(tools, dying)).rename(tools / "fio")
    done = run_with(tools, tmp_path)
    assert done.returncode == 5, done.stderr
    assert "engine burnt" in done.stderr
    assert "Traceback" not in done.stderr
    run = store.load(tmp_path / "run")
    assert run.ended is not None
    assert run.ended.outcome == "failed"
    assert run.results
    assert (tmp_path / "run" / "report.html").exists()
    began = store.host(tmp_path / "run")["fio"]
    assert re.fullmatch(r"fio-\S+, (io_uring|libaio)", began)
    Path(script(tools, f'[ "$1" = --version ] && echo fio-9.99 || exec {real} "$@"')).rename(tools / "fio")
    done = stend(tools, "resume", str(tmp_path / "run"), "--destroy-data", str(tmp_path / "t.bin"))
    assert done.returncode == 0, done.stderr
    now = began.replace(began.partition(",")[0], "fio-9.99")
    assert Sentence("fio_changed", was=began, now=now) in [note.text for note in store.load(tmp_path / "run").notes]


@pytest.mark.parametrize(
    ("before", "now", "keys"),
    [
        ({"cpu": "A", "kernel": "6.1", "fio": "fio-3.33, libaio"}, {}, []),
        ({}, {"cpu": "A", "kernel": "6.1", "fio": "fio-3.33, libaio"}, []),
        ({"cpu": None, "fio": None}, {"cpu": "A", "fio": "fio-3.33, libaio"}, []),
        ({"fio": "fio-3.33"}, {"fio": "fio-3.33, libaio"}, []),
        ({"fio": "fio-3.33, io_uring"}, {"fio": "fio-3.33, libaio"}, ["fio_changed"]),
        (
            {"cpu": "A", "kernel": "6.1", "cpus": 2},
            {"cpu": "B", "kernel": "6.12", "cpus": 4},
            ["cpu_changed", "kernel_changed"],
        ),
        ({"cpu": "A", "kernel": "6.12"}, {"cpu": "A", "kernel": "6.1"}, ["kernel_changed"]),
    ],
)
def test_what_changed_since_the_run_began_is_noted(
    before: dict[str, Any], now: dict[str, Any], keys: list[str]
) -> None:
    assert [note.key for note in session._changed(before, now)] == keys
