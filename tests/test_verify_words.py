"""The words of a check, piece by piece, of a small record: `stend verify` prints them."""

import hashlib
from collections.abc import Generator
from pathlib import Path

import pytest
from msgspec.structs import replace

from stend import store
from stend.model.events import Ended, Event, Source, Started
from stend.store import reports, verify
from stend.store.verify import Check
from tests.test_progress_exact import TEN, begun, done, judged, phase

EVENTS: list[Event] = [
    begun([phase(TEN, TEN, TEN)]),
    done(TEN, 10.0),
    replace(done(TEN, 20.0), index=1),
    judged(20.0, end=True),
    Ended(t=21.0, outcome="complete"),
]


def yielded(events: list[Event]) -> Generator[Event, None, None]:
    yield from events


def kept(folder: Path, events: list[Event], *, new: bool = True) -> Path:
    if new:
        store.create(folder, {"target": "still"}, {"cpu": "none"})
    list(store.append(folder, yielded(events)))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return kept(tmp_path / "run", EVENTS)


def checks(folder: Path) -> list[Check]:
    return list(verify.Folder(folder).checks())


BESIDE = [Check("manifest.toml", "as written"), Check("host.json", "as written")]


def test_a_whole_record_is_sound_in_all_its_pieces(folder: Path) -> None:
    assert checks(folder) == [
        Check("events", "5, numbered and chained"), *BESIDE, Check("results", "2, each recorded once")
    ]  # fmt: skip


def test_a_record_without_events_has_none(tmp_path: Path) -> None:
    assert checks(kept(tmp_path / "run", [])) == [Check("events", "0, numbered and chained"), *BESIDE]


def test_a_torn_end_is_sound_and_has_its_bytes(folder: Path) -> None:
    with (folder / "events.jsonl").open("ab") as file:
        file.write(b'{"x')
    words = "5, numbered and chained; a torn end of 3 bytes, as a crash leaves it"
    assert checks(folder)[0] == Check("events", words)


def test_a_step_that_is_recorded_twice_is_counted(tmp_path: Path) -> None:
    twice = kept(tmp_path / "run", [*EVENTS[:3], *EVENTS[1:3]])
    assert checks(twice)[-1] == Check("results", "2 of 4 are recorded twice", sound=False)


def test_files_beside_the_record_are_compared_with_its_first_line(folder: Path) -> None:
    (folder / "host.json").write_text("{}")
    (folder / "manifest.toml").unlink()
    assert checks(folder)[1:3] == [
        Check("manifest.toml", "cannot be read: No such file or directory", sound=False),
        Check("host.json", "was changed since the run began", sound=False),
    ]


def test_a_record_of_format_1_has_no_hashes(folder: Path) -> None:
    (folder / "events.jsonl").write_bytes(b'{"format":"stend-events","version":1}\n')
    assert checks(folder) == [
        Check("events", "0, of format 1, without a hash chain to detect changes"),
        Check("manifest.toml", "present; it has no hash to detect changes"),
        Check("host.json", "present; it has no hash to detect changes"),
    ]


def test_lines_that_are_not_as_written_are_listed_up_to_five(folder: Path) -> None:
    path = folder / "events.jsonl"
    head, first, *lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([head, first, *[first] * 7, *lines]))
    again = "; ".join(f"line {n} is event 1 again, or out of its place" for n in range(3, 8))
    assert checks(folder)[0] == Check("events", f"{again}; and 2 more", sound=False)
    path.write_bytes(b"".join([head, first, *[first] * 5, *lines]))
    assert checks(folder)[0] == Check("events", again, sound=False)


def test_a_line_that_is_no_event_is_named(folder: Path) -> None:
    path = folder / "events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"nothing\n"]))
    lost, broken = checks(folder)[0].words.split("; ")
    assert lost == "line 3 has lost its number"
    assert broken.startswith("line 3")
    assert "is not an event" in broken


def test_reports_are_compared_with_their_digest_and_the_record(folder: Path) -> None:
    for name in ("now.html", "gone.html", "edited.html"):
        (folder / name).write_text(name)
    seal = store.load(folder).seal
    reports.remember(folder, [folder / name for name in ("now.html", "gone.html", "edited.html")], [seal])
    (folder / "gone.html").unlink()
    (folder / "edited.html").write_text("other")
    (folder / "foreign.html").touch()
    reports.remember(folder, [folder / "foreign.html"], ["7-00"])
    told = {check.piece: check for check in checks(folder) if check.piece.endswith(".html")}
    assert list(told.values()) == [
        Check("now.html", "made from this record"),
        Check("gone.html", "was taken away"),
        Check("edited.html", "was changed after stend wrote it; `stend report` makes it again", sound=False),
        Check("foreign.html", "of another record; `stend report` makes it again", sound=False),
    ]
    kept(folder, EVENTS[-1:], new=False)
    older = {check.piece: check for check in checks(folder)}
    assert older["now.html"] == Check("now.html", "older than the record; `stend report` makes it again")
    assert reports.kept(folder)["now.html"].seals == [seal]


def test_a_report_is_current_if_it_is_there_and_of_the_record_as_it_is(folder: Path) -> None:
    run = store.load(folder)
    assert not reports.current(folder, run)
    (folder / "report.html").write_text("x")
    assert not reports.current(folder, run)
    reports.remember(folder, [folder / "report.html"], [run.seal])
    assert reports.current(folder, run)
    assert not reports.current(folder, run, "other.html")
    kept(folder, EVENTS[-1:], new=False)
    assert not reports.current(folder, store.load(folder))
    (folder / "reports.json").write_text("{")
    assert reports.kept(folder) == {}


def test_the_originals_of_an_import_are_compared_by_their_sha_256(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    start = EVENTS[0]
    assert isinstance(start, Started)
    source = Source(tool="fio", format="json", files=(("a", digest), ("b", digest)), version="3.33")
    folder = kept(tmp_path / "run", [replace(start, source=source), *EVENTS[1:]])
    for name in "ab":
        (folder / "raw" / name).write_bytes(b"x")
    assert checks(folder)[-1] == Check("raw/", "2 of fio 3.33, as imported")
    (folder / "raw/a").write_bytes(b"y")
    (folder / "raw/b").unlink()
    words = "a is not what was imported; b: No such file or directory"
    assert checks(folder)[-1] == Check("raw/", words, sound=False)


def test_steps_that_were_cut_off_are_counted(tmp_path: Path) -> None:
    start = EVENTS[0]
    assert isinstance(start, Started)
    real = replace(start.plan, device=replace(start.plan.device, virtual=False))
    folder = kept(tmp_path / "run", [replace(start, plan=real)])
    assert checks(folder)[-1] == Check("raw/", "0 agree with the results' counts")
    for number in range(2):
        (folder / "raw" / f"unfinished-{number}.zst").touch()
    assert checks(folder)[-1] == Check("raw/", "0 agree with the results' counts; 2 of steps that were cut off")


def test_a_report_in_whose_place_is_a_folder_cannot_be_read(folder: Path) -> None:
    (folder / "x.html").write_text("x")
    reports.remember(folder, [folder / "x.html"], [store.load(folder).seal])
    (folder / "x.html").unlink()
    (folder / "x.html").mkdir()
    check = checks(folder)[-1]
    assert (check.piece, check.sound) == ("x.html", False)
    assert check.words.startswith("cannot be read: ")
