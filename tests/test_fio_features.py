"""Features of fio and of the kernel: what is asked of either, and the sentence of each that is missing."""

import ctypes
import os
import platform
import sys
from pathlib import Path
from typing import Any

import pytest

from stend.base import direct_io, fio_features
from stend.base.errors import Missing
from stend.base.fio_features import NEEDED

FIO = """#!/bin/sh
case "$1" in
    --cmdhelp=all) {options} ;;
    --help) echo "--output-format=x  terse,json,json+,normal" ;;
    --version) echo fio-3.36 ;;
    --enghelp) printf "Available IO engines:\\n{engines}" ;;
esac
exit {code}
"""


def fio(path: Path, code: int = 0, engines: str = "\\tlibaio\\n", **more: str) -> str:
    options = more.get("options", "; ".join(f"echo '{name}   : words'" for name in NEEDED))
    path.write_text(FIO.format(options=options, engines=engines, code=code))
    path.chmod(0o755)
    return str(path)


class Library:
    """The C library, whose system call answers as it is told to, and keeps its arguments."""

    def __init__(self, answer: int) -> None:
        self.answer, self.calls = answer, list[tuple[Any, ...]]()

    def syscall(self, *arguments: Any) -> int:
        self.calls.append(arguments)
        return self.answer


@pytest.mark.parametrize(("allowed", "answer"), [(False, -1), (True, 0), (True, 9)])
def test_io_uring_works_where_the_kernel_gives_a_ring_which_is_closed(
    allowed: bool, answer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """asm-generic/unistd.h: __NR_io_uring_setup is 425; linux/io_uring.h: struct io_uring_params has 120 bytes."""
    library, closed = Library(answer), list[int]()
    monkeypatch.setattr(ctypes, "CDLL", lambda *_: library)
    monkeypatch.setattr(os, "close", closed.append)
    works = fio_features.io_uring_works()
    monkeypatch.undo()
    assert (works, closed) == (allowed, [answer] * allowed)
    ((number, entries, parameters),) = library.calls
    assert (number, ctypes.sizeof(parameters)) == (425, 120)
    assert 1 <= entries <= 64


@pytest.mark.parametrize(("answer", "mask", "block"), [(0, 0x2000, 512), (0, 0, None), (-1, 0x2000, None)])
def test_the_block_of_direct_io_is_what_statx_states(
    answer: int, mask: int, block: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """linux/stat.h: stx_mask is at 0, stx_dio_offset_align at 0x9c of struct statx, which has 256 bytes."""
    calls = list[tuple[Any, ...]]()

    class Statx:
        @staticmethod
        def statx(folder: int, path: bytes, flags: int, wanted: int, told: Any) -> int:
            calls.append((folder, path, flags, wanted, ctypes.sizeof(told)))
            told[0:4], told[0x9C:0xA0] = (number.to_bytes(4, sys.byteorder) for number in (mask, 512))
            return answer

    monkeypatch.setattr(ctypes, "CDLL", lambda *_: Statx)
    assert direct_io.block_bytes("a/file") == block
    assert calls == [(-100, b"a/file", 0, 0x2000, 256)]
    monkeypatch.setattr(ctypes, "CDLL", lambda *_: object())
    assert direct_io.block_bytes("a/file") is None, "a C library without statx"


def test_a_fio_that_ends_with_an_error_after_its_answer_has_answered(tmp_path: Path) -> None:
    program = fio(tmp_path / "fio", code=1)
    assert fio_features.probe(program) == ("fio-3.36", "libaio")
    assert str(fio_features.probe(program)) == "fio-3.36, libaio"


@pytest.mark.parametrize(
    ("engines", "allowed", "engine"),
    [
        ("io_uring libaio", True, "io_uring"),
        ("io_uring libaio", False, "libaio"),
        ("libaio", True, "libaio"),
        ("io_uring", False, ""),
        ("sync", True, ""),
    ],
)
def test_io_uring_is_used_where_fio_and_the_kernel_have_it(
    engines: str, allowed: bool, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fio_features, "io_uring_works", lambda: allowed)
    program = fio(tmp_path / "fio", engines=engines.replace(" ", "\\n"))
    if engine:
        assert fio_features.probe(program).ioengine == engine
        return
    with pytest.raises(Missing, match=r"has neither io_uring \(which this kernel must allow\) nor libaio; install one"):
        fio_features.probe(program)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/no/such/program\n", "cannot be used (No such file or directory); install one that can: "),
        ("#!/bin/sh\nkill -9 $$\n", "--cmdhelp=all was ended by SIGKILL; see `dmesg`, try again"),
        ("#!/bin/sh\necho 'bssplit : x'\n", "does not know allow_file_create, buffer_compress_percentage, clocksource"),
    ],
)
def test_a_fio_that_cannot_be_used_is_refused_with_the_reason(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "fio").write_text(text)
    (tmp_path / "fio").chmod(0o755)
    with pytest.raises(Missing) as refused:
        fio_features.probe(str(tmp_path / "fio"))
    assert str(refused.value).startswith(f"{tmp_path}/fio {why}")


def test_a_fio_without_an_answer_is_not_waited_for_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fio_features, "PATIENCE_S", 0.01)
    (tmp_path / "fio").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "fio").chmod(0o755)
    with pytest.raises(Missing, match=r"cannot be used \(no answer to --cmdhelp=all within 0.01 s\)"):
        fio_features.probe(str(tmp_path / "fio"))


@pytest.mark.parametrize(
    ("machine", "source", "option"),
    [
        ("x86_64", "tsc\n", ["--clocksource=cpu"]),
        ("x86_64", "hpet\n", ["--clocksource=clock_gettime"]),
        ("x86_64", None, []),
        ("x86_64", "", []),
        ("aarch64", "tsc\n", []),
    ],
)
def test_the_clock_of_fio_is_that_of_the_kernel_on_x86(
    machine: str, source: str | None, option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source is not None:
        (tmp_path / "clock").write_text(source)
    monkeypatch.setattr(fio_features, "CLOCKSOURCE", tmp_path / "clock")
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert fio_features.clock() == option
