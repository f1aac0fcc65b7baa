"""The range of a test on its page: in percent of the drive, also if a limit in bytes makes it smaller."""

import pytest

from stend.report.parts.audit import _range
from stend.report.parts.header import range_shown
from stend.words import Language
from tests.synthetic import made

EN = Language("en")


@pytest.mark.parametrize(
    ("active_pct", "limit_bytes", "shown"),
    [
        (100.0, 0, "100% (480 GB)"),
        (50.0, 0, "50% (240 GB)"),
        (100.0, 48_000_000_000, "10% (48 GB)"),
        (50.0, 48_000_000_000, "10% (48 GB)"),
        (100.0, 2_400_000_000, "0.5% (2.4 GB)"),
    ],
)
def test_a_range_that_a_limit_makes_smaller_is_not_called_the_whole_drive(
    active_pct: float, limit_bytes: int, shown: str
) -> None:
    run = made("fresh", active_range_pct=active_pct, range_limit_bytes=limit_bytes, shorten=60)
    test = run.plan.tests[0]
    assert range_shown(run, test, EN).replace("\u00a0", " ") == shown
    assert _range(run, test, set(), EN)[1] == ("deviated" if limit_bytes else "met")
