"""Numbers of other tools: what is one, what is none, and sizes with prefixes."""

from typing import Any

import pytest

from stend.imports import diskspd_text, numbers

MIB = 2**20


@pytest.mark.parametrize(
    ("text", "number", "whole"),
    [
        ("0", 0.0, 0),
        ("-0", 0.0, 0),
        ("1.9", 1.9, 1),
        ("-1", -1.0, None),
        ("1e3", 1000.0, 1000),
        (" 7 ", 7.0, 7),
        ("1,5", None, None),
        ("nan", None, None),
        ("inf", None, None),
        ("many", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_a_number_is_read_or_is_none(text: str | None, number: float | None, whole: int | None) -> None:
    assert (numbers.number(text), numbers.whole(text)) == (number, whole)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("4k", 4096),
        ("4K", 4096),
        ("128KiB", 128 * 1024),
        ("1 MiB", MIB),
        ("1.5m", 3 * MIB // 2),
        ("2g", 2**31),
        ("1t", 2**40),
        ("0", 0),
        ("k", None),
        ("-4k", None),
        ("4x", None),
        ("9" * 18, int(float("9" * 18))),
        ("9" * 19, None),
    ],
)
def test_prefixes_of_sizes_are_binary(text: str, size: int | None) -> None:
    """fio(1): `k` is 1024 unless kb_base is 1000."""
    assert numbers.size(text) == size


@pytest.mark.parametrize(("size", "block"), [(None, None), (0, None), (0.5, None), (1, 1), (512.0, 512), (1e30, None)])
def test_an_io_has_at_least_one_byte(size: float | None, block: int | None) -> None:
    assert numbers.block(size) == block


PRINTED = "block size: {size}\n\tusing {how}\n\tnumber of outstanding I/O operations: 32\n\tthreads per file: 4\n"


@pytest.mark.parametrize(
    ("head", "told"),
    [
        (PRINTED.format(size=4096, how="random I/O (alignment: 4096)"), (4096, 100, 32, 4, 0)),
        (PRINTED.format(size=8192, how="mixed random/sequential I/O (30% random)"), (8192, 30, 32, 4, 0)),
        (PRINTED.format(size=8192, how="mixed random/sequential I/O (250% random)"), (8192, 100, 32, 4, 0)),
        (PRINTED.format(size=512, how="sequential I/O") + "\tsize: 1073741824B", (512, 0, 32, 4, 1 << 30)),
        ("block size: 512\ntotal threads: 9", (512, 0, None, 9, 0)),
        ("Command Line: diskspd -b8K -t2 -o16 -rs25 -c1G x", (8192, 25, 16, 2, 1 << 30)),
        ("Command Line: diskspd -r -F8 x", (64 << 10, 100, 2, 8, 0)),
        ("Command Line: diskspd /b4K /rs200 x", (4096, 100, 2, 1, 0)),
        ("Command Line: diskspd x", (64 << 10, 0, 2, 1, 0)),
        ("nothing", (None, None, None, None, 0)),
    ],
)
def test_settings_of_diskspd_are_those_that_it_printed_or_else_of_its_command(head: str, told: tuple[Any, ...]) -> None:
    assert tuple(diskspd_text.settings(head)) == told
