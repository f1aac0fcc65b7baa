"""A fleet's client and its hosts in one process: what is called where, what comes home, and for how long it waits."""

import hashlib
import os
import platform
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("distributed")

from stend.base import atomic, regular
from stend.base.errors import BadInput, Refused, StepFailed
from stend.cli import _fleet
from stend.fleet import chosen, client, home, local, locks, sealed, tasks, worker
from stend.fleet.chosen import Drive
from stend.fleet.client import LOST_S, PATIENCE_S
from stend.fleet.file import Fleet
from stend.model.definition import Identity
from stend.session import apart
from stend.store import writer
from tests.test_fleet_chosen import fleet

ANNOUNCED = {
    "tls://a": {"A": ["SN150 X", "1.0", 960, "/dev/a"], "B": ["SN150 X", "1.1", 990, "/dev/b"]},
    "tls://b": {"C": ["QN9", "2.0", 1920, "/dev/c"]},
}
FILES = {
    "events.jsonl": b"0123456789ABCDEF",
    "manifest.toml": b"x",
    "logs/one.txt": b"",
    "logs/two.bin": bytes(range(30)),
}


class Hosts:
    """Workers by their addresses, each with a folder; a task runs as if it were on the host that is named."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.drives, self.calls = folder, dict(ANNOUNCED), list[tuple[str, str, dict[str, Any]]]()
        self.lost = False

    def scheduler_info(self, *, n_workers: int) -> dict[str, Any]:
        assert n_workers == -1, "all workers, not the first five"
        return {
            "workers": {
                address: {"name": address[-1], "metrics": {"drives": drives} if drives else {}}
                for address, drives in self.drives.items()
            }
        }

    def submit(self, task: Callable[..., Any], *given: Any, workers: list[str], pure: bool, **how: Any) -> Any:
        assert not pure
        (address,) = workers
        self.calls.append((task.__name__, address, how))

        def result(*, timeout: float) -> Any:
            assert timeout == PATIENCE_S
            if self.lost:
                raise TimeoutError
            before, tasks.HOME = tasks.HOME, self.folder / address[-1]
            try:
                return task(*given)
            finally:
                tasks.HOME = before

        return SimpleNamespace(result=result)


@pytest.fixture
def hosts(tmp_path: Path) -> Any:
    return Hosts(tmp_path)


def ran(folder: Path, cell: str, files: dict[str, bytes] = FILES) -> Path:
    """A run of the fleet `b` on a host."""
    place = folder / "runs/b" / cell.rpartition("-")[2] / cell
    for name, data in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    return place


def test_drives_are_those_that_workers_announce(hosts: Any) -> None:
    hosts.drives["tls://c"] = {}
    told = client.hosts(hosts)
    assert told["tls://b"] == {"C": Drive("b", "QN9", "2.0", 1920, "/dev/c")}
    assert told["tls://c"] == {}
    assert [(serial, drive.host) for serial, drive in client.announced(hosts).items()] == [
        ("A", "a"), ("B", "a"), ("C", "b")
    ]  # fmt: skip


def test_runs_come_home_whole_and_once(hosts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "PIECE_BYTES", 7)
    monkeypatch.setattr(tasks, "_state", lambda folder: "running" if folder.name == "B-1" else "ended")
    for host, cell in (("a", "A-1"), ("a", "B-1"), ("b", "C-2")):
        ran(tmp_path / host, cell)
    (tmp_path / "a/runs/b/1/A-1/link").symlink_to("events.jsonl")
    (tmp_path / "a/runs/b/1/.hidden").mkdir()
    own, lines, written = fleet(tmp_path, ["A", "B", "C"], ("A", "B", "C")), list[str](), list[str]()
    write = atomic.write

    def noted(path: Path, data: bytes) -> None:
        written.append(path.name)
        write(path, data)

    monkeypatch.setattr(atomic, "write", noted)
    folders = client.collect(hosts, own, lines.append)
    assert folders == [tmp_path / "home/A-1", tmp_path / "home/C-2"]
    assert lines == [f"{folder.name}: {folder}" for folder in folders]
    monkeypatch.setattr(tasks, "_state", lambda folder: "stopped" if folder.name == "B-1" else "ended")
    for folder in folders:
        assert {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()} == FILES
    assert written[len(FILES) - 1 :: len(FILES)] == ["events.jsonl"] * 2, "the last file makes it a run"
    assert {address for name, address, _ in hosts.calls if name == "states"} == hosts.drives.keys()
    assert all(how == ({"priority": 100} if name == "states" else {}) for name, _, how in hosts.calls)
    assert sum(name == "piece" for name, *_ in hosts.calls) == 2 * sum(-(-len(data) // 7) for data in FILES.values())
    assert client.collect(hosts, own, lines.append) == folders
    assert lines[2:] == ["B-1: stopped; it is not collected, and the verdict does not count it"]
    for other in (b"another", b"", FILES["events.jsonl"] + b"more"):
        (folders[0] / "events.jsonl").write_bytes(other)
        with pytest.raises(BadInput, match="holds another run than A-1"):
            client.collect(hosts, own, lines.append)


def test_a_run_that_failed_comes_home_and_comes_again_when_it_was_continued(
    hosts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan of acceptance counts its drive as bad: without it a lot with a dead drive would be accepted."""
    monkeypatch.setattr(tasks, "PIECE_BYTES", 7)
    monkeypatch.setattr(tasks, "_state", lambda folder: "failed")
    own, lines, place = fleet(tmp_path, ["A"], ("A",)), list[str](), ran(tmp_path / "a", "A-1")
    assert client.collect(hosts, own, lines.append) == [tmp_path / "home/A-1"]
    (place / "events.jsonl").write_bytes(FILES["events.jsonl"] + b" continued")
    (place / "manifest.toml").write_bytes(b"y")
    for _ in range(2):
        assert client.collect(hosts, own, lines.append) == [tmp_path / "home/A-1"]
    assert lines == [f"A-1: {tmp_path}/home/A-1"] * 2
    assert (tmp_path / "home/A-1/events.jsonl").read_bytes() == FILES["events.jsonl"] + b" continued"
    assert (tmp_path / "home/A-1/manifest.toml").read_bytes() == b"y"


@pytest.mark.parametrize(
    ("how", "state"),
    [("complete", "ended"), ("not steady", "ended"), ("failed", "failed"), ("stopped", "stopped"), ("", "cut off")],
)
def test_the_state_of_a_run_is_how_it_ended(
    how: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stend.fleet.tasks.series.ended", lambda folder: how)
    assert tasks._state(tmp_path) == state


def test_a_file_that_changes_on_the_way_or_leads_elsewhere_is_not_kept(hosts: Any, tmp_path: Path) -> None:
    answers: dict[str, Any] = {"piece": b"data"}

    def request(task: Any, *given: Any) -> Any:
        return answers[task.__name__]

    right = hashlib.sha256(b"data").hexdigest()
    for answers["listing"], words in (
        ({"events.jsonl": (4, "0" * 64)}, "events.jsonl of A-1 was changed on the way"),
        ({"../out": (4, right)}, "is not a file inside the run folder"),
    ):
        with pytest.raises(StepFailed, match=words):
            home.brought(request, "b", "A-1", tmp_path / "home")
    assert not list(tmp_path.rglob("out"))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StepFailed, match="file/x cannot be written: File exists; nothing is lost"):
        home._write(tmp_path / "file/x", b"")


class Clock:
    """Time that passes while the client sleeps; drives appear as they are given."""

    def __init__(self, hosts: Hosts, later: dict[float, dict[str, Any]]) -> None:
        self.s, self.hosts, self.later = 1000.0, hosts, later

    def monotonic(self) -> float:
        return self.s

    def sleep(self, seconds: float) -> None:
        self.s += seconds
        for at in [at for at in self.later if self.s >= 1000 + at]:
            self.hosts.drives |= self.later.pop(at)


@pytest.mark.parametrize(("begun", "patience"), [(False, PATIENCE_S), (True, LOST_S)])
@pytest.mark.parametrize("lost", [False, True])
def test_drives_that_are_not_announced_are_waited_for(
    hosts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bool, patience: float, lost: bool
) -> None:
    if begun and not lost:
        monkeypatch.setattr(tasks, "_state", lambda folder: "cut off")
        ran(tmp_path / "a", "A-1")
    hosts.lost = lost
    patience = LOST_S if lost else patience
    own: Fleet = fleet(tmp_path, ["A", "D"], ("A", "D"))
    lines = list[str]()
    late = {"tls://d": {"D": ["X", "1", 5, "/dev/d"]}}
    clock = Clock(hosts, {patience - 1: late})
    monkeypatch.setattr(client, "time", clock)
    assert client.settled(hosts, own, lines.append).serials == ("A", "D")
    (line,) = lines
    assert line == f"no host announces the drive D; announced: A, B, C; waiting {patience:.0f} s for more hosts"
    del hosts.drives["tls://d"]
    clock.s = 1000.0
    with pytest.raises(BadInput, match="no host announces the drive D;"):
        client.settled(hosts, own, lines.append)
    assert 0 < clock.s - 1000 - patience <= 1
    with pytest.raises(BadInput, match="no host announces the drives D, E; announced: A, B, C"):
        client.settled(hosts, fleet(tmp_path, ["A", "D", "E"], ("A", "D", "E")), lines.append)
    hosts.drives["tls://d"] = {"A": ["X", "1", 5, "/dev/d"], "D": ["X", "1", 5, "/dev/d"]}
    with pytest.raises(BadInput, match="the drive A is announced by two hosts; stop the worker of one"):
        client.settled(hosts, own, lines.append)


def test_what_waiting_does_not_change_is_refused_at_once_and_a_choice_is_kept(
    hosts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(hosts, {})
    monkeypatch.setattr(client, "time", clock)
    few = fleet(tmp_path, {"model": "SN150*", "count": 2}, ("A",))
    with pytest.raises(Refused, match="2 drives are needed, `destroy` names 1 of 2"):
        client.settled(hosts, few, lambda line: None)
    assert clock.s == 1000
    two = fleet(tmp_path, {"model": "SN150*", "count": 2}, ("A", "B"))
    assert client.settled(hosts, two, lambda line: None).serials == ("A", "B")
    hosts.drives["tls://a"] = dict(reversed(ANNOUNCED["tls://a"].items()))
    hosts.drives = {"tls://a": {"A": ANNOUNCED["tls://a"]["A"]}}
    with pytest.raises(Refused, match="the drive B was chosen, but `destroy` no longer names it"):
        client.settled(hosts, fleet(tmp_path, {"model": "SN150*", "count": 2}, ("A",)), lambda line: None)
    assert clock.s == 1000, "all that may be destroyed is there"
    hosts.drives = dict(ANNOUNCED)
    assert getattr(chosen.kept(two), "serials", ()) == ("A", "B")


def test_a_scheduler_is_connected_to_with_the_certificates_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, closed, steps = list[Any](), list[float](), list[str]()

    def connect(address: str, **how: Any) -> Any:
        made.append((address, how))
        if address == "tls://gone:1":
            raise OSError("no route")
        if address == "tls://silent:1":
            raise TimeoutError
        return SimpleNamespace(close=lambda *, timeout: closed.append(timeout))

    monkeypatch.setattr(sealed, "seal", lambda: steps.append("sealed"))
    monkeypatch.setattr(sealed, "security", lambda *given: given)
    monkeypatch.setattr(client, "Client", connect)
    with client.connected("tls://s:1", tmp_path, "me") as found:
        assert found is not None
        assert closed == []
    how = {"security": (tmp_path, "me"), "timeout": PATIENCE_S, "set_as_default": False}
    assert (made, closed, steps) == ([("tls://s:1", how)], [5], ["sealed"])
    for address, why in (("tls://gone:1", "no route"), ("tls://silent:1", "TimeoutError")):
        with (
            pytest.raises(StepFailed, match=rf"{address} cannot be reached \({why}\)"),
            client.connected(address, tmp_path, "me"),
        ):
            pass
    with pytest.raises(BadInput, match="no scheduler"), client.connected("", tmp_path, "me"):
        pass


def test_a_worker_announces_its_drives_and_begins_anew_when_it_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, lines = list[Any](), list[str]()
    drives = {serial: Identity("sim", f"sim:{serial}", "", 5, serial=serial) for serial in "AB"}

    async def working(*given: Any) -> None:
        steps.append(given)
        if len(steps) > 2:
            raise OSError("away")

    monkeypatch.setattr(local, "drives", lambda targets: drives if targets == ["x"] else {})
    monkeypatch.setattr(sealed, "seal", lambda: None)
    monkeypatch.setattr(sealed, "security", lambda *given: given)
    monkeypatch.setattr(worker, "_work", working)
    monkeypatch.setattr(worker, "os", SimpleNamespace(execv=lambda *given: steps.append(given)))
    monkeypatch.setattr(tasks, "HOME", Path(os.devnull))
    monkeypatch.setattr(tasks, "DRIVES", {})
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        worker.work("tls://s:1", tmp_path, "me", ["x"], Path("home"), lines.append)
    begin = ("tls://s:1", (tmp_path, "me"), "me", drives)
    again = (sys.executable, [sys.executable, "-m", "stend", *sys.argv[1:]])
    assert steps == [begin, again, begin, again]
    assert (tmp_path / "home", {"A": "sim:A", "B": "sim:B"}) == (tasks.HOME, tasks.DRIVES)
    assert (tmp_path / "home").is_dir()
    announced = "me: 2 drives: A, B"
    assert lines == [announced, announced, "the scheduler tls://s:1 cannot be reached (away); trying again"]


def test_drives_of_a_host_have_one_name_each(monkeypatch: pytest.MonkeyPatch) -> None:
    def drive(name: str, *, virtual: bool = False) -> Identity:
        return Identity("x", name, f"/{name}", 5, serial=f"S{name[0]}", virtual=virtual)

    known = {name: drive(name) for name in ("a1", "a2", "b", "c")} | {"v": drive("v", virtual=True)}
    listed = [(known["a1"], ""), (known["b"], "is mounted")]
    devices = SimpleNamespace(
        listing=lambda: listed, find=lambda name: SimpleNamespace(identity=known[name]), name=lambda d: f"N{d.serial}"
    )
    monkeypatch.setattr(local, "devices", devices)
    assert local.drives([]) == {"NSa": known["a1"]}
    assert local.drives([], busy=True) == {"NSa": known["a1"], "NSb": known["b"]}
    assert local.drives(["c", "v"], busy=True) == {"NSc": known["c"], "Sv": known["v"]}
    with pytest.raises(BadInput, match="a1 and a2 are both named NSa; choose one by --target"):
        local.drives(["a1", "a2"])


def test_a_run_that_goes_on_is_asked_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alive, sent, freed = {"A-1": True, "B-1": False, "C-1": True}, list[Any](), list[Any]()

    def kill(pid: int, number: int) -> None:
        if pid == 103:
            raise ProcessLookupError
        sent.append((pid, number))

    def holder(folder: Path) -> Any:
        return SimpleNamespace(alive=alive[folder.name], owner=SimpleNamespace(pid=100 + ord(folder.name[0]) - 64))

    monkeypatch.setattr(tasks, "HOME", tmp_path)
    monkeypatch.setattr(writer, "holder", holder)
    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(locks, "let_go", lambda *given: freed.append(given))
    for cell in alive:
        ran(tmp_path, cell)
    assert tasks.halt("b") == 1
    assert sent == [(101, signal.SIGINT)]
    assert freed == [(tmp_path, "b")]
    assert tasks.halt("other") == 0
    place = tmp_path / "runs/b/1/A-1"
    assert regular.digest(place / "events.jsonl") == hashlib.sha256(FILES["events.jsonl"]).hexdigest()
    shutil.rmtree(place)
    assert tasks.listing("b", "A-1") == {}


@pytest.mark.parametrize("destroy", ["", "S1"])
def test_a_run_goes_on_with_the_drive_named_only_if_its_data_may_be_destroyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, destroy: str
) -> None:
    begun = list[list[str]]()
    monkeypatch.setattr("stend.fleet.tasks.apart.begin", lambda words, log, fds: begun.extend([words]))
    order: Any = SimpleNamespace(
        request=lambda target, folder: SimpleNamespace(destroy=destroy, command=["run", "iops"])
    )
    folder = tmp_path / "group/run"
    tasks._start(order, "/dev/a", folder, 3, again=True)
    tasks._start(order, "/dev/a", folder, 3, again=False)
    assert begun == [["resume", str(folder), *(["--destroy-data", destroy] if destroy else [])], ["run", "iops"]]


@pytest.mark.parametrize(("count", "way_on"), [(0, "the drives are released"), (2, "`stend fleet run f.toml` ")])
def test_a_stop_names_the_next_command_only_if_runs_were_ended(
    count: int, way_on: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_fleet, "_connected", lambda *given: nullcontext((SimpleNamespace(name="f"), None)))
    monkeypatch.setattr(client, "each", lambda *given: {"tls://a": count})
    assert _fleet.stop(Path("f.toml"), Path("certificates"), platform.node()) == 0
    assert capsys.readouterr().out.startswith(f"{count} runs were asked to end; {way_on}")


@pytest.mark.parametrize(
    ("code", "outcome", "said"),
    [
        (0, "cut off", "the last line"),
        (1, "cut off", "the last line"),
        (2, "refused", "the last line"),
        (3, "refused", "the last line"),
        (4, "refused", "the last line"),
        (5, "cut off", "the last line"),
        (-9, "cut off", "its process was ended by signal 9"),
    ],
)
def test_a_run_without_an_end_is_refused_or_cut_off_as_its_process_ended(
    code: int, outcome: str, said: str, tmp_path: Path
) -> None:
    apart.log_of(tmp_path / "run").write_text("a line\nthe last line\n")
    order: Any = SimpleNamespace(cell="a-01")
    assert tasks._outcome(order, tmp_path / "run", code) == tasks.Outcome("a-01", outcome, said)
