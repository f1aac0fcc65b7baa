"""A run on disk: whole, torn, foreign, full."""

import json
import os
import resource
import shutil
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest
import zstandard

from stend import store
from stend.base.errors import BadInput, NotReadable, StepFailed
from stend.model.events import Ended, Event, Result
from stend.model.record import Run
from stend.store import journal
from stend.store.chain import Chain
from stend.words import Sentence
from tests.still import StillEngine
from tests.test_run import drawn, play


def kept(events: list[Event]) -> Generator[Event, None, None]:
    yield from events


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return play(drawn("iops", minute_s=1, rounds=5), StillEngine())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, events: list[Event]) -> Path:
    """Each of its results is waited for until it is on disk: once is enough."""
    folder = tmp_path_factory.mktemp("written") / "run"
    store.create(folder, {"target": "still"}, {"cpu": "none"})
    list(store.append(folder, kept(events)))
    return folder


@pytest.fixture
def folder(tmp_path: Path, written: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "run"))


def test_what_is_appended_is_read(folder: Path, events: list[Event]) -> None:
    assert list(store.read(folder)) == events
    assert store.host(folder) == {"cpu": "none"}
    assert store.manifest(folder) == {"target": "still"}
    assert store.find(folder.parent) == [folder]


def test_every_cut_of_the_last_line_loses_that_line_only(folder: Path, events: list[Event]) -> None:
    path = folder / "events.jsonl"
    data = path.read_bytes()
    last = data[:-1].rfind(b"\n") + 1
    for cut in (last + 1, (last + len(data)) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        assert list(store.read(folder)) == events[:-1]
    list(store.append(folder, kept(events[-1:])))
    assert list(store.read(folder)) == events


def test_a_torn_end_is_known_by_its_bytes_and_forgotten_once_the_line_is_whole(
    folder: Path, events: list[Event]
) -> None:
    whole = (folder / "events.jsonl").read_bytes()
    record = journal.Record(folder)
    assert (record.lines_read, record.whole_bytes, record.torn_bytes) == (0, 0, 0)
    (folder / "events.jsonl").write_bytes(whole[:-10])
    torn = len(list(record.lines())), record.torn_bytes
    (folder / "events.jsonl").write_bytes(whole)
    assert torn == (len(events) - 1, len(whole.splitlines(keepends=True)[-1]) - 10)
    assert (len(list(record.lines())), record.torn_bytes) == (1, 0)


@pytest.mark.parametrize("at_once", [1, 2, 7, 512])
def test_a_run_is_read_in_parts_as_it_grows(
    folder: Path, events: list[Event], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cuts are in a batch, at its end and one byte before that; each line is added once, and no end is lost."""
    monkeypatch.setattr(journal, "AT_ONCE", at_once)
    path, record, run = folder / "events.jsonl", journal.Record(folder), Run()
    lines = path.read_bytes().splitlines(keepends=True)
    whole = b"".join(lines)
    for count, torn in ((3, 0), (4, 9), (11, 1), (12, len(lines[12]) - 1), (len(lines), 0)):
        size = sum(map(len, lines[:count]))
        path.write_bytes(whole[: size + torn])
        record.into(run)
        assert (record.lines_read, record.whole_bytes, record.torn_bytes) == (count, size, torn)
    assert (record.wrong, run.results, list(run.samples)) == ([], Run(events).results, list(Run(events).samples))


def test_following_tells_the_same_events(folder: Path, events: list[Event]) -> None:
    assert list(store.follow(folder)) == events


def test_a_run_may_lie_where_no_folder_is_yet_or_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "not/there/yet"):
        store.create(place, {"target": "still"}, {})
        assert journal.Record(place)


def test_the_machine_is_told_in_a_file_that_people_read(tmp_path: Path) -> None:
    store.create(tmp_path / "run", {}, {"note": "Стенд № 3"})
    assert '"note": "Стенд № 3"' in (tmp_path / "run/host.json").read_text()


def test_of_a_machine_only_what_can_be_reckoned_with_is_believed(folder: Path) -> None:
    told = {"cpus": 4, "memory_bytes": "much", "adapters": [{"model": "x"}], "os": ["any", 1]}
    (folder / "host.json").write_text(json.dumps(told))
    assert store.host(folder) == {key: value for key, value in told.items() if key != "memory_bytes"}
    for broken in ("{", "[]", "\x00"):
        (folder / "host.json").write_text(broken)
        assert store.host(folder) == {}
    (folder / "host.json").unlink()
    assert store.host(folder) == {}


def test_runs_are_found_the_oldest_first_whatever_they_are_called(tmp_path: Path) -> None:
    for at, name in ((300, "a"), (100, "c"), (200, "b"), (200, "d")):
        store.create(tmp_path / name, {}, {})
        os.utime(tmp_path / name / "events.jsonl", (at, at))
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone/events.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "no run").mkdir()
    names = [found.name for found in store.find(tmp_path) if found.name != "gone"]
    assert names == ["c", "b", "d", "a"]
    assert store.find(tmp_path / "none") == []


def test_files_are_known_by_hashes_that_other_programs_make_too() -> None:
    assert store.digest(b"") == "cae66941d9efbd404e4d88758ea67670"  # `b2sum -l 128` of nothing


def test_a_new_run_never_overwrites_one(folder: Path) -> None:
    with pytest.raises(BadInput, match="not empty"):
        store.create(folder, {}, {})


@pytest.mark.parametrize("text", ["", "x\n", "{}\n", '{"format": "stend-events", "version": 99}\n', "[1]\n"])
def test_a_foreign_file_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "events.jsonl").write_text(text)
    with pytest.raises(BadInput):
        list(store.read(tmp_path))


def test_a_broken_line_in_the_middle_is_named(folder: Path) -> None:
    path = folder / "events.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[3] = b"{}"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(BadInput, match="line 4"):
        Run(store.read(folder))


def test_a_sample_that_cannot_be_is_named_though_samples_are_read_by_the_hundred(folder: Path) -> None:
    path = folder / "events.jsonl"
    lines = path.read_bytes().split(b"\n")
    number = [n for n, line in enumerate(lines) if line.startswith(journal.SAMPLE)][2]
    lines[number] = lines[number].replace(b'"t":', b'"t":[],"then":', 1)
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(BadInput, match=f"line {number + 1}"):
        store.load(folder)


def test_samples_of_no_plan_are_no_run(folder: Path) -> None:
    path = folder / "events.jsonl"
    head, *lines = path.read_bytes().split(b"\n")
    samples = [line for line in lines if line.startswith(journal.SAMPLE)]
    path.write_bytes(b"\n".join([head, *samples, b""]))
    with pytest.raises(BadInput, match="line 2"):
        store.load(folder)


def test_a_missing_folder_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run folder"):
        store.load(tmp_path / "none")


def test_a_full_disk_ends_the_run_in_a_sentence_and_loses_nothing(folder: Path, events: list[Event]) -> None:
    closed = []

    def endless() -> Generator[Event, None, None]:
        try:
            while True:
                yield events[5]
        finally:
            closed.append(True)

    full = (folder / "events.jsonl").stat().st_size + 1000
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (full, before[1]))
    try:
        with pytest.raises(StepFailed, match="stend resume"):
            list(store.append(folder, endless()))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert closed
    assert list(store.read(folder))[: len(events)] == events


def test_the_engines_own_words_are_kept_by_step_and_come_out_as_they_went_in(
    tmp_path: Path, events: list[Event]
) -> None:
    folder = tmp_path / "run"
    store.create(folder, {"target": "still"}, {})
    raw, results = store.Raw(folder), [event for event in events if isinstance(event, Result)][:3]

    def telling() -> Generator[Event, None, None]:
        yield events[0]
        for number, result in enumerate(results[:2]):
            raw(b"words ")
            raw(f"of step {number}".encode())
            yield result
        yield results[2]  # a step without words, as a purge is
        raw(b"cut off")

    list(store.append(folder, telling(), raw))
    named = {path.name for path in (folder / "raw").iterdir() if not path.name.startswith("unfinished-")}
    assert named == {store.raw_name(result) for result in results[:2]}
    for number, result in enumerate(results[:2]):
        with zstandard.open(folder / "raw" / store.raw_name(result), "rb") as file:
            assert file.read() == f"words of step {number}".encode()
        assert zstandard.get_frame_parameters((folder / "raw" / store.raw_name(result)).read_bytes()).has_checksum
    assert len(list((folder / "raw").glob("unfinished-*.zst"))) == 1


def test_what_is_told_as_done_is_on_disk_before_it_is_told(
    tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, synced, real = tmp_path / "run", list[int](), os.fsync

    def counted(fd: int) -> None:
        synced.append(os.fstat(fd).st_size)
        real(fd)

    monkeypatch.setattr(os, "fsync", counted)
    store.create(folder, {"target": "still"}, {})
    path = folder / "events.jsonl"
    assert synced == [path.stat().st_size]
    for event in store.append(folder, kept(events)):
        if isinstance(event, store.DURABLE):
            assert synced[-1] == path.stat().st_size
        assert path.stat().st_size > synced[0]


def test_the_first_line_tells_the_format_by_which_the_rest_is_read(folder: Path) -> None:
    lines = (folder / "events.jsonl").read_bytes().splitlines()
    head, first = (json.loads(line) for line in lines[:2])
    assert (head["format"], head["version"]) == ("stend-events", 3)
    assert first["n"] == 1
    record = journal.Record(folder)
    last = list(record)[-1]
    assert isinstance(last, Ended)
    chain, wrong = Chain(lines[0]), list[Sentence]()
    assert len(list(chain.opened((line + b"\n" for line in lines[1:]), 2, wrong))) == len(lines) - 1
    assert not wrong
    assert record.seal == f"{len(lines) - 1}-{chain.hash.hex()}"


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_format_so_far_is_read(tmp_path: Path, version: int) -> None:
    (tmp_path / "events.jsonl").write_text(json.dumps({"format": "stend-events", "version": version}) + "\n")
    assert list(store.read(tmp_path)) == []
    assert (journal.Record(tmp_path).chain, store.number(tmp_path), store.run_number(tmp_path)) == (None, 0, None)


@pytest.mark.parametrize(
    ("version", "kind"), [(4, NotReadable), (0, BadInput), ("3", BadInput), (None, BadInput), (-1, BadInput)]
)
def test_a_later_format_needs_a_newer_stend_and_any_other_is_none(tmp_path: Path, version: object, kind: type) -> None:
    (tmp_path / "events.jsonl").write_text(json.dumps({"format": "stend-events", "version": version}) + "\n")
    with pytest.raises(BadInput, match="this stend reads up to 3: use a newer stend") as raised:
        journal.Record(tmp_path)
    assert type(raised.value) is kind


def test_a_first_line_has_64_kib_at_most(tmp_path: Path) -> None:
    head = b'{"format":"stend-events","version":3}'
    for size, sound in ((65_536, True), (65_537, False)):
        (tmp_path / "events.jsonl").write_bytes(head.ljust(size - 1) + b"\n")
        if sound:
            assert journal.Record(tmp_path).head["version"] == 3
        else:
            with pytest.raises(BadInput, match="is not a stend event file"):
                journal.Record(tmp_path)


def test_the_number_of_a_run_has_62_bits(tmp_path: Path) -> None:
    for named, number in (("ffffffffffffffff", 2**62 - 1), ("4000000000000001", 1), ("x", None), (7, None)):
        head = {"format": "stend-events", "version": 3, "run": named}
        (tmp_path / "events.jsonl").write_text(json.dumps(head) + "\n")
        assert store.run_number(tmp_path) == number


def test_the_number_of_a_record_is_that_of_its_last_event(folder: Path, events: list[Event]) -> None:
    assert store.number(folder) == len(events)


def test_a_folder_that_may_not_be_looked_into_is_a_run_but_not_that_of_a_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object) -> None:
        raise PermissionError

    assert not journal.is_run(tmp_path)
    assert not journal.is_run(tmp_path / "a\0b")
    monkeypatch.setattr(os, "stat", refuse)
    assert [journal.is_run(tmp_path / name) for name in ("run", "lost+found")] == [True, False]


def test_the_output_of_a_step_has_the_name_of_its_place(events: list[Event]) -> None:
    result = next(event for event in events if isinstance(event, Result))
    place = msgspec.structs.replace(result.where, test="a/b", phase="c\0d", round=12)
    named = store.raw_name(msgspec.structs.replace(result, where=place, index=3))
    assert named == "a-b-c-d-0012-0003.json.zst"
