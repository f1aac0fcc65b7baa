"""Every shape of a number at the edges where its digits or its unit change, as hand-written tables of both languages.

A figure in a table has three significant digits; the International System of Units sets prefixes, IEC 80000-13 the
binary ones. Expected texts are written by hand; NBSP between a number and its unit is shown here as a blank.
"""

import pytest

from stend.words import Language
from stend.words.numbers import SHAPES, Exact

KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40
ENGLISH: dict[str, list[tuple[object, str]]] = {
    "n": [(0, "0"), (-0.0, "0"), (9999, "9,999"), (1e6, "1,000,000"), (0.1234, "0.123"), (0.01234, "0.0123"),
          (0.999, "0.999"), (1.234, "1.23"), (9.994, "9.99"), (12.34, "12.3"), (99.94, "99.9"), (100.4, "100"),
          (-12.34, "−12.3"), (1.5, "1.5"), (2.0, "2")],
    "measured": [(0, "0"), (0.11, "0.110"), (1.5, "1.50"), (9.996, "10.0"), (100.0, "100"), (0.05, "0.0500")],
    "cell": [(0, "0"), (0.05, "0.05"), (1.2, "1.20"), (9.996, "10.0"), (45.0, "45.0"), (99.96, "100"), (123.4, "123")],
    "whole": [(0.4, "0"), (1234.6, "1,235")],
    "rate": [(9.96, "9.96"), (10.4, "10"), (-10.4, "−10"), (125_400, "125,400"), (0.5, "0.5")],
    "mbs": [(1e8, "100 MB/s"), (99.94e6, "99.9 MB/s"), (123.4e6, "123 MB/s"), (2.5e6, "2.5 MB/s")],
    "money": [(100.0, "100"), (99.5, "99.50")],
    "gb": [(999, "999 B"), (1000, "1 kB"), (999_400, "999 kB"), (999_999, "1 MB"),
           (1e12, "1 TB"), (2e15, "2,000 TB")],
    "gib": [(1023, "1,023 B"), (KIB, "1 KiB"), (MIB - 1, "1 MiB"), (MIB, "1 MiB"), (1.5 * GIB, "1.5 GiB"),
            (TIB, "1 TiB")],
    "lat": [(9.994e-6, "9.99 µs"), (9.996e-6, "10.0 µs"), (10.04e-6, "10.0 µs"), (99.94e-6, "99.9 µs"),
            (99.96e-6, "100 µs"), (100.4e-6, "100 µs"),
            (999e-6, "999 µs"), (999.6e-6, "1.00 ms"), (1e-3, "1.00 ms"), (100.4e-3, "100 ms"),
            (1.0, "1.00 s"), (100.4, "100 s")],
    "watts": [(0.0999, "99.9 mW"), (0.09996, "0.10 W"), (9.996, "10.0 W"), (0.1, "0.10 W"), (9.994, "9.99 W"),
              (10.04, "10.0 W"), (100.4, "100 W"),
              (-100.4, "−100 W"), (-10.04, "−10.0 W")],
    "per_watt": [(9.96, "9.96 IOPS/W"), (10.4, "10 IOPS/W")],
    "per_joule": [(99.94e6, "99.9 MB/J"), (100.4e6, "100 MB/J")],
    "time": [(0, "0 s"), (0.25, "250 ms"), (1, "1 s"), (9.5, "9.5 s"), (10, "10 s"), (60, "1 min"),
             (90, "1 min 30 s"), (3600, "1 h"), (3661, "1 h 1 min"), (86_400, "1 d"), (90_000, "1 d 1 h")],
    "pct": [(0.12, "12%"), (0.1234, "12.3%"), (0.1996, "20%"), (0.2044, "20%"), (-0.1234, "−12.3%"), (-0.2044, "−20%"),
            (0, "0%"), (0.00016, "0.016%"), (0.0004, "0.04%"), (0.00051, "0.1%")],
    "beyond": [(0.1234, "12.3%"), (0.204, "20.4%"), (0.2004, "20.04%"), (0.10001, "10.001%"), (0.2, "20%"),
               (0.0004, "0%"), (1.018, "102%"), (0.20000000000000004, "20%")],
    "tenths": [(0.21, "21.0%"), (-0.0124, "−1.2%"), (-0.0004, "0.0%"), (0, "0.0%"), (1.5, "150.0%")],
    "change": [(0.12, "12.0%"), (0.2044, "20%")],
    "times": [(1.234, "1.23×"), (2.996, "3×"), (3.04, "3×"), (3.14, "3.1×"), (19.96, "20×"), (20.4, "20×")],
    "fold": [(3.2, "3.2 times"), (9.96, "10 times"), (10.4, "10 times"), (1234, "1,230 times"), (99.6, "100 times"),
             (100.4, "100 times")],
    "part": [(5.4, "19%"), (10, "10%"), (10.5, "9.5%"), (100, "1%"), (2, "50%")],
    "gain": [(1.15, "15%"), (1.123, "12.3%"), (1.5, "50%")],
    "nines": [(99.99, "99.99%"), (99.0, "99%"), (50, "50%")],
    "small": [(0.000012, "0.0012%"), (0.1, "10%"), (0.0123, "1.2%"), (0, "0%")],
    "sure": [(1, "99.99%"), (0.99999, "99.99%"), (0.95, "95%"), (0.9999, "99.99%"), (0.123456, "12.34%")],
    "steps": [([680e6, 485.4e6], "680 → 485 MB/s")],
    "load": [
        ("RND 4K 0/100 T4 Q32", "random write 4 KiB, T4 Q32"),
        ("SEQ 1024K 100/0 T1 Q8", "sequential read 1 MiB, T1 Q8"),
    ],
}  # fmt: skip
RUSSIAN: dict[str, list[tuple[object, str]]] = {
    "n": [(9999, "9999"), (10_000, "10 000"), (1.5, "1,5")],
    "pct": [(0.123, "12,3 %")],
    "beyond": [(0.2004, "20,04 %")],
    "times": [(1, "1 раз"), (2, "2 раза"), (3.4, "3,4 раза"), (5.0, "5 раз"), (21, "21 раз"), (111, "111 раз")],
    "fold": [(10, "в 10 раз"), (2, "в 2 раза"), (3.2, "в 3,2 раза")],
    "lat": [(1.5e-6, "1,50 мкс")],
    "gib": [(GIB, "1 ГиБ")],
}


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_every_number_has_the_digits_and_the_unit_of_its_size(lang: str) -> None:
    table = {"en": ENGLISH, "ru": RUSSIAN}[lang]
    assert set(ENGLISH) == set(SHAPES)
    words = Language(lang)
    wrong = []
    for shape, rows in table.items():
        for value, text in rows:
            shown = words.show(value, shape).replace("\u00a0", " ").replace("\u202f", " ").replace("\u2212", "−")
            wrong += [(shape, value, text, shown)] if shown != text else []
    assert wrong == []


FACTORS = {"": 1.0, "%": 0.01, "×": 1.0, "times": 1.0, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "mW": 1e-3, "W": 1.0,
           "MB/s": 1e6, "MB/J": 1e6, "IOPS/W": 1.0}  # fmt: skip
ROUNDED = ("n", "measured", "cell", "whole", "rate", "mbs", "lat", "watts", "per_watt", "per_joule", "pct", "tenths",
           "times", "fold", "small", "sure")  # fmt: skip


@pytest.mark.parametrize("shape", ROUNDED)
def test_a_number_is_shown_as_the_number_that_it_is_rounded_to(shape: str) -> None:
    """What a reader copies from a page is shown as it was there, also where rounding adds a digit."""
    words = Language("en")
    for size in range(-5, 7):
        for digits in (1, 1.004, 1.2345, 2.5, 2.996, 7.77, 9.94, 9.96, 9.994, 9.996, 9.9994, 9.9996):
            shown = words.show(digits * 10**size, shape)
            text, unit = shown.rstrip("%×"), shown[len(shown.rstrip("%×")) :]
            text, _, unit = text.partition("\u00a0") if "\u00a0" in text else (text, "", unit)
            number = float(text.replace(",", ""))
            assert not number or words.show(number * FACTORS[unit], shape) == shown


SAID: dict[str, list[tuple[float, str]]] = {
    "gib": [(1.234 * GIB, "1.2 GiB"), (9.96 * GIB, "10 GiB"), (12.6 * GIB, "13 GiB"), (123.4 * MIB, "123 MiB")],
    "gb": [(1.2345e12, "1.23 TB"), (987.65e9, "988 GB")],
    "lat": [(1e-6, "1 µs"), (1.23e-6, "1.2 µs"), (9.96e-6, "10 µs"), (123.4e-6, "123 µs"), (456e-6, "460 µs")],
    "watts": [(0.0512, "51 mW"), (5.26, "5.3 W"), (12.6, "13 W")],
    "time": [(599, "9 min 59 s"), (600, "10 min"), (629, "10 min"), (7100, "1 h 58 min"), (7400, "2 h"), (9, "9 s")],
    "mbs": [(98.6e6, "99 MB/s"), (123.4e6, "123 MB/s"), (4.56e6, "4.6 MB/s")],
    "rate": [(298_765, "299,000"), (312_345, "310,000"), (98.6, "99"), (124.4, "124"), (5.26, "5.3")],
    "times": [(12.34, "12×"), (1.26, "1.3×"), (299.6, "300×"), (356.0, "360×")],
}
"""Running text has two significant digits, or three from 100 to 300 and of sizes and rates in bytes from 100 on."""


@pytest.mark.parametrize("shape", SAID)
def test_running_text_rounds_a_number_unless_a_limit_is_near(shape: str) -> None:
    words = Language("en")
    for value, text in SAID[shape]:
        assert words.show(value, f"said:{shape}").replace("\u00a0", " ") == text
        assert words.show(Exact(value), f"said:{shape}") == words.show(value, shape)
