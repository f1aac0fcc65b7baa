"""What this host's fio can do: asked of fio and of the kernel, never guessed from a version."""

import ctypes
import os
import shutil
import signal
import subprocess
from functools import cache
from typing import NamedTuple

from stend.errors import Missing
from stend.programs import install, missing

PATIENCE_S = 10.0
IO_URING_SETUP = 425  # the same number on every architecture of Linux
IO_URING_PARAMS_BYTES = 120

NEEDED = (
    "allow_file_create",
    "buffer_compress_percentage",
    "bssplit",
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
        done = subprocess.run([fio, question], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{fio} does not answer {question} ({error}); {_another()}") from error
    if done.returncode < 0:  # what it said until then is not all that it can
        raise Missing(f"{fio} {question} was ended by {signal.Signals(-done.returncode).name}; see `dmesg`, try again")
    return done.stdout
