"""A trace played from request to report: judged against what was captured, known again, refused in one sentence."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from stend import findings, session, store
from stend.base.errors import BadInput
from stend.base.units import GiB
from stend.cli import main
from stend.engines.mapped import requests
from stend.findings import Finding
from stend.model.definition import Hold, Phase, Whole
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.tally import Tally
from stend.planning import describe
from stend.planning.plan import gather
from stend.report.story.telling import story
from stend.sentences import finding_said
from stend.session import unrecorded
from stend.suite import _played
from stend.trace import playable
from stend.trace.form import UNKNOWN, opened
from stend.words import Language, Sentence
from tests.still import IDENTITY
from tests.traces import made

FLASH, DISK = "sim:small", "sim:st600mx0052"


def played(target: str, trace: str, **changes: object) -> Run:
    """The run of a trace on a virtual drive."""
    names, profile, _ = gather(["replay"], None, {"tests": {"replay": {"trace": trace, **changes}}})
    return unrecorded.folded(target, names, profile, seed=1)


def told(run: Run, way: str) -> Finding:
    """What is concluded of one direction."""
    return next(f for f in findings.find(run) if f.name == "replay" and f.values.get("way") == way)


def tail_s(run: Run, way: str = "write") -> float:
    """How long one in a hundred of the trace's reads or writes took at least."""
    value: float = told(run, way).values["now"]
    return value


def test_of_two_drives_the_faster_one_is_told_to_be(tmp_path: Path) -> None:
    trace = made(tmp_path / "t.parquet", ios=2000, seconds=40.0, span=4 * GiB)
    runs = {target: played(target, trace, passes=0) for target in (FLASH, DISK)}
    assert all(run.ended and run.ended.outcome == "complete" for run in runs.values())
    assert tail_s(runs[FLASH], "read") < 0.002 < tail_s(runs[DISK], "read")
    assert [told(runs[target], "read").key for target in (FLASH, DISK)] == ["shorter", "longer"]


def test_the_first_address_of_a_trace_is_the_lowest_of_all_its_batches() -> None:
    extent, reads = playable.Extent(), ((0, 0, 0, 0, 4096), (1, 0, 0, 4096, 8192))
    batches = [{name: np.array([row[n]]) for n, name in enumerate(playable.PLAYED)} for row in reads]
    assert len(list(extent.measured(iter(batches)))) == 2
    assert (extent.first, extent.end, extent.longest) == (0, 12288, 8192)


@pytest.mark.parametrize(
    ("offsets", "sector_bytes", "enlarged"),
    [
        ([0, 4096, 512], 4096, 1),
        ([0, 4096, 512], 512, 0),
        ([512, 4096, 8192], 4096, 2),  # the lowest one is moved to the start of the range
        ([63 * 512, 63 * 512 + 8192, 63 * 512 + 4096], 4096, 0),  # of a partition that begins at sector 63
    ],
)
def test_ios_that_are_no_whole_sectors_of_the_drive_are_enlarged_with_a_note(
    tmp_path: Path, offsets: list[int], sector_bytes: int, enlarged: int
) -> None:
    path = made(tmp_path / "t.parquet", ios=3, seconds=1.0, offset=np.array(offsets), length=np.full(3, 8192))
    trace, drive = playable.summarise(path), msgspec.structs.replace(IDENTITY, logical_bytes=sector_bytes)
    hold = _played.PlacedTrace(trace, "shift", GiB).hold(1.0, drive)
    notes = describe.traced(trace, (Phase(name="x", round=(hold,)),), drive)
    told = [note.values for note in notes if note.key == "trace_enlarged_of"]
    assert told == ([{"n": enlarged, "of": 3, "bytes": sector_bytes}] if enlarged else [])
    assert isinstance(hold, Hold)
    (batch,) = requests(opened(Path(path)), hold.workload, GiB, sector_bytes)
    first = np.array(offsets) - min(offsets)
    assert (batch.offset <= first).all()
    assert (batch.offset + batch.length >= first + 8192).all(), "it covers the IO"
    assert not ((batch.offset | batch.length) % sector_bytes).any()
    assert int((batch.length > 8192).sum()) == enlarged


def test_the_note_of_sectors_agrees_with_the_number_of_ios() -> None:
    values = {"of": 21, "bytes": 4096}
    one, many = (Sentence("trace_enlarged_of", n=n, **values) for n in (1, 20))
    assert "1 of the trace's 21 reads and writes does not begin" in one
    assert "20 of the trace's 21 reads and writes do not begin" in many
    assert "1 из 21 операции чтения и записи трассы не на границах секторов" in Language("ru").translated(one)


def test_notes_of_a_trace_are_those_of_its_replay(tmp_path: Path) -> None:
    log = tmp_path / "two.iolog"
    ios = "".join(f"/dev/{name} read {n * 4096} 4096\n" for n in range(1000) for name in "ab")
    log.write_text(f"fio version 2 iolog\n/dev/a add\n/dev/b add\n{ios}")
    notes = played(FLASH, str(log)).plan.notes
    assert "the trace has 2 volumes (/dev/a, /dev/b), each with separate offsets" in str(notes)
    assert "the trace has no times: only the order of IOs is known" in notes
    names, profile, _ = gather(["headroom"], None, {"tests": {"headroom": {"trace": str(log)}}})
    with pytest.raises(BadInput, match=r"two\.iolog have one time: it has no speed that could be raised"):
        unrecorded.folded(FLASH, names, profile, seed=1)


@pytest.mark.parametrize("speed", [0.0, 0.5, 1.0, 4.0])
def test_a_step_lasts_as_long_as_its_trace_at_that_speed(speed: float) -> None:
    trace = playable.summarise("")
    hold = _played.PlacedTrace(trace, "shift", GiB).hold(speed, IDENTITY)
    assert isinstance(hold.amount, Whole)
    assert hold.amount.write_bytes == trace.write.bytes
    if speed:
        assert hold.amount.seconds == pytest.approx(trace.seconds / speed)
    else:
        assert 0 < hold.amount.seconds <= trace.seconds


def test_a_review_has_the_trace_as_captured_and_on_each_drive_that_played_it_alike(tmp_path: Path) -> None:
    latency_ns = np.linspace(1_000_000, 9_000_000, 2000).astype(np.int64)
    trace = made(tmp_path / "t.parquet", ios=2000, seconds=40.0, span=4 * GiB, latency_ns=latency_ns)
    runs = [played(FLASH, trace, passes=0), played(DISK, trace, passes=0), played(FLASH, trace, passes=0, speed=2)]
    review = story([(None, run, {}) for run in runs], [], "en")
    chapter = review.section("trace")
    assert finding_said(told(runs[0], "read"), Language("en"))[1:] in chapter.of_role("answer")[0]
    (table,) = chapter.tables
    model = [run.plan.device.model for run in runs]
    assert [row[0] for row in table.rows] == ["captured", f"{model[0]} (1)", model[1]]
    lines = [picture for picture in chapter.pictures if picture.name == "replay"]
    drawn = {row["drive"] for row in lines[0].spec["datasets"]["rows"]}
    assert drawn == {"captured", model[1]}  # the flash drive's are all in one bin, which is no line


def test_every_read_and_write_of_the_trace_is_done_on_a_virtual_drive(tmp_path: Path) -> None:
    run = played(FLASH, made(tmp_path / "t.parquet"))
    (result,) = run.of("replay", "replay")
    assert (result.counts.read.ios, result.counts.write.ios) == (1000, 1000)
    assert result.counts.seconds == pytest.approx(1.0, abs=0.05)


def test_as_fast_as_its_depths_allow_keeps_so_many_in_flight(tmp_path: Path) -> None:
    trace = made(tmp_path / "t.parquet", ios=40_000, depth=np.full(40_000, 6, np.int32))
    (result,) = played(FLASH, trace, speed=0).of("replay", "replay")
    assert result.counts.iops * result.counts.mean_s == pytest.approx(6, rel=0.1)


def test_where_no_depths_are_told_it_is_as_fast_as_its_queue_allows(tmp_path: Path) -> None:
    trace = playable.summarise(made(tmp_path / "t.parquet", depth=np.full(2000, UNKNOWN)))
    assert trace.depth == 0
    closed, hurried = (_played.played(trace, speed, "shift", GiB) for speed in (_played.CLOSED, _played.HURRIED))
    assert closed == hurried


def test_a_trace_is_called_by_its_file_and_the_one_that_comes_along_the_example(tmp_path: Path) -> None:
    assert [playable.summarise(path).name for path in (made(tmp_path / "t.parquet"), "")] == ["t.parquet", "example"]


def test_a_drive_loaded_beyond_what_it_can_answers_later(tmp_path: Path) -> None:
    trace = made(tmp_path / "t.parquet", ios=40_000, seconds=4.0)
    assert tail_s(played(FLASH, trace, speed=100)) > 3 * tail_s(played(FLASH, trace))


def test_what_was_captured_goes_with_the_run_and_no_address_does(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet", offset=np.full(2000, 123456 * 4096))
    request = session.Request(["replay"], FLASH, quick=True, trace=path, into=str(tmp_path / "run"))
    with session.start(request) as running:
        events = list(running)
    Path(path).unlink()
    run = store.load(tmp_path / "run")
    assert len(events) > 3
    traced = run.plan.tests[0].traced
    assert traced is not None
    assert sum(traced.read.bins.values()) == traced.read.ios == 1000
    words = (tmp_path / "run" / "events.jsonl").read_text()
    assert words.count(str(123456 * 4096)) < 10, "where the trace begins is told, not where each IO lies"


def test_a_host_that_was_late_makes_the_run_invalid_in_both_languages(tmp_path: Path) -> None:
    run = played(FLASH, made(tmp_path / "t.parquet"))
    late = Pace(sent=1000, late=20, full=5, latest_ns=9_000_000, lateness={0: 980, 1000: 20})
    result = msgspec.structs.replace(run.results[-1], pace=late)
    run.results[-1] = run.placed["replay", "replay"][-1] = result
    assert "invalid: the host sent 1.5% of the trace late" in run.stamps
    assert "2.0% of the trace's IOs were sent late" in run.stamps
    found = [f for f in findings.find(run) if f.name == "replay"]
    assert [f.key for f in found] == ["invalid"]
    assert "недействителен: хост отправил с опозданием 1,5" in Language("ru").translated(run.stamps[-2]).replace(
        ".", ","
    )
    assert finding_said(found[0], Language("ru"))


def test_a_pass_that_conditions_the_drive_keeps_no_times_and_stamps_no_page(tmp_path: Path) -> None:
    """A trace without depths is then played 10,000 times as fast, and almost every IO waits for the queue."""
    run = played(FLASH, made(tmp_path / "t.parquet", depth=np.full(2000, UNKNOWN)))
    late = Pace(sent=1000, late=957, full=900, lateness={0: 43, 1000: 957})
    for phase, stamped in (("condition", False), ("replay", True)):
        (result,) = run.of("replay", phase)
        run.results[run.results.index(result)] = msgspec.structs.replace(result, pace=late)
        assert any("late" in stamp for stamp in run.stamps) is stamped


@pytest.mark.parametrize(
    ("speed", "depth", "key", "english", "russian"),
    [
        (10, 4, "hurried", "with the trace 10 times as fast,", "трасса идёт быстрее в 10 раз,"),
        (0.5, 4, "slowed", "with the trace slowed down to 50% of its speed,", "трасса замедлена до 50 % её скорости,"),
        (0, 4, "closed", "with the trace as fast as its queue depths allow,", "допускает глубина очереди трассы,"),
        (0, 0, "hurried", "with the trace 10,000 times as fast,", "трасса идёт быстрее в 10 000 раз,"),
    ],
)
def test_a_replay_at_another_speed_states_the_speed_that_was_played(
    tmp_path: Path, speed: float, depth: int, key: str, english: str, russian: str
) -> None:
    """A trace without depths has no closed loop."""
    path = made(tmp_path / "t.parquet", depth=np.full(2000, depth, np.int32))
    run = played(FLASH, path, speed=speed)
    found = [f for f in findings.find(run) if f.name == "replay" and f.key != "kept"]
    assert {f.key for f in found} == {key}
    for lang, said in (("en", english), ("ru", russian)):
        assert said in finding_said(found[0], Language(lang)).replace("\u00a0", " ").replace("\u202f", " ")


def test_discards_that_a_drive_does_not_take_are_stamped_in_both_languages(tmp_path: Path) -> None:
    run = played(FLASH, made(tmp_path / "t.parquet"))
    stamped = "7 discards of the trace were not sent: the drive takes none"
    for sent, told_of in ((0, True), (3, False)):
        pace = Pace(sent=1000, discard=Tally(ios=sent), left_out={"discards": 7})
        run.results[-1] = run.placed["replay", "replay"][-1] = msgspec.structs.replace(run.results[-1], pace=pace)
        assert (stamped in run.stamps) is told_of
    assert "не принимает discard: из трассы не отправлено таких команд 7" in Language("ru").translated(stamped)


@pytest.mark.parametrize(
    ("late", "full", "stamped", "invalid"), [(10, 0, False, False), (11, 0, True, True), (11, 5, True, False)]
)
def test_the_rule_is_one_in_a_hundred(late: int, full: int, stamped: bool, invalid: bool) -> None:
    pace = Pace(sent=1000, late=late, full=full)
    assert (pace.doubtful, pace.invalid) == (stamped, invalid)
    assert msgspec.json.encode(Pace(late=late)) == b'{"late":%d}' % late, "what is nothing is not written"
    assert (Pace().sent, Pace().late_share, Pace().full_share, Pace().lateness_measured) == (0, 0, 0, False)
    assert Pace().latest_ns == 0


def test_a_result_of_before_there_were_replays_is_still_read() -> None:
    old = b'{"type":"result","where":{"test":"a","phase":"b","round":1},"index":0,"step":{"type":"purge"},"t":1.0}'
    from stend.model.events import Event

    assert msgspec.json.decode(old, type=Event).pace is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["replay", "--target", FLASH], "name its file with --trace"),
        (["replay", "--target", FLASH, "--trace", "/nowhere/t.parquet"], "cannot be read: No such file"),
        (["replay", "--target", FLASH, "--trace", __file__], "not in a known trace format"),
        (["iops", "--target", FLASH, "--trace", "example"], "--trace is for the replay and headroom tests"),
        (["replay", "--target", FLASH, "--trace", "example", "--fit", "sideways"], "sideways"),
    ],
)
def test_a_trace_that_is_missing_or_none_is_one_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *words]) == 2
    heard = capsys.readouterr().err
    assert said in heard
    assert "Traceback" not in heard


def test_a_trace_too_wide_for_the_drive_is_drawn_together_or_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet", span=1 << 31)
    run = played(FLASH, path)
    assert any("drawn together" in note for note in run.plan.notes)
    loads = [r.step.workload for r in run.results if isinstance(r.step, Hold)]
    assert max(load.range_bytes for load in loads) <= run.plan.range_bytes
    with pytest.raises(BadInput, match="--fit scale or --fit wrap"):
        played(FLASH, path, fit="shift")


def test_a_run_cut_off_goes_on_to_the_same_figures(tmp_path: Path) -> None:
    trace = made(tmp_path / "t.parquet")
    request = session.Request(["replay"], FLASH, seed=5, trace=trace, into=str(tmp_path / "whole"))
    with session.start(request) as running:
        whole = list(running)
    cut = msgspec.structs.replace(request, into=str(tmp_path / "cut"))
    with session.start(cut) as running:
        for count, _ in enumerate(running):
            if count > len(whole) // 2:
                break
    with session.resume(tmp_path / "cut") as running:
        list(running)
    first, second = (store.load(tmp_path / name) for name in ("whole", "cut"))
    assert [r.counts for r in first.results] == [r.counts for r in second.results]
