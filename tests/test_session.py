"""A run asked for as data and heard as events: what the command line, a watcher and a program do alike."""

from pathlib import Path

import msgspec
import pytest

from stend import session, store
from stend.base.errors import BadInput, Refused
from stend.devices import Device
from stend.model.events import Ended, Judged, Result, Started
from tests.short import study
from tests.stand import ours

DESIGN = Path(__file__).parent.parent / "docs" / "design.md"
FIVE = """\
request = session.Request(["iops"], "sim:small", quick=True, into="runs/first")
with session.start(request) as run:
    for event in run:
        print(type(event).__name__)
print(store.load(run.folder).stamps)
"""
SHORT = {"quick": True, "rounds": 1, "minute_s": 0.2, "seed": 7}


def short(folder: Path, target: str = "sim:small", **more: str | list[str]) -> session.Request:
    return msgspec.convert(SHORT | {"tests": ["iops"], "target": target, "into": str(folder)} | more, session.Request)


def kinds(request: session.Request) -> list[type]:
    with session.start(request) as run:
        return [type(event) for event in run]


def test_the_five_lines_of_the_design_run_as_they_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "".join(f"    {line}\n" for line in FIVE.splitlines()) in DESIGN.read_text()
    monkeypatch.chdir(tmp_path)
    quicker = FIVE.replace("quick=True", "quick=True, rounds=1, minute_s=0.2")
    exec(quicker, {"session": session, "store": store})
    heard = capsys.readouterr().out.splitlines()
    assert heard[0] == "Started"
    assert heard[-2] == "Ended"
    assert "quick" in heard[-1]
    assert len(list(store.read(Path("runs/first")))) == len(heard) - 1


@pytest.mark.fio
@pytest.mark.needs("fio")
def test_a_scratch_file_is_made_measured_and_let_go(tmp_path: Path) -> None:
    drive, folder = tmp_path / "scratch.bin", tmp_path / "run"
    own = [study(tmp_path)]
    heard = kinds(short(folder, str(drive), tests=own, create="16MiB"))
    assert heard[0] is Started
    assert heard[-1] is Ended
    assert Judged in heard
    assert drive.stat().st_size == 16 << 20
    run = store.load(folder)
    assert run.ended
    assert run.ended.outcome in ("complete", "not steady")
    assert sum(result.counts.write.bytes for result in run.results) > 0
    assert sum(1 for _ in (folder / "raw").iterdir()) > 0
    with pytest.raises(Refused):
        kinds(short(tmp_path / "again", str(drive)))
    heard = kinds(short(tmp_path / "named", str(drive), tests=own, destroy=str(drive)))
    assert heard[-1] is Ended


def test_a_request_crosses_a_wire_as_it_is(tmp_path: Path) -> None:
    request = short(tmp_path / "run")
    sent = msgspec.json.encode(request)
    assert msgspec.json.decode(sent, type=session.Request) == request
    assert kinds(msgspec.json.decode(sent, type=session.Request))[-1] is Ended
    assert store.manifest(tmp_path / "run") == SHORT | {"tests": ["iops"], "target": "sim:small"}


def test_a_trace_is_for_the_test_that_is_named_and_for_each_that_plays_one_where_a_suite_may_hold_it() -> None:
    told = {words: session.Request([words], "sim:small", trace="t").changes["tests"] for words in ("replay", "suite")}
    assert told == {
        "replay": {"replay": {"trace": "t"}},
        "suite": {"replay": {"trace": "t"}, "headroom": {"trace": "t"}},
    }


def test_who_holds_a_run_can_ask_for_its_end_and_it_goes_on_later(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    kinds(short(whole))
    with session.start(short(cut)) as run:
        for event in run:
            if isinstance(event, Result):
                run.stop()
    stopped = store.load(cut)
    assert stopped.ended
    assert stopped.ended.outcome == "stopped"
    with session.resume(cut) as run:
        assert [type(e) for e in run.past][-1] is Ended
        assert [type(e) for e in run][-1] is Ended
    assert store.load(cut).results == store.load(whole).results


def test_a_run_that_is_left_alone_amid_its_events_goes_on_to_the_same_figures(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    kinds(short(whole))
    with session.start(short(cut)) as run:
        next(event for event in run if isinstance(event, Result))
    assert store.load(cut).ended is None
    with session.resume(cut) as run:
        for _ in run:
            pass
    assert store.load(cut).results == store.load(whole).results


def test_a_repeated_run_that_is_stopped_before_it_comes_to_what_is_new_is_stopped_and_not_broken(
    tmp_path: Path,
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    kinds(short(whole))
    with session.start(short(cut)) as run:
        results = (event for event in run if isinstance(event, Result))
        for _ in range(8):
            next(results)
    with session.resume(cut) as run:
        run.stop()
        assert [type(e) for e in run][-1] is Ended
    stopped = store.load(cut)
    assert stopped.ended
    assert stopped.ended.outcome == "stopped"
    with session.resume(cut) as run:
        for _ in run:
            pass
    assert store.load(cut).results == store.load(whole).results


class Asked(session.Operator):
    """An operator with one answer."""

    def __init__(self, answer: str | None) -> None:
        self.answer, self.of = answer, ""

    def names(self, device: Device) -> str | None:
        self.of = device.identity.path
        return self.answer


@pytest.mark.fio
@pytest.mark.needs("fio")
def test_an_operator_is_asked_where_the_request_does_not_name_the_drive(tmp_path: Path) -> None:
    drive = tmp_path / "drive.bin"
    drive.write_bytes(bytes(16 << 20))
    ours(drive)
    for answer in (None, "another"):
        operator = Asked(answer)
        with pytest.raises(Refused), session.start(short(tmp_path / "run", str(drive)), operator):
            pass
        assert operator.of == str(drive)
        assert not (tmp_path / "run").exists()
    operator = Asked(str(drive))
    with session.start(short(tmp_path / "run", str(drive)), operator) as run:
        assert isinstance(next(iter(run)), Started)
    operator = Asked("not asked")
    with session.start(short(tmp_path / "run2", str(drive), destroy=str(drive)), operator) as run:
        assert isinstance(next(iter(run)), Started)
    assert operator.of == ""


@pytest.mark.fio
@pytest.mark.needs("fio")
def test_a_file_made_for_a_run_that_cannot_begin_is_taken_away_again(tmp_path: Path) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "something").touch()
    with (
        pytest.raises(BadInput, match="is not empty"),
        session.start(short(folder, str(tmp_path / "new.bin"), create="16MiB")),
    ):
        pass
    assert not (tmp_path / "new.bin").exists()


def test_what_would_be_run_is_told_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    request = session.Request(["iops"], "sim:small", quick=True)
    assert session.planned(request).tests[0].name == "iops"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadInput):
        session.planned(msgspec.structs.replace(request, tests=["no such"]))
