"""Features of the installed fio, queried from fio and the kernel rather than derived from a version number."""

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

CLOCKSOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
"""The clock source that the kernel uses now. It leaves a clock that it finds unreliable."""

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
"""Options that stend needs. The newer ones exist in fio 3 only."""


class Features(NamedTuple):
    """Version that fio prints, and the IO engine that stend uses with it."""

    version: str
    ioengine: str

    def __str__(self) -> str:
        return f"{self.version}, {self.ioengine}"


def probe(fio: str = "fio") -> Features:
    """Query the features of fio, which takes about 30 ms. Raise Missing if fio is absent or lacks a needed feature."""
    path = shutil.which(fio)
    if not path:
        raise Missing(f"{fio} is not installed: `{install(['fio'])}`")
    if not shutil.which("setpriv"):
        raise Missing(f"{missing('setpriv')}; it ends fio with stend")
    return _features(os.path.abspath(path), os.stat(path).st_mtime_ns)


@cache
def _features(fio: str, changed_ns: int) -> Features:
    """Query once per fio binary and modification time."""
    options = {line.split(":")[0].strip() for line in _output(fio, "--cmdhelp=all").splitlines()}
    lacking = [name for name in NEEDED if name not in options]
    if lacking:
        raise Missing(f"{fio} does not know {', '.join(lacking)}; {_another()}")
    if "json+" not in _output(fio, "--help"):
        raise Missing(f"{fio} cannot print json+; {_another()}")
    return Features(_output(fio, "--version").strip(), _ioengine(fio))


def _ioengine(fio: str) -> str:
    engines = _output(fio, "--enghelp").split()
    if "io_uring" in engines and io_uring_works():
        return "io_uring"
    if "libaio" in engines:
        return "libaio"
    raise Missing(f"{fio} has neither io_uring (which this kernel must allow) nor libaio; {_another()}")


def clock() -> list[str]:
    """Return the option that selects fio's clock on x86: the TSC as long as the kernel uses it, else clock_gettime.

    Without the option fio compares the processors' clocks at each start, which takes 70 ms of two processors. Where
    they nearly agree its choice is random, and steps of one run differ by 0.1 µs of processor time per IO.
    """
    try:
        source = CLOCKSOURCE.read_text().strip() if platform.machine() == "x86_64" else ""
    except OSError:
        source = ""
    return [f"--clocksource={'cpu' if source == 'tsc' else 'clock_gettime'}"] if source else []


def _another() -> str:
    return f"install one that can: `{install(['fio'])}`"


def io_uring_works() -> bool:
    """Return True if the kernel allows io_uring. A sysctl, seccomp or a limit of locked memory may forbid it."""
    parameters = ctypes.create_string_buffer(IO_URING_PARAMS_BYTES)
    ring: int = ctypes.CDLL(None).syscall(IO_URING_SETUP, 32, parameters)
    if ring < 0:
        return False
    os.close(ring)
    return True


def _output(fio: str, option: str) -> str:
    try:
        done = subprocess.run([fio, option], capture_output=True, errors="replace", timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or f"no answer to {option} within {PATIENCE_S} s"
        raise Missing(f"{fio} cannot be used ({why}); {_another()}") from error
    if done.returncode < 0:  # the output is incomplete, and would hide features
        raise Missing(f"{fio} {option} was ended by {signal.Signals(-done.returncode).name}; see `dmesg`, try again")
    return done.stdout
