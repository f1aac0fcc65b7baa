"""Runs as units of a real systemd, which is the first process of namespaces of its own."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from stend import store
from tests.short import study
from tests.test_apart import SHORT, STEND, process_of
from tests.waits import wait_for

pytestmark = [
    pytest.mark.fio,
    pytest.mark.needs("root", "mounts of its own", "unshare", "nsenter", "mount", "umount", "systemd-run", "systemctl"),
]
HIDDEN = ("/run", "/etc/systemd", "/usr/lib/systemd/system", "/usr/lib/systemd/system-generators")
"""Where the host's own units are: not one of them may begin here, they clean /tmp and set what belongs to all."""
TARGETS = ("stand", "sysinit", "basic", "shutdown")
BOOTS = f"""
set -e
mount --make-rprivate /
mount -t proc proc /proc
for place in {" ".join(HIDDEN)}; do mount -t tmpfs tmpfs $place; done
umount -l /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /run/systemd/system
for name in {" ".join(TARGETS)}; do
    printf '[Unit]\\nDefaultDependencies=no\\n' > /run/systemd/system/$name.target
done
exec env container=stend /lib/systemd/systemd --system --unit=stand.target --log-target=null
"""
Inside = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def inside() -> Iterator[Inside]:
    """Runs a command beside that systemd."""
    ours = set(groups())
    boot = ["unshare", "-m", "-p", "-f", "-C", "-u", "--kill-child", "sh", "-c", BOOTS]
    with subprocess.Popen(boot, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as shell:
        children = Path(f"/proc/{shell.pid}/task/{shell.pid}/children")
        wait_for(lambda: children.read_text().split())
        within = ["nsenter", "-t", children.read_text().split()[0], "-m", "-p", "-C"]

        def run(*words: str) -> "subprocess.CompletedProcess[str]":
            return subprocess.run([*within, *words], capture_output=True, text=True, check=False)

        wait_for(lambda: run("systemctl", "is-active", "stand.target").stdout.strip() == "active")
        yield run
        shell.kill()
    wait_for(lambda: not emptied(set(groups()) - ours))


def groups() -> list[Path]:
    """The control groups of what systemd would begin."""
    return [Path(top) for top, _, _ in os.walk("/sys/fs/cgroup/unified")]


def emptied(left: set[Path]) -> bool:
    """Whether any of them is still in use."""
    for group in sorted(left, reverse=True):
        with suppress(OSError):
            group.rmdir()
    return any(group.exists() for group in left)


def begun(inside: Inside, folder: Path) -> tuple[str, int]:
    """A detached run of a file: its unit, and its process there."""
    folder.parent.mkdir(exist_ok=True)
    asked = [
        "run",
        study(folder.parent, minute_s=0.3),
        "--target",
        f"{folder}.bin",
        "--create",
        "64MiB",
        "--into",
        str(folder),
    ]
    done = inside(*STEND, *asked, "--detach")
    assert done.returncode == 0, done.stderr
    unit = done.stdout.partition("unit ")[2].split()[0]
    assert inside("systemctl", "is-active", unit).stdout == "active\n"
    return unit, process_of(folder)


def test_a_detached_run_belongs_to_no_session_and_ends_whole(inside: Inside, tmp_path: Path) -> None:
    unit, process = begun(inside, tmp_path / "one $HOME %n")
    assert inside("cat", f"/proc/{process}/cgroup").stdout.strip().endswith(f"/system.slice/{unit}")
    wait_for(lambda: store.load(tmp_path / "one $HOME %n").ended)
    ended = store.load(tmp_path / "one $HOME %n").ended
    assert ended
    assert ended.outcome in ("complete", "not steady")
    wait_for(lambda: "not-found" in inside("systemctl", "show", "--property=LoadState", unit).stdout)


def test_a_host_that_goes_down_stops_a_run_as_a_person_would(inside: Inside, tmp_path: Path) -> None:
    folder = tmp_path / "runs/one"
    unit, _ = begun(inside, folder)
    wait_for(lambda: len(store.load(folder).results) > 1)
    assert inside("systemctl", "stop", unit).returncode == 0
    ended = store.load(folder).ended
    assert ended
    assert ended.outcome == "stopped"
    assert inside("systemctl", "is-failed", unit).stdout == "failed\n"
    drive = f"{folder}.bin"
    done = inside(*STEND, "resume", str(folder), "--destroy-data", drive, "--detach")
    assert done.returncode == 0, done.stderr
    wait_for(lambda: getattr(store.load(folder).ended, "outcome", "") in ("complete", "not steady"))


def test_what_cannot_begin_says_why_in_the_terminal(inside: Inside, tmp_path: Path) -> None:
    done = inside(*STEND, "run", *SHORT, "--target", "sim:nowhere", "--into", str(tmp_path / "run"), "--detach")
    assert done.returncode == 2
    assert done.stderr.startswith("stend: there is no virtual drive 'nowhere'")


def test_the_unit_of_a_host_that_is_back_goes_on_with_what_was_cut_off(inside: Inside, tmp_path: Path) -> None:
    folder = tmp_path / "runs/one"
    _, process = begun(inside, folder)
    wait_for(lambda: len(store.load(folder).results) > 1)
    inside("kill", f"-{signal.SIGKILL}", str(process))
    text = subprocess.run([*STEND, "doctor", "--unit", str(folder.parent)], capture_output=True, text=True, check=True)
    (tmp_path / "stend-resume.service").write_text(text.stdout)
    assert inside("cp", str(tmp_path / "stend-resume.service"), "/run/systemd/system/").returncode == 0
    inside("systemctl", "daemon-reload")
    wait_for(lambda: inside("test", "-e", f"/proc/{process}/exe").returncode)
    assert inside("systemctl", "start", "stend-resume.service").returncode == 0
    wait_for(lambda: store.load(folder).ended)
