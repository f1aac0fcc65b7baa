"""Hosts that have little: each with real processes; a run works there, or a sentence says what is missing."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stend.store import verify
from tests.forks import child, once_written
from tests.stand import Stand, sh
from tests.storm_end import end
from tests.waits import PATIENCE_S

pytestmark = pytest.mark.slow
RUN = ("run", "latency", "--target", "sim:small", "--quick", "--rounds", "1", "--round-seconds", "0.2", "--seed", "7")
GOOD, FAILED = 0, 5
Limit = Callable[[], object]


def stend(
    *words: str | Path, env: dict[str, str] | None = None, limit: Limit | None = None, cwd: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """stend as a process of its own; it never shows a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "stend", *map(str, words)],
        env=os.environ | {"PYTHONPATH": ""} if env is None else env,
        preexec_fn=limit,
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE_S,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "a defect in stend" not in done.stderr, done.stderr
    return done


def forked(*words: str | Path, before: Limit = lambda: None) -> "subprocess.CompletedProcess[str]":
    """The same as a fork of this process, for what is no matter of a start: its imports are most of so short a run."""
    with tempfile.NamedTemporaryFile("r", errors="replace") as told:
        code = end(child([str(word) for word in words], told.name, before))
        said = told.read()
    assert "Traceback" not in said, said
    assert "a defect in stend" not in said, said
    return subprocess.CompletedProcess(words, code, "", said)


def sound(folder: Path) -> bool:
    return all(one.sound for one in verify.Folder(folder).checks())


BARE = {"PATH": os.environ["PATH"], "NUMBA_CACHE_DIR": os.environ["NUMBA_CACHE_DIR"]}
PLACES = {
    "no HOME and nothing else": BARE,
    "LANG=C": BARE | {"LANG": "C", "HOME": "/nonexistent"},
    "LC_ALL=C without UTF-8": BARE | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "a locale that is not there": BARE | {"LC_ALL": "xx_XX.UTF-8", "LANGUAGE": "xx"},
    "no terminal that is known": BARE | {"TERM": "nonsense"},
}


@pytest.mark.parametrize("name", PLACES)
def test_a_run_needs_no_home_and_no_locale(tmp_path: Path, name: str) -> None:
    if subprocess.run([sys.executable, "-c", ""], env=PLACES[name], capture_output=True, check=False).returncode:
        pytest.skip(f"no Python that starts with {name} where its own path has other letters")
    folder = tmp_path / "прогон"
    done = stend(*RUN, "--into", folder, env=PLACES[name])
    assert done.returncode == GOOD, done.stderr
    assert (folder / "report.html").exists()
    assert stend("report", folder, "--lang", "ru", "--format", "markdown", env=PLACES[name]).returncode == GOOD
    assert sound(folder)


@pytest.mark.usefixtures("warm")
def test_under_umask_077_a_run_is_its_owners_alone(tmp_path: Path) -> None:
    done = forked(*RUN, "--into", tmp_path / "run", before=lambda: os.umask(0o077))
    assert done.returncode == GOOD, done.stderr
    open_to_others = [p.name for p in (tmp_path / "run").rglob("*") if p.stat().st_mode & 0o077]
    assert not open_to_others


@pytest.mark.parametrize("most", [6, 10, 16, 64])
def test_few_descriptors_are_enough_or_the_reason_is_told(tmp_path: Path, most: int) -> None:
    done = stend(
        *RUN, "--into", tmp_path / "run", limit=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    )
    assert done.returncode == GOOD or "open files" in done.stderr, done.stderr
    assert done.returncode == GOOD or most < 64


def small_disk(stand: Stand, size: str) -> Path:
    """A file system with room for so much."""
    place = stand.folder / "small"
    place.mkdir()
    sh("mount", "-t", "tmpfs", "-o", f"size={size}", "none", place)
    stand.end.callback(subprocess.run, ["umount", "-l", str(place)], check=False)
    return place


@pytest.mark.usefixtures("warm")
@pytest.mark.block
@pytest.mark.parametrize("size", ["16k", "48k", "96k", "400k"])
def test_on_a_full_disk_a_run_says_so_and_goes_on_when_there_is_room(stand: Stand, size: str) -> None:
    place = small_disk(stand, size)
    folder = place / "run"
    done = forked(*RUN, "--into", folder)
    assert "No space left on device" in done.stderr
    if not (folder / "events.jsonl").exists() or not (folder / "events.jsonl").read_bytes().count(b"\n") > 1:
        return  # nothing was begun
    sh("mount", "-o", "remount,size=64M", place)
    assert forked("resume", folder).returncode == GOOD
    assert sound(folder)


@pytest.mark.usefixtures("warm")
@pytest.mark.block
@pytest.mark.needs("mkfs.btrfs", "btrfs", "btrfs in the kernel")
def test_a_quota_that_is_used_up_is_told(stand: Stand) -> None:
    node = stand.loop(stand.file("disk.bin", 160 << 20))
    sh("mkfs.btrfs", "-q", "-f", node)
    place = stand.mount(node)
    sh("btrfs", "quota", "enable", place)
    sh("btrfs", "subvolume", "create", place / "mine")
    sh("btrfs", "qgroup", "limit", "64k", place / "mine")
    done = forked(*RUN, "--into", place / "mine/run")
    assert done.returncode == FAILED, done.stderr
    assert "quota exceeded" in done.stderr


@pytest.mark.usefixtures("warm")
@pytest.mark.block
@pytest.mark.needs("mkfs.ext4")
def test_a_disk_that_turns_read_only_amid_a_run_ends_it_with_a_sentence(stand: Stand) -> None:
    """As ext4 does at an error of its disk; a remount would be refused while the record is open."""
    node = stand.formatted()
    place = stand.mount(node, "-o", "errors=remount-ro")
    error = Path("/sys/fs/ext4", Path(node).name, "trigger_fs_error")
    second = [b'"type":"sample"', b'"type":"judged"', b'"type":"sample"']
    done = forked(
        *RUN,
        "--rounds",
        "25",
        "--into",
        place / "run",
        before=lambda: once_written(second, lambda: error.write_text("x")),
    )
    assert done.returncode == FAILED, done.stderr
    assert "Read-only file system" in done.stderr


@pytest.mark.block
@pytest.mark.needs("mounts of its own", "unshare")
def test_without_a_place_for_temporary_files_a_run_still_runs(tmp_path: Path) -> None:
    into = Path("/var/lib") / f"stend-{tmp_path.name}"  # what pytest gives lies in /tmp
    hide = 'for i in /tmp /var/tmp; do mount --bind $i $i && mount -o remount,ro,bind $i || exit; done; cd /; exec "$@"'
    words = [sys.executable, "-m", "stend", *RUN, "--into", str(into)]
    try:
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", hide, "sh", *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == GOOD, done.stderr
        assert (into / "report.html").exists()
    finally:
        subprocess.run(["rm", "-rf", str(into)], check=True)


GROUPS = {"memory/memory.limit_in_bytes": "memory/{}/memory.limit_in_bytes", "cgroup.controllers": "{}/memory.max"}
"""Where control groups of version 1 and of version 2 take a limit of memory."""


@pytest.fixture
def small_memory(tmp_path: Path) -> Iterator[Path]:
    """A control group with 512 MB of memory and no swap."""
    top = Path("/sys/fs/cgroup")
    known = [top / told.format(f"stend-{tmp_path.name}") for there, told in GROUPS.items() if (top / there).exists()]
    if not known:
        pytest.skip("no control groups of memory here")
    limit = known[0]
    limit.parent.mkdir()
    limit.write_text(str(512 << 20))
    yield limit.parent
    limit.parent.rmdir()


@pytest.mark.block
def test_a_run_and_its_report_fit_into_512_mb(tmp_path: Path, small_memory: Path) -> None:
    def enter() -> None:
        (small_memory / "cgroup.procs").write_text(str(os.getpid()))

    done = stend(*RUN, "--into", tmp_path / "run", limit=enter)
    assert done.returncode == GOOD, done.stderr
    assert stend("report", tmp_path / "run", "--format", "pdf", limit=enter).returncode == GOOD


def test_a_path_that_is_no_text_is_a_sentence_or_works(tmp_path: Path) -> None:
    drive = os.fsdecode(os.fsencode(tmp_path) + b"/dr\xffive.bin")
    done = stend("run", "latency", "--target", drive, "--create", "16MiB", "--into", tmp_path / "run")
    assert done.returncode == 2
    assert "is not valid text here; set LC_ALL=C.UTF-8, or rename it" in done.stderr
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xfen"))
    assert stend(*RUN, "--into", folder).returncode == GOOD
    assert sound(folder)
