"""Sizes, times and rates as people write and read them."""

import pytest

from stend.base import units
from stend.base.errors import BadInput
from stend.base.units import binary, block_label, decimal, duration, latency, parse_bytes, rate


@pytest.mark.parametrize(
    ("text", "size"),
    [("512", 512), ("4K", 4096), ("4KiB", 4096), ("1 GiB", 2**30), ("500GB", 500 * 10**9), ("1.5m", 1572864)],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "4X", "-1", "1e9", "GiB", "4 K B"])
def test_what_is_not_a_size_says_so(text: str) -> None:
    with pytest.raises(BadInput, match="is not a size"):
        parse_bytes(text)


def test_sizes_are_written() -> None:
    assert binary(2**30) == "1 GiB"
    assert binary(1.5 * 2**40) == "1.5 TiB"
    assert binary(2**30 - 1) == "1 GiB"
    assert decimal(1600321314816) == "1.6 TB"
    assert decimal(999_999_999) == "1 GB"
    assert block_label(512) == "0.5K"
    assert block_label(2**20) == "1024K"
    assert block_label(2**31) == "2097152K"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.25, "0.25 s"), (90, "1 min 30 s"), (55_800, "15 h 30 min"), (172_800, "2 d"), (3600, "1 h"), (59.6, "1 min")],
)
def test_durations_are_written(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_latencies_and_rates_are_written() -> None:
    assert latency(21e-6) == "21 µs"
    assert latency(0.0026) == "2.6 ms"
    assert latency(1.25) == "1.25 s"
    assert rate(430_000) == "430k"
    assert rate(14) == "14"


@pytest.mark.parametrize(
    ("per_second", "text"),
    [
        (0, "0"),
        (1e-6, "0"),
        (0.48, "0.48"),
        (3.83, "3.8"),
        (9.96, "10"),
        (9_999, "9999"),
        (12_345, "12.3k"),
        (999_400, "999k"),
        (999_600, "1M"),
        (1_430_000, "1.43M"),
        (24_100_000, "24.1M"),
    ],
)
def test_a_million_ios_are_written_without_an_exponent(per_second: float, text: str) -> None:
    assert rate(per_second) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0009996, "1 ms"), (0.9996, "1 s"), (0.000_999_4, "999 µs"), (1234.0, "1234 s"), (0.000_042_1, "42.1 µs")],
)
def test_a_response_time_that_rounds_up_to_the_next_unit_is_written_in_it(seconds: float, text: str) -> None:
    assert latency(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("1.5 m", 90), ("10min", 600), ("2H", 7200), ("2d", 172_800), ("366d", 366 * 86_400)],
)
def test_a_time_has_the_unit_that_is_written_or_seconds(text: str, seconds: float) -> None:
    assert units.parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0s", "-1", "1x", "s", "1e3", "367d", "1 h 5", "nan"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not a time"):
        units.parse_seconds(text)


def test_a_size_has_the_unit_that_is_written_or_bytes() -> None:
    binary = {"": 0, "b": 0, "k": 1, "kib": 1, "m": 2, "mib": 2, "g": 3, "gib": 3, "t": 4, "tib": 4}
    decimal = {"kb": 1, "mb": 2, "gb": 3, "tb": 4}
    for word, power in binary.items():
        assert units.parse_bytes(f"3{word}") == units.parse_bytes(f"3 {word.upper()}") == 3 * 1024**power
    for word, power in decimal.items():
        assert units.parse_bytes(f"3{word}") == 3 * 1000**power
