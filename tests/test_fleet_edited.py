"""What people do to a fleet between its runs: edit its file, ask twice, bring two fleets home to one folder."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import store
from stend.base import atomic
from stend.base.errors import BadInput, StepFailed
from stend.fleet import beside, file, home, tasks
from stend.fleet.file import Fleet, Order, Study
from stend.fleet.tasks import Outcome
from stend.session import apart
from stend.session.together import group
from stend.store import journal
from tests.forks import Run

QUICK: dict[str, Any] = {"tests": ["fresh"], "quick": True, "minute_s": 0.2}
SLOW: dict[str, Any] = {"tests": ["latency"], "quick": True, "rounds": 1, "minute_s": 0.2}
pytestmark = pytest.mark.usefixtures("warm")


@pytest.fixture(autouse=True)
def own_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEND_RUNTIME", str(tmp_path / "locks"))
    monkeypatch.setattr(tasks, "HOME", tmp_path / "host")
    monkeypatch.setattr(tasks, "DRIVES", {f"SIM-small-{unit}": f"sim:small?unit={unit}" for unit in (1, 2)})
    monkeypatch.setattr(apart, "begin", Run)


def fleet(drives: list[str], *studies: dict[str, Any], **own: Any) -> Fleet:
    told = {"name": "batch", "scheduler": "tls://desk:1", "drives": drives, "studies": studies}
    return msgspec.convert(told | own, Fleet)


def carried(own: Fleet) -> list[Outcome]:
    return [msgspec.json.decode(tasks.carry(msgspec.json.encode(order)), type=Outcome) for order in own.orders()]


def asked_here(task: Callable[..., Any], *given: Any) -> Any:
    return task(*given)


def test_a_run_has_the_same_name_wherever_its_drive_stands_in_the_file() -> None:
    cells = fleet(["A 1", "A-1", "B", "/images/drive"], QUICK).cells
    assert len({own for of in cells.values() for own in of}) == 4
    assert cells["B"] == ("B-01",)
    assert fleet(["B", "A-1", "A 1"], QUICK).cells == {one: cells[one] for one in ("B", "A-1", "A 1")}
    assert file.slug("Ж" * 90).isalnum()


@pytest.mark.slow
def test_a_drive_more_and_a_study_more_cost_no_run_that_was_made() -> None:
    assert [one.outcome for one in carried(fleet(["SIM-small-2"], QUICK))] == ["complete"]
    first = (tasks.HOME / "runs/batch/01/SIM-small-2-01/events.jsonl").read_bytes()
    told = carried(fleet(["SIM-small-1", "SIM-small-2"], QUICK, SLOW))
    assert {one.outcome for one in told} <= {"complete", "not steady"}
    assert (tasks.HOME / "runs/batch/01/SIM-small-2-01/events.jsonl").read_bytes() == first
    assert len(tasks.states("batch")) == 4


@pytest.mark.slow
def test_a_study_that_is_another_now_is_refused_and_its_run_stays() -> None:
    carried(fleet(["SIM-small-1"], QUICK | {"seed": 7}))
    events = (tasks.HOME / "runs/batch/01/SIM-small-1-01/events.jsonl").read_bytes()
    for study, said in (
        (SLOW, "started with tests ['fresh'], but the fleet file has ['latency'] now"),
        (QUICK | {"seed": 7, "depth": 4}, "started with depth none, but the fleet file has 4 now"),
        (QUICK | {"seed": 8}, "started with seed 7, but the fleet file has 8 now"),
    ):
        (told,) = carried(fleet(["SIM-small-1"], study))
        assert told.outcome == "refused"
        assert said in told.said
    assert [one.outcome for one in carried(fleet(["SIM-small-1"], QUICK))] == ["complete"], "any seed is meant"
    assert (tasks.HOME / "runs/batch/01/SIM-small-1-01/events.jsonl").read_bytes() == events


def test_what_a_host_cannot_do_ends_its_own_run_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any, **more: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tasks, "_start", full)
    (told,) = carried(fleet(["SIM-small-1"], QUICK))
    assert told == Outcome("SIM-small-1-01", "failed", "its host cannot start it: No space left on device")
    folder = tmp_path / "host/runs/batch/01/SIM-small-1-01"
    folder.mkdir(parents=True)
    journal.events_of(folder).write_text('{"format": 99}\n')
    assert tasks.states("batch")["SIM-small-1-01"].startswith("cannot be read: ")


@pytest.mark.slow
def test_what_is_home_is_left_and_another_fleets_run_of_that_name_is_told(tmp_path: Path) -> None:
    carried(fleet(["SIM-small-1"], QUICK))
    place = tmp_path / "home/SIM-small-1-01"
    assert home.brought(asked_here, "batch", "SIM-small-1-01", place)
    assert not home.brought(asked_here, "batch", "SIM-small-1-01", place)
    carried(fleet(["SIM-small-1"], QUICK, name="next"))
    with pytest.raises(BadInput, match="holds another run than SIM-small-1-01; move it away"):
        home.brought(asked_here, "next", "SIM-small-1-01", place)
    assert store.load(place).wrong == ()


@pytest.mark.slow
def test_a_full_disk_at_home_is_said_and_what_is_missing_comes_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried(fleet(["SIM-small-1"], QUICK))
    place, write = tmp_path / "home/SIM-small-1-01", atomic.write
    left = iter([True, True, False])

    def filling(path: Path, data: bytes) -> None:
        if not next(left, False):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data)

    monkeypatch.setattr(atomic, "write", filling)
    with pytest.raises(
        StepFailed, match="cannot be written: No space left on device; nothing is lost; fix that and collect again"
    ):
        home.brought(asked_here, "batch", "SIM-small-1-01", place)
    monkeypatch.setattr(atomic, "write", write)
    assert home.brought(asked_here, "batch", "SIM-small-1-01", place)
    assert store.load(place).wrong == ()


@pytest.mark.slow
def test_a_drive_more_is_tried_with_the_others_and_one_less_waits_for_nobody(tmp_path: Path) -> None:
    drives = {f"S{n}": f"sim:small?unit={n}" for n in (1, 2, 3)}

    def ready(serials: list[str], study: int = 0) -> list[str]:
        own = fleet(serials, QUICK, SLOW, together=True)
        orders: list[Order] = list(own.orders([serials]))
        assert beside.ready(orders[study * len(serials)], drives, tmp_path / "b", lambda serial: "") == ""
        return [one.name for one in group.load(tmp_path / f"b/0{study + 1}").members]

    assert ready(["S1", "S2"]) == ["S1-01", "S2-01"]
    assert sorted(ready(["S3", "S1", "S2"])) == ["S1-01", "S2-01", "S3-01"]
    found = (tmp_path / "b/together.toml").read_bytes()
    assert sorted(ready(["S3", "S2"], 1)) == ["S2-02", "S3-02"]
    assert (tmp_path / "b/together.toml").read_bytes() == found, "those that are left were tried already"


def test_a_study_is_of_the_fields_that_a_manifest_tells() -> None:
    study = Study(["iops"], profile="client-2.0.2", quick=True, seed=3, threads=2, depth=8, rounds=5, minute_s=1.0)
    order = Order(
        "b",
        "S-01",
        "S",
        msgspec.structs.replace(
            study,
            active_range_pct=50.0,
            verify=True,
            survey_minutes=1.0,
            meter="own",
            power_saving="off",
            tested_by="A",
        ),
    )
    told = order.request("sim:small", Path("x")).manifest
    assert {name: told[name] for name in Study.__struct_fields__} == msgspec.structs.asdict(order.study)
