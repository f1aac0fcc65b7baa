"""Kernels: compiled once for all who need them at the same time."""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import pytest

from tests import kernels

KERNEL = "from stend.base.jit import compiled\n\n@compiled\ndef twice(number):\n    return 2 * number\n"


def waiting(file: int) -> int:
    """How many processes wait for a lock of it."""
    place = f":{os.fstat(file).st_ino} "
    return sum("->" in line and place in line for line in Path("/proc/locks").read_text().splitlines())


@pytest.fixture
def twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A kernel that nobody compiled yet."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "kernel_of_two.py").write_text(KERNEL)
    yield import_module("kernel_of_two").twice
    del sys.modules["kernel_of_two"]


def asked(kernel: Any, told: Path) -> int:
    """A process that needs it, and tells whether it was found compiled."""
    if number := os.fork():
        return number
    try:
        told.write_text(f"{kernel(21)} {kernel.stats.cache_hits.total()}")
    finally:
        os._exit(0)


def test_of_those_who_need_a_kernel_at_once_one_compiles_it(twice: Any, tmp_path: Path) -> None:
    told = [tmp_path / str(number) for number in range(3)]
    with open(twice.py_func.__code__.co_filename, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        forks = [asked(twice, path) for path in told]
        while waiting(file.fileno()) < len(forks):
            time.sleep(0.01)
        fcntl.flock(file, fcntl.LOCK_UN)
        for fork in forks:
            os.waitpid(fork, 0)
    assert sorted(path.read_text() for path in told) == ["42 0", "42 1", "42 1"]


def test_a_place_without_locks_is_no_reason_not_to_compile(twice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(9, "no locks here")

    monkeypatch.setattr(fcntl, "flock", none)
    assert twice(21) == 42
    assert not twice.stats.cache_hits


def in_another_process(code: str, folder: Path) -> None:
    """After kernel_of_two has doubled 21; what it compiles stays in the folder."""
    (folder / "kernel_of_two.py").write_text(KERNEL)
    whole = f"import sys, numba, numpy as np, kernel_of_two\nassert kernel_of_two.twice(21) == 42\n{code}"
    env = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", whole], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_kernel_loads_no_matrices_and_hides_them_from_nobody(tmp_path: Path) -> None:
    """What would look for them is numba; a kernel of somebody else in the same process still finds them."""
    compiles = """
assert not kernel_of_two.twice.stats.cache_hits and "numba.np.arraymath" in sys.modules
assert "scipy.linalg" not in sys.modules
assert numba.njit(lambda a, b: a @ b)(np.eye(2), np.ones((2, 2))).sum() == 4
assert "scipy.linalg" in sys.modules
"""
    in_another_process(compiles, tmp_path)
    kept = "assert kernel_of_two.twice.stats.cache_hits"
    in_another_process(f'{kept} and not {{"numba.np.arraymath", "scipy.linalg"}} & {{*sys.modules}}', tmp_path)


@pytest.mark.parametrize("kind", ["array", "disk", "flash", "ideal"])
def test_what_is_compiled_before_the_tests_serves_every_kind_of_drive(kind: str) -> None:
    kernels.main()
    assert import_module(f"stend.sim.{kind}_kernel").serve.signatures
