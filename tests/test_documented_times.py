"""The expected times of "Which test do I need?" are those of `stend plan`, to within a sixth or 3 minutes."""

import re
from pathlib import Path

import pytest

from stend import session

PAGE = Path(__file__).parents[1] / "docs/how-to/which-test.md"
ROWS = re.findall(r"^\| .*?`([a-z-]+)`[^|]*\| ([\d.]+) (min|h|days)\b.* \|$", PAGE.read_text(), re.MULTILINE)
SECONDS = {"min": 60, "h": 3600, "days": 86_400}
DRIVES = {
    "review-nvme": "sim:sn150",
    "review-sata": "sim:saber1000",
    "review-sshd": "sim:st600mx0052",
    "review-raid": "sim:x25e-raid",
}
"""The drives that the page names; all other times are of `sim:kc2000`."""
SHORTEST = {"heat"}
"""Tests whose row begins with the shortest time; the plan states the expected one."""


def test_the_page_has_a_time_for_nearly_every_test_and_suite() -> None:
    assert len(ROWS) > 35


@pytest.mark.parametrize(("name", "amount", "unit"), [row for row in ROWS if row[0] not in SHORTEST], ids=lambda x: x)
def test_a_time_on_the_page_is_that_of_the_plan(name: str, amount: str, unit: str) -> None:
    expected = session.planned(session.Request([name], DRIVES.get(name, "sim:kc2000"))).expected_s
    assert float(amount) * SECONDS[unit] == pytest.approx(expected, rel=1 / 6, abs=180)
