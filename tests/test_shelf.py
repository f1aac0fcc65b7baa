"""Runs below a folder by their names, and the news of one of them."""

import asyncio
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette")

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException

from stend.base.errors import BadInput
from stend.live import clock, server
from stend.live.follow import Follower
from stend.live.shelf import Shelf
from stend.model.events import Ended, Event, Sample
from stend.words import Sentence
from tests.test_progress_exact import MINUTE, begun, done, judged, phase, written
from tests.test_verify_words import kept

EVENTS: list[Event] = [
    begun([phase(MINUTE)]),
    Sample(t=30.0, counts=written(30.0)),
    done(MINUTE, 60.0, written(60.0)),
    judged(60.0, end=True),
    Ended(t=60.0, outcome="complete"),
]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path / "runs"
    kept(top / "a", EVENTS)
    kept(top / "deep/b", EVENTS)
    kept(tmp_path / "outside", EVENTS)
    (top / "none").mkdir()
    (top / "link").symlink_to(tmp_path / "outside")
    (top / "inside").symlink_to(top / "a")
    (top / "circle").symlink_to(top / "circle")
    (top / "stolen").mkdir()
    (top / "stolen/events.jsonl").symlink_to(tmp_path / "outside/events.jsonl")
    (top / "folder/events.jsonl").mkdir(parents=True)
    return top


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("a", "a"),
        ("deep/b", "deep/b"),
        ("deep/../a", "a"),
        ("inside", "a"),
        ("none", None),
        ("nothing", None),
        ("", None),
        (".", None),
        ("..", None),
        ("../outside", None),
        ("link", None),
        ("circle", None),
        ("stolen", None),
        ("folder", None),
        ("a\0", None),
        ("x" * 300, None),
    ],
)
def test_only_a_run_below_the_folder_is_found(name: str, place: str | None, top: Path) -> None:
    assert Shelf(top).folder(name) == (top / place if place else None)
    assert Shelf(top).folder(str(top / "a")) is None


def test_a_shelf_is_a_folder_and_its_conditions_are_valid(top: Path) -> None:
    with pytest.raises(BadInput, match="is not a folder; name a folder of runs, such as runs/"):
        Shelf(top / "a/events.jsonl")
    with pytest.raises(BadInput):
        Shelf(top, ["colour=red"])


def test_news_are_read_once_and_up_to_a_number(tmp_path: Path) -> None:
    folder = kept(tmp_path / "run", EVENTS[:3])
    follower = Follower(folder)
    assert follower.grown
    assert list(follower.news(2)) == EVENTS[:2]
    assert follower.grown
    assert list(follower.news()) == EVENTS[2:3]
    assert not follower.grown
    assert list(follower.news()) == []
    kept(folder, EVENTS[3:], new=False)
    assert follower.grown
    assert list(follower.news()) == EVENTS[3:]
    assert follower.course.ended == EVENTS[-1]
    assert follower.state.word == "ended"
    with (folder / "events.jsonl").open("ab") as file:
        file.write(b'{"torn')
    assert follower.grown
    assert list(follower.news()) == []
    assert not follower.grown, "a torn end is not read again until it grows"


def test_a_record_that_was_replaced_or_cut_is_read_from_its_start(tmp_path: Path) -> None:
    folder, record = kept(tmp_path / "run", EVENTS), tmp_path / "run/events.jsonl"
    follower = Follower(folder)
    assert len(list(follower.news())) == 5
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:3]))
    assert list(follower.news()) == EVENTS[:2], "shorter"
    assert follower.course.ended is None
    copy = tmp_path / "copy"
    copy.write_bytes(b"".join(lines))
    copy.rename(record)
    assert list(follower.news()) == EVENTS, "another file"
    record.unlink()
    assert follower._stat() == (0, 0)
    assert not follower.grown


def test_a_simulation_is_timed_from_its_start_if_it_was_joined_late(tmp_path: Path) -> None:
    late = Follower(kept(tmp_path / "late", EVENTS[:2]))
    list(late.news())
    assert late.since == clock.begin(late.course)
    early = Follower(kept(tmp_path / "early", EVENTS[:1]))
    list(early.news())
    assert early.since is None
    kept(tmp_path / "early", EVENTS[1:2], new=False)
    list(early.news())
    assert early.since is not None
    assert early.since.work == 30.0
    kept(tmp_path / "early", EVENTS[:1], new=False)
    first = early.since
    list(early.news())
    assert early.since != first, "a run that begins again is timed again"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("list.html", "text/html"),
        ("grafana.json", "application/json"),
        ("none.html", None),
        ("", None),
        ("../server.py", None),
        ("../page/list.html", None),
    ],
)
def test_only_files_of_the_pages_are_answered(name: str, kind: str | None) -> None:
    if kind:
        assert server._file(name).media_type == kind
    else:
        with pytest.raises(HTTPException) as raised:
            server._file(name)
        assert raised.value.status_code == 404


def test_a_run_that_has_not_begun_is_the_earliest(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"started_s": 5.0}, {"started_s": None}, {}]
    assert [server._began(row) for row in rows] == [5.0, 0.0, 0.0]
    record = tmp_path / "events.jsonl"
    record.write_bytes(b"x" * 7)
    os.utime(record, ns=(1, 2_000_000_003))
    assert server._stamp(tmp_path) == (7, 2_000_000_003)


def test_an_error_is_answered_in_the_language_that_was_asked_for() -> None:
    said = Sentence("choose_drive")
    for path, query, words in (
        ({}, {}, "no drive is chosen"),
        ({"lang": "ru"}, {}, "ru"),
        ({}, {"lang": "ru"}, "ru"),
        ({}, {"lang": "xx"}, "no drive is chosen"),
    ):
        request: Any = SimpleNamespace(path_params=path, query_params=query)
        answer = asyncio.run(server._error(request, BadInput(said)))
        assert (answer.status_code, answer.media_type) == (409, "application/json")
        assert (b"no drive is chosen" in bytes(answer.body)) is (words != "ru")


def test_a_list_that_is_known_already_is_answered_without_it(tmp_path: Path) -> None:
    """304 is Not Modified (RFC 9110, 15.4.5)."""
    kept(tmp_path / "runs/a", EVENTS)
    made = server.Server(tmp_path / "runs")

    def asked(query: str, **headers: str) -> Any:
        request: Any = SimpleNamespace(query_params=QueryParams(query), headers=headers)
        return asyncio.run(made.runs(request))

    first = asked("columns=model")
    assert (first.status_code, first.media_type) == (200, "application/json")
    assert [row["run"] for row in json.loads(bytes(first.body))] == ["a"]
    tag = first.headers["etag"]
    again = asked("columns=model", **{"if-none-match": tag})
    assert (again.status_code, bytes(again.body), again.headers["etag"]) == (304, b"", tag)
    assert asked("columns=model", **{"if-none-match": '"other"'}).status_code == 200
    assert asked("columns=serial").headers["etag"] != tag
    assert len(tag) == 18, "8 bytes"
