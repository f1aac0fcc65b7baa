"""Processes compile the kernels of a file one after another, and a kernel that another of its file needs at once."""

import fcntl
from pathlib import Path
from types import SimpleNamespace

import pytest

from stend.base import jit_numba as jit


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("inner", [False, True], ids=["alone", "within another"])
def test_a_source_file_is_locked_unless_its_code_is_there_or_this_process_holds_it(
    tmp_path: Path, cached: bool, inner: bool
) -> None:
    source = tmp_path / "kernel.py"
    source.write_text("")
    locked = []

    def compile_kernel(signature: str) -> str:
        with source.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                locked.append(False)
            except BlockingIOError:
                locked.append(True)
        return f"machine code of {signature}"

    kernel = SimpleNamespace(py_func=SimpleNamespace(__code__=SimpleNamespace(co_filename=str(source))))
    kernel.compile = compile_kernel
    jit._compile_in_turn(kernel, lambda: cached)
    if inner:
        jit._HELD.add(str(source))
    try:
        assert kernel.compile("int64") == "machine code of int64"
        assert locked == [not cached and not inner]
        assert (str(source) in jit._HELD) is inner
    finally:
        jit._HELD.discard(str(source))
    kernel.compile("float64")
    assert locked[1:] == [not cached]
