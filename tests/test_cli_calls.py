"""What verbs print, pass on and return, with everything below them replaced: no drive, no cluster, no process."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend import cli
from stend.base.errors import STOPPED_EXIT_CODE, UNSOUND_EXIT_CODE, BadInput, Refused, StepFailed
from stend.cli import _home, _slurm, _together, fleet, lot
from stend.cli._verbs import Unread
from stend.devices import virtual
from stend.fleet.tasks import Outcome
from stend.session import Request
from stend.session.together import arrange, group

BOOT = ("PATH", "STEND_X", "LC_ALL", "XDG_A", "PYTHONPATH", "NUMBA_B", "TMP")


class Calls:
    """Stands in for a module: remembers what is called, with what, and answers as it was told."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.calls = answers, list[Any]()

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            self.calls.append((name, *given, *([more] if more else [])))
            answer = self.answers.get(name)
            return answer(*given) if callable(answer) else answer

        return call


def noting(seen: list[Any], answer: Any) -> Any:
    """A function that notes what it is given, and returns this."""

    def noted(*given: Any, **more: Any) -> Any:
        seen.append((*given, *more.values()))
        return answer

    return noted


# runs on several drives at once


class Process:
    """A run that ends with a code after some looks at it."""

    def __init__(self, looks: int, code: int, pid: int = 7) -> None:
        self.looks, self.code, self.pid, self.sent = looks, code, pid, list[int]()

    @property
    def returncode(self) -> int:
        return self.code

    def poll(self) -> int | None:
        self.looks -= 1
        return None if self.looks >= 0 else self.code

    def send_signal(self, number: int) -> None:
        self.sent.append(number)


def watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *ends: tuple[int, int]) -> _together.Watched:
    now = iter(range(0, 10_000, 20))
    handlers = dict[int, Any]()
    monkeypatch.setattr(_together, "time", SimpleNamespace(sleep=lambda s: None, monotonic=lambda: next(now)))
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    monkeypatch.setattr("stend.cli._together.series.ended", lambda folder: "complete")
    monkeypatch.setattr(_together, "_line", lambda folder, followers: f"at {folder.name}")
    members = [group.Member(f"t{n}", Request(["iops"], f"t{n}")) for n in range(len(ends))]
    begun = [
        _together.Begun(member, tmp_path / member.name, Process(*end))  # type: ignore[arg-type]
        for member, end in zip(members, ends, strict=True)
    ]
    found = _together.Watched(begun)
    assert set(handlers) == {signal.SIGINT, signal.SIGTERM}
    assert set(handlers.values()) == {found._forward}
    return found


def test_runs_together_are_followed_to_their_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t2.log").write_text("stend: the drive is gone\n")
    runs = watched(monkeypatch, tmp_path, (0, 0), (4, -9), (1, 3))
    assert runs.until_all_ended() == 5, "the worst code; a signal counts as a failed step"
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == f"t0: complete: {tmp_path / 't0'}"
    assert "t1: at t1" in out.splitlines(), "every half a minute"
    assert err.splitlines()[0] == "stend: t2: the drive is gone"
    assert err.splitlines()[1].startswith("stend: t1: was killed by signal 9; ")


def test_a_signal_goes_to_all_runs_that_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = watched(monkeypatch, tmp_path, (0, 0), (2, 0))
    processes: Any = [run.process for run in runs.runs]
    runs.going.pop(0)
    runs._forward(signal.SIGTERM, None)
    assert [process.sent for process in processes] == [[], [signal.SIGTERM]]
    assert runs.until_all_ended() == STOPPED_EXIT_CODE
    assert watched(monkeypatch, tmp_path, (0, 0), (0, 4), (0, 2)).until_all_ended() == 4


@pytest.mark.parametrize("apart", [False, True])
def test_what_is_left_of_a_group_is_begun_or_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], apart: bool
) -> None:
    members = [group.Member(f"t{n}", Request(["iops"], f"t{n}")) for n in range(3)]
    left = [
        SimpleNamespace(member=member, folder=tmp_path / member.name, begun=n == 1, pid=41 if n == 2 else 0)
        for n, member in enumerate(members)
    ]
    whole = SimpleNamespace(left=lambda folder: left, members=members)
    starts, roll = Calls(begin=SimpleNamespace(pid=9)), Calls()
    starts.answers["begin"] = lambda *_: SimpleNamespace(pid=9)
    starts.answers["log_of"] = lambda folder: folder.with_suffix(".log")
    ended = Calls(end=0)
    monkeypatch.setattr(_together, "apart", starts)
    monkeypatch.setattr(_together, "roll", roll)
    monkeypatch.setattr("stend.cli._together.group.load", lambda folder: whole)
    monkeypatch.setattr(_together, "Watched", lambda runs: SimpleNamespace(until_all_ended=lambda: 3 + len(runs)))
    monkeypatch.setattr(_together, "_end", ended.end)
    code = _together.go(tmp_path, {"t0": "N0", "t1": "N1"}, ("f",), apart=apart)
    assert (code, ended.calls) == ((0, []) if apart else (5, [("end", tmp_path, whole)]))
    begun = [call for call in starts.calls if call[0] == "begin"]
    request = Request(["iops"], "t0", destroy="N0", overwrite=("f",), into=str(tmp_path / "t0"))
    resumed = ["resume", str(tmp_path / "t1"), "--destroy-data", "N1", "--overwrite-file=f"]
    assert [call[1] for call in begun] == [request.command, resumed]
    assert [call[2] for call in begun] == [tmp_path / "t0.log", tmp_path / "t1.log"]
    assert [call[2:] for call in roll.calls[1:]] == [("t0", {"pid": 9}), ("t1", {"pid": 9})]
    out = capsys.readouterr().out.splitlines()
    assert out[:3] == [
        "t2: still running, process 41",
        f"t0: {tmp_path / 't0'}, process 9",
        f"t1: {tmp_path / 't1'}, process 9",
    ]
    assert out[3:] == ([f"2 runs continue in the background; `stend serve {tmp_path}` shows them all"] if apart else [])


def test_the_end_of_a_group_states_what_is_complete_and_what_was_disturbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    members = [SimpleNamespace(name="a", request=SimpleNamespace(target="A"), notes=("moved", "more"), disturbed=True),
               SimpleNamespace(name="b", request=SimpleNamespace(target="B"), notes=("not moved",), disturbed=False),
               SimpleNamespace(name="c", request=SimpleNamespace(target="C"), notes=(), disturbed=False)]  # fmt: skip
    learned = list[Path]()
    monkeypatch.setattr("stend.cli._together.catalogue.learn", learned.append)
    monkeypatch.setattr("stend.cli._together.store.load", lambda path: path.name)
    monkeypatch.setattr("stend.cli._together.series.ended", lambda path: "" if path.name == "c" else "complete")
    monkeypatch.setattr(
        "stend.cli._together.skew.skews", lambda runs: {("iops", "rounds"): 0.25} if runs == ["a", "b"] else {}
    )
    monkeypatch.setattr(_together, "way_on", lambda folder: f"go on with {folder.name}")
    monkeypatch.setattr("stend.findings.rejected", lambda run: run == "b")
    whole: Any = SimpleNamespace(members=members, barrier=True)
    assert _together._end(tmp_path, whole) == 6
    assert capsys.readouterr().out.splitlines() == [
        f"2 of 3 runs are complete: {tmp_path}", "iops, rounds: began within 250 ms of each other", "! A: moved",
        "B: not moved", f"go on with {tmp_path.name}",
    ]  # fmt: skip
    whole.barrier, whole.members = False, members[:2]
    _together._end(tmp_path, whole)
    assert capsys.readouterr().out.splitlines() == [
        f"2 of 2 runs are complete: {tmp_path}",
        "! A: moved",
        "B: not moved",
    ]
    assert learned == [tmp_path, tmp_path]


@pytest.mark.parametrize(
    ("shut", "refused", "worst", "code"),
    [({}, 0, 0, 0), ({}, 2, 0, 2), ({"b": "is mounted"}, 0, 0, Refused.exit_code), ({}, 2, 5, 5)],
)
def test_a_group_is_begun_with_the_drives_that_may_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    shut: dict[str, str], refused: int, worst: int, code: int,
) -> None:  # fmt: skip
    wanted = [Request(["iops"], name, overwrite=("f",)) for name in "ab"]
    able = [
        arrange.Wanted(Request(["iops"], name, destroy=f"N{name}"), virtual.find("sim:small").identity) for name in "ab"
    ]
    arranged, went = list[Any](), list[Any]()

    def arrange_all(*given: Any, **more: Any) -> Any:
        arranged.append((*given, more["barrier"], more["seconds"]))
        return SimpleNamespace(members=members), shut

    members = ["member"]
    monkeypatch.setattr(_together, "_able", lambda requests: (able, refused))
    monkeypatch.setattr("stend.cli._together.arrange.once", lambda some: None)
    monkeypatch.setattr("stend.cli._together.arrange.arranged", arrange_all)
    monkeypatch.setattr("stend.cli._together.group.create", lambda *given: went.append(given))
    monkeypatch.setattr(_together, "go", noting(went, worst))
    into = tmp_path / "group"
    assert _together.begin(wanted, into, barrier=True, trial_s=3.0, apart=False) == code
    assert arranged == [(able, into, True, 3.0)]
    assert went[1] == (into, {"a": "Na", "b": "Nb"}, ("f",), False)
    assert capsys.readouterr().err == "".join(f"stend: {name}: {why}; it is left out\n" for name, why in shut.items())
    members.clear()
    assert _together.begin(wanted, into, barrier=True, trial_s=3.0, apart=False) == Refused.exit_code
    (into / "x").mkdir(parents=True)
    with pytest.raises(BadInput, match="is not empty"):
        _together.begin(wanted, into, barrier=True, trial_s=3.0, apart=False)


# fleets


def test_each_action_of_a_fleet_goes_to_its_cluster_with_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    dask = Calls(certificates=1, scheduler=2, worker=3, drives=4)
    of_file = {name: (lambda *given, name=name: noting(dask.calls, 9)(name, *given)) for name in ("run", "stop")}
    dask.__dict__["OF_FILE"] = of_file
    jobs = dict.fromkeys(("run", "stop"), lambda path: 8)
    monkeypatch.setattr(fleet, "_dask", lambda: dask)
    monkeypatch.setattr("stend.cli.fleet.platform.node", lambda: "here")
    monkeypatch.setattr(_slurm, "OF_FILE", jobs)
    monkeypatch.setattr(_slurm, "drives", lambda host, targets: (host, targets))
    monkeypatch.setattr(_slurm, "carry", lambda folder, targets: (folder, targets))
    file, papers = Path("fleet.toml"), Path("papers")
    assert fleet.certificates(papers, ["a", "b"]) == 1
    assert fleet.scheduler("tls://s:1", papers) == 2
    assert fleet.worker("tls://s:1", papers, "me", ["x"], Path("into")) == 3
    assert fleet.worker("tls://s:1", papers) == 3
    assert fleet.drives("tls://s:1", papers, "me") == 4
    assert fleet.run(file, papers) == fleet.stop(file, papers, "me") == 9
    assert dask.calls == [
        ("certificates", papers, ["a", "b"]), ("scheduler", "tls://s:1", papers, "here"),
        ("worker", "tls://s:1", papers, "me", ["x"], Path("into")),
        ("worker", "tls://s:1", papers, "here", [], Path("fleet")), ("drives", "tls://s:1", papers, "me"),
        ("run", file, papers, "here"), ("stop", file, papers, "me"),
    ]  # fmt: skip
    assert (fleet.run(file, papers, slurm=True), fleet.stop(file, slurm=True)) == (8, 8)
    assert fleet.drives("host", target=["x"], slurm=True) == ("host", ["x"])  # type: ignore[comparison-overlap]
    assert fleet.carry(Path("shared")) == (Path("shared"), [])  # type: ignore[comparison-overlap]


FLEET: Any = SimpleNamespace(
    name="f", into="home", scheduler="tls://s:1", acceptance=None,
    orders=lambda: [SimpleNamespace(cell=f"{serial}-1", serial=serial) for serial in "ABC"],
)  # fmt: skip


@pytest.fixture
def dask(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("distributed")
    from stend.cli import _fleet

    @contextmanager
    def connected(*given: Any) -> Iterator[Any]:
        yield given

    states = {"h": {"A-1": "running"}, "g": {}}
    announced = {"A": SimpleNamespace(model="M", capacity_bytes=10**12, host="node")}
    calls = Calls(
        hosts=lambda dask: {"tls://h": announced}, announced=lambda dask: announced | {"B": None},
        run=[Outcome("A-1", "complete"), Outcome("B-1", "refused"), Outcome("C-1", "not steady")], collect=["folder"],
        each=lambda dask, task, name: states if task.__name__ == "states" else {"h": 2, "g": 1},
    )  # fmt: skip
    calls.__dict__["connected"] = connected
    monkeypatch.setattr(_fleet, "client", calls)
    monkeypatch.setattr("stend.cli._fleet.file.load", lambda path: FLEET)
    monkeypatch.setattr("stend.cli._fleet.chosen.kept", lambda fleet: fleet)
    monkeypatch.setattr("stend.cli._home.judged", lambda fleet, folders: (fleet, folders))
    return _fleet


def test_what_a_fleet_prints_and_returns(
    dask: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, papers = Path("fleet.toml"), Path("papers")
    assert dask.run(path, papers, "me") == Refused.exit_code
    assert dask.client.calls[-1][:4] == ("run", FLEET, papers, "me")
    here = " --certificates papers --name me"
    assert (
        capsys.readouterr().out
        == f"2 of 3 runs are complete; `stend fleet collect fleet.toml{here}` brings them to home\n"
    )
    assert dask.status(path, papers, "me") == 0
    assert capsys.readouterr().out.splitlines() == [
        "node: A (M 1 TB)", "A-1: running", "B-1: not begun", "C-1: not known: no host announces its drive now"
    ]  # fmt: skip
    assert dask.stop(path, papers, "me") == 0
    assert capsys.readouterr().out == f"3 runs were asked to end; `stend fleet run fleet.toml{here}` continues them\n"
    assert dask.collect(path, papers, "me") == (FLEET, ["folder"])
    assert dask.client.calls[-1][1] == ("tls://s:1", papers, "me")
    monkeypatch.setattr(dask.chosen, "kept", lambda fleet: None)
    assert dask.status(path, papers, "me") == 0
    assert f"no drives were chosen yet; `stend fleet drives fleet.toml{here}`" in capsys.readouterr().out
    seen = list[Any]()
    monkeypatch.setattr(dask.chosen, "page", lambda fleet, drives: noting(seen, ["line"])(fleet, [*drives]))
    for given, known in (("tls://x:2", None), ("fleet.toml", FLEET)):
        assert dask.drives(given, papers, "me") == 0
        assert seen[-1] == (known, ["A", "B"])
    assert capsys.readouterr().out == "line\nline\n"
    hosts = Calls()
    monkeypatch.setattr(dask, "hosts", hosts)
    assert dask.scheduler("tls://s:1", papers, "me") == dask.worker("tls://s:1", papers, "me", ["d"], path) == 0
    assert [call[:-1] for call in hosts.calls] == [
        ("schedule", "tls://s:1", papers, "me"), ("work", "tls://s:1", papers, "me", ["d"], path)
    ]  # fmt: skip
    monkeypatch.setattr(dask.papers, "make", lambda folder, names: [folder / f"{name}.crt" for name in names])
    assert dask.certificates(papers, ["a"]) == 0
    assert capsys.readouterr().out.startswith(f"papers/a.crt, a.key, {dask.papers.AUTHORITY}: copy these three files")
    with pytest.raises(BadInput, match="name the hosts"):
        dask.certificates(papers, [])


def test_what_jobs_print_and_return(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    jobs = Calls(run=4, stop=2, states={"A-1": "running"}, collect=["folder"], resources=["NodeName=h"],
                 carry=Outcome("A-1", "refused", "why"))  # fmt: skip
    monkeypatch.setattr(_slurm, "slurm", jobs)
    monkeypatch.setattr("stend.cli._slurm.file.load", lambda path: FLEET)
    monkeypatch.setattr("stend.cli._slurm.local.drives", dict.fromkeys)
    monkeypatch.setattr("stend.cli._home.judged", lambda fleet, folders: (fleet, folders))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=SimpleNamespace(read=lambda: b"order")))
    path = Path("fleet.toml")
    assert _slurm.run(path) == _slurm.status(path) == _slurm.stop(path) == _slurm.drives("h", ["x"]) == 0
    assert _slurm.collect(path) == (FLEET, ["folder"])  # type: ignore[comparison-overlap]
    assert _slurm.carry(Path("shared"), ["x"]) == Refused.exit_code
    assert capsys.readouterr().out.splitlines() == [
        "4 jobs were submitted; `stend fleet status --slurm fleet.toml` shows their states", "A-1: running",
        "2 jobs were asked to end; `stend fleet run --slurm fleet.toml` continues them", "NodeName=h",
        "A-1: refused: why",
    ]  # fmt: skip
    assert [call for call in jobs.calls if call[0] in ("resources", "carry")] == [
        ("resources", "h", ["x"], "drive"), ("carry", Path("shared"), ["x"], b"order")
    ]  # fmt: skip


def test_collected_runs_are_verified_listed_and_judged_as_a_lot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = {"complete": 0, "not steady": 0, "refused": Refused.exit_code, "stopped": STOPPED_EXIT_CODE,
             "failed": StepFailed.exit_code, "cut off": StepFailed.exit_code}  # fmt: skip
    assert {name: _home.code(Outcome("c", name)) for name in codes} == codes
    learned, judgements = list[Path](), list[Any]()
    monkeypatch.setattr("stend.cli._home.store.load", lambda folder: SimpleNamespace(wrong=folder.name == "B-1"))
    monkeypatch.setattr("stend.cli._home.catalogue.learn", learned.append)
    monkeypatch.setattr("stend.cli._home.chosen.kept", lambda fleet: None)
    monkeypatch.setattr("stend.cli._home.acceptance.plan", lambda written, name: (written, name))
    monkeypatch.setattr("stend.cli._home.read.named", lambda folders, *, empty: folders if empty else [])
    monkeypatch.setattr("stend.cli._home.lot.judged", noting(judgements, 6))
    folders = [Path(f"home/{name}") for name in ("A-1", "X-1")]
    assert _home.judged(FLEET, folders) == 0
    assert capsys.readouterr().out == "1 of 3 runs are here, and 1 that f no longer names: home\n"
    FLEET.acceptance = "plan"
    assert _home.judged(FLEET, [folders[0]]) == 6
    assert judgements == [([folders[0]], ("plan", "f"), ["html"], "en", Path("home"))]
    assert _home.judged(FLEET, [folders[1]]) == 7, "a plan without a run accepts nothing"
    wrong = Path("home/B-1")
    assert _home.judged(FLEET, [wrong]) == UNSOUND_EXIT_CODE
    assert f"! {wrong} was changed since its run wrote it: see `stend verify {wrong}`" in capsys.readouterr().out
    assert learned == [Path("home")] * 4
    FLEET.acceptance = None


@pytest.mark.parametrize(("verdict", "code"), [("accepted", 0), ("rejected", 6), ("undecided", 7), (None, 0)])
def test_the_exit_code_of_a_lot_is_its_verdict(
    verdict: str | None, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from stend.many.batch import lot as lots
    from stend.many.batch import verdict as verdicts
    from stend.report.parts import batched

    whole, seen = SimpleNamespace(acceptance=verdict and SimpleNamespace(verdict=verdict)), list[Any]()
    monkeypatch.setattr(lots, "lot", lambda side, *, anyway, least: (side, anyway, least))
    monkeypatch.setattr(verdicts, "judged", noting(seen, whole))
    page = SimpleNamespace(lead=SimpleNamespace(title="one", stamps=("  ! new",), texts=("two",)))
    monkeypatch.setattr(batched, "batched", lambda batch, lang, *, drawn: noting(seen, page)(lang, drawn))
    monkeypatch.setattr(batched, "plain", lambda batch: {"a": 1})
    monkeypatch.setattr(batched, "write", lambda batch, *given: noting(seen, [Path("lot.html")])(*given))
    side: Any = "side"
    assert lot.judged(side, None, ["html"], "ru", Path("into"), anyway=True) == code
    assert capsys.readouterr().out == "one\n  ! new\ntwo\nLot: lot.html\n"
    assert seen == [(("side", True, 2), None), ("ru", False), (["html"], "ru", Path("into"))]
    assert lot.judged(side, None, [], "en", None, as_json=True) == code
    assert '"a": 1' in capsys.readouterr().out
    lot.judged(side, None, ["html"], "en", None, as_json=True)
    assert seen[-1] == (["html"], "en", Path())
    assert capsys.readouterr().err == "Lot: lot.html\n"


def test_a_reader_that_went_away_ends_a_verb_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(words: list[str]) -> Any:
        raise Unread

    steps = list[Any]()
    monkeypatch.setattr(cli, "_called", called)
    monkeypatch.setattr(cli, "print_nowhere", noting(steps, None))
    assert cli.main(["list"]) == Unread.exit_code
    assert len(steps) == 1
