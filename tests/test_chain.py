"""A record that is not as its run wrote it: doubled, missing, moved and edited lines are told from a torn end."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend import store
from stend.base.errors import Refused
from stend.model.events import Event
from stend.model.record import Run
from stend.store.chain import Chain
from stend.words import Language, Sentence
from tests.still import StillEngine
from tests.test_run import drawn, play
from tests.test_store import kept

Lines = list[bytes]
LINE = 20


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return play(drawn("iops", minute_s=1, rounds=5), StillEngine())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, events: list[Event]) -> Path:
    """Each of its results is waited for until it is on disk: once is enough."""
    folder = tmp_path_factory.mktemp("written") / "run"
    store.create(folder, {"target": "still"}, {})
    list(store.append(folder, kept(events)))
    return folder


@pytest.fixture
def folder(tmp_path: Path, written: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "run"))


def spoil(folder: Path, how: Callable[[Lines], Lines]) -> None:
    path = folder / "events.jsonl"
    path.write_bytes(b"".join(how(path.read_bytes().splitlines(keepends=True))))


def edited(lines: Lines) -> Lines:
    at = next(n for n, line in enumerate(lines) if b'"seconds":1' in line and n >= LINE)
    return [*lines[:at], lines[at].replace(b'"seconds":1', b'"seconds":2', 1), *lines[at + 1 :]]


def unnumbered(lines: Lines) -> Lines:
    bare = {k: v for k, v in json.loads(lines[LINE]).items() if k not in ("n", "chain")}
    return [*lines[:LINE], json.dumps(bare).encode() + b"\n", *lines[LINE + 1 :]]


SPOILED: list[tuple[Callable[[Lines], Lines], str, int]] = [
    (lambda lines: [*lines[:LINE], lines[LINE - 1], *lines[LINE:]], "line 21 is event 19 again", 1),
    (lambda lines: [*lines[:LINE], *lines[LINE + 3 :]], "line 21 is event 23: 3 before it are missing", 1),
    (lambda lines: [*lines[:LINE], lines[LINE + 1], lines[LINE], *lines[LINE + 2 :]], "line 21 is event 21: 1 ", 3),
    (edited, "was edited", 1),
    (unnumbered, "line 21 has lost its number", 2),
]


@pytest.mark.parametrize(("how", "said", "count"), SPOILED, ids=["doubled", "missing", "swapped", "edited", "bare"])
def test_what_was_done_to_a_line_is_told_on_every_page_and_nothing_is_added(
    folder: Path, how: Callable[[Lines], Lines], said: str, count: int
) -> None:
    spoil(folder, how)
    before = (folder / "events.jsonl").read_bytes()
    run = store.load(folder)
    assert said in run.wrong[0]
    assert len(run.wrong) == count
    (stamp,) = (stamp for stamp in run.stamps if said in stamp)
    assert stamp in run.warnings()
    assert "not as the run" not in Language("ru").translated(stamp)
    with pytest.raises(Refused, match="stend verify"):
        next(store.append(folder, kept([])))
    assert (folder / "events.jsonl").read_bytes() == before


def test_a_line_of_another_run_is_told(folder: Path, tmp_path: Path, events: list[Event]) -> None:
    store.create(tmp_path / "other", {"target": "still"}, {})
    list(store.append(tmp_path / "other", kept(events)))
    foreign = (tmp_path / "other/events.jsonl").read_bytes().splitlines(keepends=True)[LINE]
    spoil(folder, lambda lines: [*lines[:LINE], foreign, *lines[LINE + 1 :]])
    assert "line 21 was edited" in store.load(folder).wrong


def test_a_torn_end_is_nothing_wrong(folder: Path, events: list[Event]) -> None:
    path = folder / "events.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    assert store.load(folder).wrong == ()
    list(store.append(folder, kept(events[-1:])))
    again = store.load(folder)
    assert (again.wrong, list(store.read(folder))) == ((), events)


def test_a_run_of_before_there_was_a_chain_is_read_and_goes_on_without(folder: Path, events: list[Event]) -> None:
    def older(lines: Lines) -> Lines:
        bare = [{k: v for k, v in json.loads(line).items() if k not in ("n", "chain")} for line in lines[1:-1]]
        head = {"format": "stend-events", "version": 1}
        return [json.dumps(line).encode() + b"\n" for line in (head, *bare)]

    spoil(folder, older)
    list(store.append(folder, kept(events[-1:])))
    assert list(store.read(folder)) == events
    assert b'"chain"' not in (folder / "events.jsonl").read_bytes()
    assert Run(store.read(folder)).seal == store.load(folder).seal == ""


def test_a_report_can_name_the_record_it_was_made_of(folder: Path, events: list[Event]) -> None:
    seal = store.load(folder).seal
    assert seal.startswith(f"{len(events)}-")
    list(store.append(folder, kept(events[-1:])))
    assert store.load(folder).seal.startswith(f"{len(events) + 1}-")


def opened(chain: Chain, line: bytes, at: int) -> tuple[bytes, Sentence | None]:
    """Return the event of one line, and what is wrong with it."""
    wrong: list[Sentence] = []
    (event,) = chain.opened([line + b"\n"], at, wrong)
    return event, wrong[0] if wrong else None


@given(st.lists(st.dictionaries(st.text(), st.integers() | st.text() | st.just('x","n":1,"chain":"')), max_size=8))
def test_any_object_comes_out_as_it_went_in(objects: list[dict[str, int | str]]) -> None:
    written, seen = Chain(b"head"), Chain(b"head")
    for one in objects:
        event = json.dumps(one, ensure_ascii=False).encode()
        line = written.sealed(event)
        assert json.loads(line)["n"] == written.number
        assert opened(seen, line, 2) == (event, None)
    assert (seen.number, seen.hash) == (written.number, written.hash)


def test_after_a_line_that_lost_its_number_the_next_one_has_the_number_that_is_due() -> None:
    head = b'{"format":"x"}'
    written, read = Chain(head), Chain(head)
    lines = [written.sealed(b'{"t":%d}' % n) for n in range(4)]
    assert opened(read, lines[0], 2) == (b'{"t":0}', None)
    assert opened(read, b'{"t":1}', 3) == (b'{"t":1}', "line 3 has lost its number")
    assert read.number == 2
    assert opened(read, lines[2], 4) == (b'{"t":2}', "line 4 was edited")
    assert opened(read, lines[3], 5) == (b'{"t":3}', None)
    assert (read.number, read.hash) == (written.number, written.hash)
