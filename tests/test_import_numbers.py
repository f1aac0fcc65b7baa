"""Numbers of other tools: what is one, what is none, and sizes with prefixes."""

import pytest

from stend.imports import numbers

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
