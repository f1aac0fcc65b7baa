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


@pytest.mark.parametrize(("random_pct", "label"), [(0, "SEQ"), (1, "1%RND"), (99, "99%RND"), (100, "RND")])
def test_an_access_between_sequential_and_random_has_its_share(random_pct: int, label: str) -> None:
    assert units.access_label(random_pct) == label


@pytest.mark.parametrize(("size", "label"), [(1024, "1K"), (1536, "1.5K"), (4095, "3.99902K"), (513, "0.500977K")])
def test_a_block_that_is_no_whole_kibibyte_has_decimal_places(size: int, label: str) -> None:
    assert block_label(size) == label


def test_reads_and_writes_are_a_hundred_percent() -> None:
    assert [units.mix_label(read) for read in (0, 65, 100)] == ["0/100", "65/35", "100/0"]


@pytest.mark.parametrize(
    ("percent", "least", "places"),
    [
        (20.04, 0, 2),
        (20.04, 1, 2),
        (20.04, 3, 3),
        (99.96, 1, 2),
        (35.2, 0, 0),
        (25, 0, 0),
        (20, 0, 0),
        (20, 2, 2),
        (0.04, 0, 0),  # a little reads as nothing
        (0, 0, 0),
        (19.99996, 0, 5),
        (19.999996, 0, 0),  # within five places it is 20
        (19.999996, 1, 1),
    ],
)
def test_a_percentage_has_the_places_that_tell_it_from_a_whole_ten(percent: float, least: int, places: int) -> None:
    assert units.places_beyond(percent, least) == places


@pytest.mark.parametrize(
    ("size", "as_decimal", "as_binary"),
    [
        (0, "0 B", "0 B"),
        (999.4, "999 B", "999 B"),
        (999.5, "1 kB", "1000 B"),
        (-999.5, "-1 kB", "-1000 B"),
        (-(10**16), "-10000 TB", "-9095 TiB"),
        (1023.4, "1.02 kB", "1023 B"),
        (1023.5, "1.02 kB", "1 KiB"),
        (10**12, "1 TB", "931 GiB"),
        (10**15, "1000 TB", "909 TiB"),
        (2**60, "1152922 TB", "1048576 TiB"),
    ],
)
def test_a_size_is_in_the_unit_of_which_it_rounds_to_one_at_least(size: float, as_decimal: str, as_binary: str) -> None:
    assert (decimal(size), binary(size)) == (as_decimal, as_binary)


@pytest.mark.parametrize("seconds", [float("inf"), float("nan")])
def test_a_time_without_an_end_is_unknown(seconds: float) -> None:
    assert duration(seconds) == "an unknown time"


@pytest.mark.parametrize(
    ("seconds", "parts"),
    [
        (1, [(1, "s")]),
        (11, [(11, "s")]),
        (59.4, [(59, "s")]),
        (61, [(1, "min"), (1, "s")]),
        (3599.4, [(59, "min"), (59, "s")]),
        (3599.5, [(1, "h")]),
        (3629, [(1, "h")]),
        (3631, [(1, "h"), (1, "min")]),
        (4235, [(1, "h"), (11, "min")]),
        (86_369, [(23, "h"), (59, "min")]),
        (86_371, [(1, "d")]),
        (86_400 + 1799, [(1, "d")]),
        (86_400 + 1801, [(1, "d"), (1, "h")]),
        (2 * 86_400 + 23 * 3600, [(2, "d"), (23, "h")]),
        (400 * 86_400, [(400, "d")]),
    ],
)
def test_a_time_has_its_two_largest_units(seconds: float, parts: list[tuple[int, str]]) -> None:
    assert units.time_parts(seconds) == parts


@pytest.mark.parametrize(
    ("per_second", "text"),
    [(4e-5, "0"), (9.94, "9.9"), (9.95, "10"), (10.4, "10"), (10_000, "10k"), (999_499, "999k"), (999_500, "1M")],
)
def test_a_rate_is_rounded_to_the_digits_of_its_unit(per_second: float, text: str) -> None:
    assert rate(per_second) == text


@pytest.mark.parametrize(
    ("seconds", "unit"), [(999.5 * 1e-6, "ms"), (999.49 * 1e-6, "µs"), (999.5 * 1e-3, "s"), (999.49 * 1e-3, "ms")]
)
def test_no_response_time_reads_as_a_thousand_of_its_unit(seconds: float, unit: str) -> None:
    assert latency(seconds).split()[1] == unit
    assert not latency(seconds).startswith("1000")


def test_the_largest_size_is_one_byte_below_8_eib_and_the_longest_time_a_year() -> None:
    assert parse_bytes("8388607T") == 2**63 - 2**40
    assert parse_bytes("9223372036854774784") == 2**63 - 1024, "the largest double below"
    for text in ("8388608T", "9223372036854775808"):
        with pytest.raises(BadInput, match=f"'{text}' is too large; the largest size is 8 EiB"):
            parse_bytes(text)
    assert units.parse_seconds("31622400") == 366 * 86_400
    with pytest.raises(BadInput, match="'31622401' is not a time; write it like 90s, 10min, 1h or 2d, a year at most"):
        units.parse_seconds("31622401")


@pytest.mark.parametrize(("text", "why"), [("x" * 41, "is not a size"), ("9" * 41, "is too large")])
def test_of_a_long_text_the_first_40_characters_are_quoted(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=f"^'{text[:40]}' {why}"):
        parse_bytes(text)
    with pytest.raises(BadInput, match=f"^'{text[:40]}' is not a time"):
        units.parse_seconds(text)
