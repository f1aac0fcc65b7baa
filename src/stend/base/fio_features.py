"""What this host's fio can do: asked of fio and of the kernel, never guessed from a version."""

import ctypes
import os
import platform
import shutil
import signal
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import Missing
from stend.base.programs import install, missing

PATIENCE_S = 10.0
IO_URING_SETUP = 425  # the same number on every architecture of Linux
IO_URING_PARAMS_BYTES = 120

KEEPS_TIME = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
"""What the kernel keeps time by now; it leaves a clock that it finds out to be wrong."""

NEEDED = (
    "allow_file_create",
    "buffer_compress_percentage",
    "bssplit",
    "clocksource",
    "exec_prerun",
    "exitall_on_error",
    "group_reporting",
    "io_size",
    "lat_percentiles",
    "percentage_random",
    "random_distribution",
    "random_generator",
    "randseed",
    "refill_buffers",
)
"""Options without which there is no measuring; the younger ones are what tells fio 3 from its elders."""


class Features(NamedTuple):
    """fio's own word for its version, and the engine with which it sends IO."""

    version: str
    ioengine: str

    def __str__(self) -> str:
        return f"{self.version}, {self.ioengine}"


def probe(fio: str = "fio") -> Features:
    """Ask fio what it can do, in about 30 ms; Missing when it is not there or cannot do what stend needs."""
    path = shutil.which(fio)
    if not path:
        raise Missing(f"{fio} is not installed: `{install(['fio'])}`")
    if not shutil.which("setpriv"):
        raise Missing(f"{missing('setpriv')}; it ends fio with stend")
    return _told(os.path.abspath(path), os.stat(path).st_mtime_ns)


@cache
def _told(fio: str, changed_ns: int) -> Features:
    """Once for each fio and its state on disk."""
    options = {line.split(":")[0].strip() for line in _ask(fio, "--cmdhelp=all").splitlines()}
    lacking = [name for name in NEEDED if name not in options]
    if lacking:
        raise Missing(f"{fio} does not know {', '.join(lacking)}; {_another()}")
    if "json+" not in _ask(fio, "--help"):
        raise Missing(f"{fio} cannot print json+; {_another()}")
    return Features(_ask(fio, "--version").strip(), _ioengine(fio))


def _ioengine(fio: str) -> str:
    engines = _ask(fio, "--enghelp").split()
    if "io_uring" in engines and io_uring_works():
        return "io_uring"
    if "libaio" in engines:
        return "libaio"
    raise Missing(f"{fio} has neither io_uring (which this kernel must allow) nor libaio; {_another()}")


def clock() -> list[str]:
    """fio's word for the clock it takes times by, on x86: the processor's own (TSC) as long as the kernel trusts it.

    Left to itself fio looks at each start whether the processors' clocks agree to the cycle, for 70 ms of two of them.
    Where they nearly do it is chance what it finds, and steps of one run differ by 0.1 us of processor an IO.
    """
    try:
        told = KEEPS_TIME.read_text().strip() if platform.machine() == "x86_64" else ""
    except OSError:
        told = ""
    return [f"--clocksource={'cpu' if told == 'tsc' else 'clock_gettime'}"] if told else []


def _another() -> str:
    return f"install one that can: `{install(['fio'])}`"


def io_uring_works() -> bool:
    """Whether the kernel gives us a ring: a sysctl, seccomp or a limit of locked memory may forbid it."""
    parameters = ctypes.create_string_buffer(IO_URING_PARAMS_BYTES)
    ring: int = ctypes.CDLL(None, use_errno=True).syscall(IO_URING_SETUP, 32, parameters)
    if ring < 0:
        return False
    os.close(ring)
    return True


def _ask(fio: str, question: str) -> str:
    try:
        done = subprocess.run(
            [fio, question], capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{fio} does not answer {question} ({error}); {_another()}") from error
    if done.returncode < 0:  # what it said until then is not all that it can
        raise Missing(f"{fio} {question} was ended by {signal.Signals(-done.returncode).name}; see `dmesg`, try again")
    return done.stdout
