"""No other way to a drive: every place in the code that opens or runs something is one that is known here, with why."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.together
SOURCES = Path(__file__).parent.parent / "src" / "stend"

OPENS = {"open", "fdopen", "openat", "truncate", "ftruncate", "mkfifo", "mknod", "sendfile", "copyfile", "copytree"}
OPENS |= {"write_text", "write_bytes", "pwrite", "pwritev", "writev", "ioctl", "posix_fallocate", "fallocate64"}
RUNS = {"run", "Popen", "check_output", "check_call", "call", "system", "popen", "posix_spawn", "execvp", "execv"}

READS = {
    "fleet/tasks.py": "files of a run, with 'rb', to be sent home",
    "base/sysfs.py": "what ioctls tell of files and nodes opened with O_RDONLY",
    "gate/lease.py": "a file opened with O_RDONLY, for the kernel's count of writers",
    "publish/ledger.py": "the folder of a site, O_RDONLY, to be locked while it is built",
    "gate/mounts.py": "a path with O_PATH, for the kernel's word on its mount",
    "gate/ownership.py": "package databases that are asked, and a file's first bytes with 'rb'",
    "gate/answers.py": "dmsetup table and wipefs --no-act, which read",
    "store/verify.py": "raw documents of a run, with 'rb'",
    "trace/steps.py": "the steps of a trace, with 'rb'",
    "base/jit_numba.py": "the source of kernels, with 'rb', to be locked while they are compiled",
    "base/untrusted.py": "the operator's files, with 'rb'",
    "gate/holdings.py": "an ext superblock read with 'rb'",
    "engines/_fio_load.py": "/proc/stat",
    "base/fio_features.py": "fio's own help",
    "engines/_room.py": "the size of the gate's path, O_RDONLY",
    "meters/file.py": "the file of a meter, with 'rb'",
    "meters/redfish.py": "an address of a management controller",
    "host/ceiling.py": "fio on its null engine, which has no drive",
}
WRITES_FOLDERS = {
    "base/regular.py": "regular files of run folders, never through a link",
    "cli/_unit.py": "systemd, which is asked to run stend, and its word of it",
    "session/apart.py": "stend again, and the log of what it does",
    "cli/_edge.py": "/dev/null, for a standard stream that the caller closed or no longer reads",
    "engines/fio_jobs.py": "job files for plain fio, into the folder that was asked for",
    "meters/cmd.py": "the operator's own command, which no order of another host can give",
    "host/measured.py": "what the stand can, kept for the runs to come; dmidecode, which reads",
    "session/settings.py": "the run folder's record of what was set on the drive",
    "capture": "the switches of tracefs, of our own instance; its buffers, O_RDONLY; parts of a trace, beside it",
    "catalogue": "parts below a folder of runs, or in a temporary one",
    "fleet/certificates.py": "certificates and keys, with O_EXCL",
    "fleet/beside.py": "a trial of several drives, which is stend again, and its log",
    "fleet/slurm.py": "Slurm, which is asked to run stend, and its word of it",
    "fleet/worker.py": "itself, begun anew when its scheduler is gone",
    "session/together/trial.py": "a probe a drive, which is stend again and goes through the gate",
    "imports": "what is handed in, with 'rb'; its original, into a run folder of its own",
    "live": "pictures of a page, into the folder that is served",
    "base/render_process.py": "its own standard output, for its answers",
    "report": "pages below the folder that was asked for; the drive sheet and its photo, into the run folder",
    "store/__init__.py": "the run folder",
    "many": "the JUnit file that was asked for; the folder of a sweep: virtual drives and their table",
    "trace": "traces of others with 'rb'; blkparse, which reads",
    "base/atomic.py": "files in one piece: of the run folder, tables, traces",
    "store/writer.py": "the run folder's lock and its owner",
}
WRITES_DRIVES = {
    "devices/telling/tools.py": "nvme, hdparm and the like; which of their words write is looked at in test_purge.py",
    "devices/drive.py": "the kernel's switch for power saving, after the gate's own check",
    "devices/_scsi_disk.py": "the kernel's switch for a disk's write cache, after the gate's own check",
    "devices/purging/rescan.py": "the kernel's switches that find a prepared disk anew, after the gate",
    "gate/entry.py": "opens the drive: the gate itself",
    "gate/uses.py": "whether a node below a loop is taken (O_RDONLY, O_EXCL)",
    "gate/swap.py": "whether a file is swap (zero bytes)",
    "devices/purging/methods.py": "purges through `Gate.writing_fd`",
    "devices/file.py": "makes a new file with O_EXCL",
    "devices/telling/evidence.py": "/dev/kmsg with O_RDONLY",
    "engines/_child.py": "starts our own sender or reader on the gate's path",
    "engines/survey/reader.py": "opens the gate's path with O_RDONLY",
    "engines/verify/load.py": "opens the gate's path, as fio does, and writes there",
    "engines/_fio_process.py": "starts fio on the gate's path",
    "engines/replay/discards.py": "discards of a trace, on the descriptor of the gate's path that the sender has open",
    "engines/replay/memory.py": "memory that a sender shares with us",
    "engines/replay/sender.py": "opens the gate's path, as fio does",
}
ASKS_FOR_SWAP = "os.open(layer.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)"
"""The one opening for writing besides the gate's own: zero bytes are copied, which the kernel refuses of swap."""
WRITING = ("O_RDWR", "O_WRONLY", "'w", "'a", "'r+", "'x")
KNOWN = READS | WRITES_FOLDERS | WRITES_DRIVES


@cache
def calls(path: Path) -> list[tuple[str, str]]:
    """(name of what is called, the whole call) of all in a file that may open or run something."""
    return [*_calls(ast.parse(path.read_text()))]


def _calls(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
            if name in OPENS or (name in RUNS and owner in ("subprocess", "os", "")):
                yield name, ast.unparse(node)


def room(path: Path, root: Path) -> str:
    inner = str(path.relative_to(root))
    return inner if inner in KNOWN else inner.split("/", maxsplit=1)[0]


def strangers(root: Path) -> list[str]:
    """Calls outside the known rooms, and openings for writing in rooms that only read."""
    found = []
    for path in sorted(root.rglob("*.py")):
        for name, whole in calls(path):
            where = room(path, root)
            if (where not in KNOWN and not _harmless(name, whole)) or (
                where in READS and any(mark in whole for mark in WRITING)
            ):
                found.append(f"{path.relative_to(root)}: {whole}")
    return found


def _harmless(name: str, whole: str) -> bool:
    """Our own `run`, and the opening of a drive's door, which is the gate."""
    return (name == "run" and not whole.startswith(("subprocess", "os."))) or whole.startswith("device.door.open(")


def test_every_opening_is_known() -> None:
    assert strangers(SOURCES) == []


def test_every_known_room_still_opens_something() -> None:
    opening = {room(p, SOURCES) for p in SOURCES.rglob("*.py") if calls(p)}
    assert set(KNOWN) <= opening


def test_a_planted_opening_is_found(tmp_path: Path) -> None:
    lines = ["os.open(path, os.O_RDWR)", "Path(node).write_bytes(b'')", "subprocess.run(['dd', node])", "open(n, 'wb')"]
    for number, line in enumerate(lines):
        (tmp_path / f"planted{number}.py").write_text(f"import os, subprocess\n{line}\n")
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines/fio.py").write_text("import os\nos.open(path, os.O_RDWR)\n")
    assert len(strangers(tmp_path)) == len(lines) + 1


def test_only_the_gate_opens_a_drive_for_writing() -> None:
    rooms = (path for room in ("gate", "devices") for path in sorted((SOURCES / room).rglob("*.py")))
    for path in [SOURCES / "base/sysfs.py", *rooms]:
        for name, whole in calls(path):
            if name == "open" and ("O_RDWR" in whole or "O_WRONLY" in whole) and whole != ASKS_FOR_SWAP:
                assert "O_EXCL" in whole, f"{path.name}: {whole}"
                assert "O_CREAT" in whole, f"{path.name}: {whole}"
