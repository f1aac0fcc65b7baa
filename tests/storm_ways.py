"""What the storm does to a run: signals, a false clock, a full disk, a load that dies; and who is left of it."""

import os
import random
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path


def full_disk(room: int) -> Callable[[], None]:
    """The disk has no room for a file longer than this."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))


def false_clock(draw: random.Random) -> Callable[[], None]:
    """The wall clock is set, back and forth, while the run goes on."""
    real, jumps = time.time, [draw.uniform(-1e8, 1e8) for _ in range(3)]

    def jump() -> None:
        time.time = lambda: real() + jumps[int(real() * 3) % 3]

    return jump


def _kill(number: int) -> None:
    os.kill(number, signal.SIGKILL)


def _signals(*numbers: int) -> Callable[[int], None]:
    def send(child_: int) -> None:
        for number in numbers:
            os.kill(child_, number)
            time.sleep(0.001)

    return send


def _freeze(number: int) -> None:
    os.kill(number, signal.SIGSTOP)
    time.sleep(0.1)
    os.kill(number, signal.SIGCONT)
    time.sleep(0.05)
    os.kill(number, signal.SIGKILL)


def _fault(number: int) -> None:
    """The load dies under the run, as it does when its drive vanishes; a virtual run is killed."""
    own = [p for p in Path("/proc").glob("[0-9]*") if parent(p) == number and is_load(p)]
    for process in own:
        os.kill(int(process.name), signal.SIGKILL)
    if not own:
        _kill(number)


WAYS: dict[str, Callable[[int], None]] = {
    "kill -9": _kill,
    "Ctrl-C": _signals(signal.SIGINT),
    "Ctrl-C twice": _signals(signal.SIGINT, signal.SIGINT),
    "SIGTERM": _signals(signal.SIGTERM),
    "frozen, killed": _freeze,
    "clock set": _kill,
    "torn line": _kill,
    "load dies": _fault,
    "disk full": _kill,
    "two at once": _kill,
}


Heal = Callable[[], None]


def _truncated(path: str) -> Heal:
    size = os.path.getsize(path)
    os.truncate(path, size // 2)
    return lambda: os.truncate(path, size)


def _removed(path: str) -> Heal:
    os.rename(path, f"{path}.gone")
    return lambda: os.replace(f"{path}.gone", path)


WOUNDS: dict[str, dict[str, Callable[[str], Heal]]] = {
    "file": {"file truncated": _truncated, "file removed": _removed},
    "loop": {"drive fails": _truncated},
}
"""By the kind of drive: what is done to its file in mid-run, and undone once the run has ended. A loop device whose
file is cut answers IOs beyond its end with errors."""


def is_load(process: Path) -> bool:
    """Whether it is fio at work, and not fio asked what it can."""
    try:
        return b"--output-format" in (process / "cmdline").read_bytes()
    except OSError:
        return False


def parent(process: Path) -> int:
    """The number of a process's parent; 0 when it is gone."""
    try:
        return int((process / "stat").read_bytes().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def loads(target: str) -> list[str]:
    """Living fio processes whose gate leads to this target, orphans too."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            held = {os.readlink(fd) for fd in (process / "fd").iterdir()} if words[0].endswith(b"fio") else set()
        except OSError:
            continue
        found += [process.name] if os.path.realpath(target) in held else []
    return found
