"""What the drives of a sweep gave, without running one: small values count, a drive counts once, seeds do not mix."""

from math import log
from pathlib import Path
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.many.compare.differences import Figure
from stend.many.sweep import drives, folder
from stend.many.sweep.design import Design, Point, parsed
from stend.many.sweep.results import collected, picked, usual
from stend.model.quantities import QUANTITIES

TEXT = """
target = "sim:small?unit=1"
tests = ["latency"]
drives = 4
seed = 7
settings = {depth = 16, tests = {latency = {rounds = 2}}}
[parameters]
"flash.spare_pct" = {from = 7.0, to = 40.0}
"flash.trim" = [true, false]
"plan.active_range_pct" = [50, 100]
"plan.latency.rounds" = [3, 4]
"""


def design(text: str = TEXT) -> Design:
    return parsed(text.encode(), Path("design.toml"))


def row(state: str = "window", **own: Any) -> dict[str, Any]:
    told = {"test": "latency", "phase": "rounds", "state": state, "random_pct": 100, "read_pct": 0, "block": "4K"}
    told |= {"threads": 1, "depth": 1, "place": 1, "direction": "both", "steady": True, "ios": 1000, "seconds": 1.0}
    return told | {**dict.fromkeys(QUANTITIES), "iops": 9000.0, "mean": 110e-6} | own


def line(drive: int, *rows: dict[str, Any]) -> dict[str, Any]:
    values = {"flash.spare_pct": float(drive)}
    return {"drive": drive, "values": values, "outcome": "complete" if rows else "failed", "figures": list(rows)}


def test_response_times_below_a_second_count_and_what_a_drive_did_not_give_does_not() -> None:
    own = collected(design(), [line(2, row()), line(1, row(mean=2.0)), line(3, row(mean=None))])
    (key,) = own.keys
    assert own.column(Figure(key, "mean")) == [2.0, 110e-6, None]
    which, y = own.logs(Figure(key, "mean"))
    assert which == [0, 1]
    assert list(y) == pytest.approx([log(2.0), log(110e-6)])


def test_a_drive_that_was_written_twice_counts_once_and_a_failed_one_apart() -> None:
    own = collected(design(), [line(2, row(iops=1.0)), line(1), line(2, row(iops=2.0))])
    assert [one["drive"] for one in own.drives] == [2]
    assert [one["drive"] for one in own.failed] == [1]
    assert own.column(Figure(own.keys[0], "iops")) == [2.0], "the later line holds"


def test_a_drive_that_failed_after_its_first_figure_is_apart() -> None:
    own = collected(design(), [line(1, row(iops=87_000.0)) | {"outcome": "failed"}, line(2, row(iops=33_000.0))])
    assert [one["drive"] for one in own.drives] == [2]
    assert [one["drive"] for one in own.failed] == [1]
    assert own.column(Figure(own.keys[0], "iops")) == [33_000.0]


def test_a_figure_is_picked_by_words_and_refused_where_no_drive_gave_it() -> None:
    own = collected(design(), [line(1, row(), row("fresh"))])
    assert [one.key.state for one in picked(own, "iops", ["fresh"])] == ["fresh"]
    assert len(picked(own, "iops", [])) == 2
    for words in (("iops", ["nowhere"]), ("p99.9", [])):
        with pytest.raises(BadInput, match=r"choose from: latency \(window\), latency \(fresh\)"):
            picked(own, *words)
    assert usual(own)[0].key.state == "window", "a fresh drive's figures last"
    assert all(one.quantity != "mean" for one in usual(own))


@pytest.mark.parametrize("other", ["seed = 8", 'tests = ["fresh"]', "drives = 5"])
def test_a_folder_takes_no_drives_of_another_design(other: str, tmp_path: Path) -> None:
    path, into = tmp_path / "design.toml", tmp_path / "sweep"
    path.write_text(TEXT)
    folder.begin(design(), path, into)
    folder.begin(design(), path, into)
    name = other.partition(" ")[0]
    changed = "\n".join(other if row.startswith(f"{name} ") else row for row in TEXT.splitlines())
    with pytest.raises(BadInput, match="holds the drives of another design"):
        folder.begin(design(changed), path, into)


def test_a_point_is_a_target_and_settings_as_an_operator_would_write_them() -> None:
    point = Point(1, 5, {"flash.spare_pct": 7.5, "flash.trim": True, "plan.depth": 4, "plan.latency.rounds": 3})
    assert drives.target(design(), point.values) == "sim:small?unit=1&flash.spare_pct=7.5&flash.trim=true"
    assert drives.settings(design(), point.values) == {"depth": 4, "tests": {"latency": {"rounds": 3}}}
    assert drives.settings(design(), {}) == {"depth": 16, "tests": {"latency": {"rounds": 2}}}
    assert drives.changed(point.values) == "plan.depth=4, plan.latency.rounds=3"
