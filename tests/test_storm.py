"""A slice of the storm (`make storm`) in every run of the tests."""

from pathlib import Path

import pytest

from stend import suite
from tests import storm_grounds
from tests.storm import storm

pytestmark = pytest.mark.slow
LITTLE = """title = "Little"
tests = {tests}
[settings]
minute_s = 0.1
second_s = 0.02
shorten = 60
rounds = 2
threads = 1
depth = 1
[settings.tests.write-saturation]
histogram_minutes = 5
"""
"""What the storm goes over on real fio, in half the time and with little work for the processor."""


def test_a_virtual_run_comes_through_a_storm_with_its_figures_equal_to_the_bit(tmp_path: Path) -> None:
    done = storm("virtual", tmp_path, seed=20261122, interruptions=12)
    assert done.interruptions >= 12


@pytest.mark.parametrize("kind", ["watch", "serve", "repeat", "meter", "publish", "fleet"])
def test_a_verb_that_is_killed_changes_no_figure_of_its_runs(kind: str, tmp_path: Path) -> None:
    if kind == "fleet":
        pytest.importorskip("distributed")
    done = storm(kind, tmp_path, seed=20261124, interruptions=1)
    assert done.interruptions >= 1
    assert done.equal >= 1


@pytest.mark.fio
@pytest.mark.usefixtures("warm")
def test_a_real_run_comes_through_a_storm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    little = tmp_path / "little.toml"
    little.write_text(LITTLE.format(tests=[name for name in storm_grounds.REAL if name in suite.names()]))
    monkeypatch.setattr(storm_grounds, "REAL", (str(little), "--seed", "7"))
    done = storm("file", tmp_path, seed=4, interruptions=4)
    assert done.interruptions >= 4
