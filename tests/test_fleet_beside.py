"""Runs of a fleet on one host take turns: real drives wait for each other, and nobody begins amid a trial."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend import store
from stend.fleet import beside, file, locks, tasks
from stend.fleet.file import Order, Study
from stend.fleet.tasks import Outcome
from stend.model.events import Started
from stend.session.together import group, roll
from tests.short import study
from tests.stand import Stand
from tests.waits import PATIENCE_S

QUICK = Study(["fresh"], quick=True, minute_s=0.2)


@pytest.fixture(autouse=True)
def own_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEND_RUNTIME", str(tmp_path / "locks"))
    monkeypatch.setattr(tasks, "HOME", tmp_path / "host")


def orders(serials: list[str], **own: object) -> list[Order]:
    cells: dict[str, tuple[str, ...]] = {
        serial: (f"{at:03}-d-01", f"{at:03}-d-02") for at, serial in enumerate(serials, 1)
    }
    return [
        msgspec.structs.replace(Order("batch", of[0], serial, QUICK, of, cells), **own) for serial, of in cells.items()
    ]


def all_at_once(asked: list[Order]) -> list[Outcome]:
    """What becomes of orders that come to a host at once, as from its worker's threads."""
    told: dict[str, Outcome] = {}

    def carry(order: Order) -> None:
        told[order.cell] = msgspec.json.decode(tasks.carry(msgspec.json.encode(order)), type=Outcome)

    threads = [threading.Thread(target=carry, args=(order,)) for order in asked]
    for one in threads:
        one.start()
    for one in threads:
        one.join(PATIENCE_S)
    return [told[order.cell] for order in asked]


def times(cell: str) -> tuple[float, float]:
    """When the first load of a run began, and when it ended."""
    run = store.load(tasks.HOME / "runs/batch/01" / cell)
    began = next(e.at for e in store.read(tasks.HOME / "runs/batch/01" / cell) if isinstance(e, Started))
    loads = [began + one.t - one.counts.seconds for one in run.results if one.counts.seconds]
    return min(loads), began + max(one.t for one in run.results)


@pytest.mark.slow
@pytest.mark.fio
@pytest.mark.block
def test_real_drives_of_a_fleet_run_one_after_another_where_no_trial_says_otherwise(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [stand.file(f"drive-{number}") for number in (1, 2)]
    drives = {str(path): stand.loop(path) for path in files}
    monkeypatch.setattr(tasks, "DRIVES", drives)
    told = all_at_once(orders(list(drives), study=Study([study(stand.folder, "fresh")])))
    assert [one.outcome for one in told] == ["complete", "complete"], told
    (_, first), (second, _) = sorted(times(one.cell) for one in told)
    assert first <= second, "the second began when the first had ended"
    own = group.load(tasks.HOME / "runs/batch/01")
    assert [(one.name, one.request.target) for one in own.members] == [
        ("001-d-01", drives[str(files[0])]), ("002-d-01", drives[str(files[1])]),
    ]  # fmt: skip
    assert all(one.request.destroy is None for one in own.members)


def one_pair(real: Callable[..., Any]) -> Callable[..., Any]:
    """Processes as before, but a trial measures each load of a drive by one pair of windows, not by three."""
    code = "from stend.session.together import trial\ntrial.PAIRS = 1\nfrom stend.fleet import beside\nbeside.main()"
    asked = [sys.executable, "-m", beside.__name__]
    return lambda words, **own: real([sys.executable, "-c", code] if words == asked else words, **own)


@pytest.mark.slow
@pytest.mark.fio
@pytest.mark.block
def test_a_trial_has_the_locks_of_its_drives_and_what_it_saw_is_in_every_run(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    drives = {str(path): stand.loop(path) for path in (stand.file("drive-1"), stand.file("drive-2"))}
    monkeypatch.setattr(tasks, "DRIVES", drives)
    asked = orders(list(drives), trial_s=0.1)
    monkeypatch.setattr(subprocess, "Popen", one_pair(subprocess.Popen))
    folder = tasks.HOME / "runs/batch"
    found = threading.Thread(target=beside.ready, args=(asked[0], drives, folder, lambda serial: ""))
    found.start()
    held = set()
    while found.is_alive():
        for serial in drives:
            with locks.drive(serial) as fd:
                held |= {serial} if fd < 0 else set()
        time.sleep(0.02)
    assert held == set(drives)
    assert "Trial: 2 drives" in (folder / "together.log").read_text()
    again = (folder / group.FILE).read_bytes()
    second = msgspec.structs.replace(asked[1], cell="002-d-02", study=Study(["latency"]))
    assert beside.ready(second, drives, folder, lambda serial: "") == ""
    assert (folder / group.FILE).read_bytes() == again, "one trial is for all studies"
    member = group.load(folder / "02").members[1]
    assert (member.name, member.request.tests) == ("002-d-02", ["latency"])
    assert "beside the other drives" in member.notes[0]


def test_one_real_drive_and_virtual_ones_wait_for_nobody(tmp_path: Path) -> None:
    drives = {"A": "/dev/a", "B": "sim:small?unit=1", "C": "sim:small?unit=2"}
    (order, *_) = orders(["A", "B", "C", "elsewhere"])
    assert beside.ready(order, drives, tmp_path, lambda serial: "") == ""
    assert list(tmp_path.iterdir()) == []


def test_drives_are_arranged_once_for_all_studies_and_again_with_a_new_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials: list[set[str]] = []

    class Here:
        """The trial's process, in this one."""

        returncode = 0

        def communicate(self, data: bytes) -> None:
            with monkeypatch.context() as own:
                own.setattr(sys, "stdin", SimpleNamespace(buffer=BytesIO(data)))
                beside.main()
            trials.append(set(msgspec.json.decode(data, type=beside.Trial).wanted))

    monkeypatch.setattr(subprocess, "Popen", lambda words, **own: Here())
    drives = {"A": "sim:small?unit=1", "B": "sim:small?unit=2"}
    first, second = orders(list(drives), together=True)
    later = msgspec.structs.replace(second, cell="002-d-02", study=Study(["latency"]))
    for order in (first, first, second, later):
        assert beside.ready(order, drives, tmp_path, lambda serial: "") == ""
    assert trials == [{"001-d-01", "002-d-01"}], "one trial is for all orders"
    for study_word, tests in (("01", ["fresh"]), ("02", ["latency"])):
        members = group.load(tmp_path / study_word).members
        assert [one.name for one in members] == [f"001-d-{study_word}", f"002-d-{study_word}"]
        assert [one.request.target for one in members] == list(drives.values())
        assert all(one.request.tests == tests and one.request.into is None for one in members)
    more = drives | {"C": "sim:small?unit=3"}
    (order, *_) = orders(list(more), together=True)
    assert beside.ready(order, more, tmp_path, lambda serial: "") == ""
    assert trials[1:] == [{"001-d-01", "002-d-01", "003-d-01"}]
    assert len(group.load(tmp_path / "01").members) == 3
    assert beside.ready(first, drives, tmp_path, lambda serial: "") == "", "fewer drives need no new trial"
    assert len(trials) == 2


@pytest.mark.slow
def test_measured_phases_of_a_fleet_begin_at_one_moment_where_the_file_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drives = {"A": "sim:small?unit=1", "B": "sim:small?unit=2", "C": "sim:small?unit=3"}
    monkeypatch.setattr(tasks, "DRIVES", drives)
    asked = orders(list(drives), together=True)
    others = locks.Claim("other", ("001-x-01",))
    assert locks.claim(tasks.HOME, "C", others, tasks._open) == ""
    told = all_at_once(asked)
    assert [one.outcome for one in told] == ["complete", "complete", "refused"]
    runs = tasks.HOME / "runs/batch/01"
    assert [one.name for one in group.load(runs).members] == ["001-d-01", "002-d-01"], "another fleet's is no member"
    for one in asked[:2]:
        said = [note.text for note in store.load(runs / one.cell).notes]
        assert any("fresh began with the other drives after" in text for text in said), said


@pytest.mark.slow
def test_a_trial_that_is_killed_is_said_and_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drives = {"A": "sim:small?unit=1", "B": "sim:small?unit=2"}
    real = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda words, **own: real([sys.executable, "-c", "raise SystemExit(1)"], **own)
    )
    (order, _) = orders(list(drives), together=True)
    assert "the trial of its drives failed" in beside.ready(order, drives, tmp_path / "b", lambda serial: "")
    monkeypatch.setattr(subprocess, "Popen", real)
    assert beside.ready(order, drives, tmp_path / "b", lambda serial: "") == ""
    assert roll.lives(tmp_path / "b/01", roll.BEGINNER), "whoever is to begin them"


@pytest.mark.slow
@pytest.mark.fio
@pytest.mark.block
@pytest.mark.needs("mkfs.ext4")
def test_two_workers_measure_real_drives_and_each_hosts_gate_has_the_last_word(tmp_path: Path, stand: Stand) -> None:
    pytest.importorskip("distributed")
    from tests.test_fleet import at_the_desk, fleet_file, served

    files = [stand.file(f"drive-{number}") for number in (1, 2, 3)]
    nodes = [stand.loop(path) for path in files]
    stand.formatted(path=nodes[2])
    (stand.mount(nodes[2]) / "precious").write_text("data")
    names = [str(path) for path in files]
    with served(tmp_path, nodes[:1], nodes[1:]) as port:
        own = {"tests": [study(tmp_path, "fresh")]}
        path = fleet_file(tmp_path, port, {"drives": names, "studies": [own], "trial": 0})
        ran = at_the_desk("run", path, tmp_path / "papers")
        brought = at_the_desk("collect", path, tmp_path / "papers")
    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert "2 of 3 runs are complete" in ran.stdout
    (refused,) = [line for line in ran.stdout.splitlines() if ": refused" in line]
    assert "mounted" in refused
    assert (stand.folder / f"mount-{Path(nodes[2]).name}/precious").read_text() == "data"
    assert "2 of 3 runs are here" in brought.stdout
    for number in (0, 1):
        home = tmp_path / "home" / f"{file.slug(names[number])}-01"
        assert store.load(home).wrong == ()
        assert store.load(home).plan.device.path == nodes[number]
