"""A slice of the storm (`make storm`) in every run of the tests."""

from pathlib import Path

import pytest

from tests import storm_grounds
from tests.storm import storm

pytestmark = pytest.mark.slow


def test_a_virtual_run_comes_through_a_storm_with_its_figures_equal_to_the_bit(tmp_path: Path) -> None:
    done = storm("virtual", tmp_path, seed=20261122, interruptions=12)
    assert done.interruptions >= 12


@pytest.mark.fio
def test_a_real_run_comes_through_a_storm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storm_grounds, "REAL", (*storm_grounds.REAL, "--threads", "1", "--depth", "1"))
    done = storm("file", tmp_path, seed=3, interruptions=4)
    assert done.interruptions >= 4
