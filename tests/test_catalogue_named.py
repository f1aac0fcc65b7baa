"""A catalogue whose runs are known without being read: names, ages, what is unread, broken or elsewhere."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import catalogue
from stend.base.errors import BadInput, LeftOut
from stend.catalogue import database, parts, taking
from stend.catalogue.scan import scan
from stend.catalogue.taking import HOME
from tests.test_catalogue_parts import about

STARTED = {"first-a": 3.0, "lot/b": 2.0, "lot/c": 1.0, "first": 4.0, "zzz": 4.0}
"""Runs, and when they began."""


def taken(top: Path, names: Iterable[str], broken: dict[str, str] | None = None) -> None:
    """Write these runs as a part, as they are now, without reading them."""
    entries, there = [], scan(top)
    for number, name in enumerate(names):
        why = (broken or {}).get(name, "")
        run = None if why else msgspec.structs.replace(about(name), started_s=STARTED[name])
        entries.append(parts.Entry(name, there[name].stamp, number, why, run))
    parts.commit(taking.home(top), entries, {})


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(database, "there", lambda: False)
    monkeypatch.chdir(tmp_path)
    for name in STARTED:
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "events.jsonl").write_text("what is here is not read\n")
    return tmp_path / "runs"


def test_runs_are_listed_from_the_oldest_on_and_of_equal_age_by_their_names(top: Path) -> None:
    taken(top, STARTED)
    with catalogue.opened(top) as known:
        order = ["lot/c", "lot/b", "first-a", "first", "zzz"]
        assert [run.run for run in known.runs] == [row.run for row in known.only("seed", "run")] == order
        assert known.only("seed")[0]._fields == ("run", "started_s", "seed")
        assert known.folder(known.runs[0]) == top / "lot/c"
        assert (known.broken, known.unread, known.home) == ((), (), top / HOME)
    assert catalogue.folders(top) == [top / name for name in order]


def test_a_run_that_cannot_be_read_is_warned_of_and_left_out(top: Path) -> None:
    taken(top, STARTED, {"lot/b": "it is torn"})
    with pytest.warns(LeftOut, match=rf"^{top}/lot/b is left out: it is torn$") as warned:
        assert top / "lot/b" not in catalogue.folders(top)
    assert len(warned) == 1
    assert warned[0].filename == __file__, "where the runs were asked for"


@pytest.mark.parametrize(
    ("word", "run"),
    [
        ("first", "first"),
        ("first-", "first-a"),
        ("zz", "zzz"),
        ("lot/b", "lot/b"),
        ("c", "lot/c"),
        ("last", "zzz"),
        ("none", None),
    ],
)
def test_a_run_is_named_by_its_name_or_a_part_of_it_that_no_other_has(word: str, run: str | None, top: Path) -> None:
    taken(top, STARTED)
    assert catalogue.named(word) == (None if run is None else Path("runs") / run)


@pytest.mark.parametrize(
    ("word", "count", "few"),
    [("lot", 2, "lot/c, lot/b"), ("", 5, "first-a, first, zzz, ..."), ("t", 4, "lot/b, first-a, first, ...")],
)
def test_a_part_of_several_names_is_refused_with_the_last_of_them(word: str, count: int, few: str, top: Path) -> None:
    taken(top, STARTED)
    with pytest.raises(BadInput) as refused:
        catalogue.named(word)
    assert str(refused.value) == f"{word!r} matches {count} runs below runs: {few}; name one of them in full"


def test_three_runs_are_all_shown(top: Path) -> None:
    taken(top, STARTED)
    for name in ("first-a", "zzz"):
        (top / name / "events.jsonl").unlink()
    with pytest.raises(BadInput, match="matches 3 runs below runs: lot/c, lot/b, first; name one"):
        catalogue.named("")


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("fisrt", "fisrt is not a run folder, and no run in runs/ has it in its name; did you mean 'first'?"),
        ("what", "what is not a run folder, and no run in runs/ has it in its name; `stend list` lists them"),
        ("runs/what", "runs/what is not a run folder, and no run in runs/ has it in its name; `stend list` lists them"),
        ("runs/lot", "runs/lot is not a run folder but holds runs; name one, such as runs/lot/b"),
        (".", ". is not a run folder: it has no events.jsonl; `stend list` shows runs"),
        ("file", "file is not a run folder: it has no events.jsonl; `stend list` shows runs"),
    ],
)
def test_what_is_no_run_is_refused_with_the_nearest_one(word: str, sentence: str, top: Path) -> None:
    taken(top, STARTED)
    Path("file").touch()
    with pytest.raises(BadInput) as refused:
        catalogue.meant(Path(word))
    assert str(refused.value) == sentence


def test_a_name_of_a_run_may_be_written_with_the_folder_of_runs_before_it(top: Path) -> None:
    taken(top, STARTED)
    for word in ("runs/zz", "zz", "last", "runs/last"):
        assert catalogue.meant(Path(word)) == Path("runs/zzz")


@pytest.mark.parametrize(
    ("word", "what"),
    [("last", "there is no last run"), ("x", "x is not a run folder"), ("y/last", "y/last is not a run folder")],
)
def test_where_there_are_no_runs_the_way_to_one_is_shown(
    word: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for made in (False, True):
        if made:
            Path("runs").mkdir()
        with pytest.raises(BadInput, match=rf"^{what}, and runs/ has no runs; `stend run` makes one$"):
            catalogue.meant(Path(word))


def test_of_runs_that_are_not_known_the_last_are_read_first_and_the_others_are_unread(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken(top, ["lot/b"])
    read = list[list[str]]()
    real = taking.take_in

    def take_in(top: Path, home: Path, there: dict[str, Any]) -> None:
        read.append(sorted(there))
        real(top, home, there)

    reports = list[tuple[int, int]]()
    monkeypatch.setattr(catalogue, "take_in", take_in)
    with catalogue.opened(top, lambda done, of: reports.append((done, of)), most=2) as known:
        assert set(known.unread) == {"first-a", "first"}
        assert [run.run for run in known.runs] == ["lot/b"]
        assert {broken.run for broken in known.broken} == {"lot/c", "zzz"}, "events that make no sense"
    assert (read, reports) == ([["lot/c", "zzz"]], [(0, 4)])
    monkeypatch.setattr(catalogue, "BATCH", 1)
    with catalogue.opened(top, lambda done, of: reports.append((done, of))) as known:
        assert (known.unread, len(known.broken)) == ((), 4)
    assert reports[1:] == [(0, 2), (1, 2)]
    with catalogue.opened(top, lambda done, of: reports.append((done, of)), most=0) as known:
        assert len(reports) == 3, "nothing is new"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_host_that_refuses_to_write_below_the_runs_has_a_copy_elsewhere(
    number: int, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken(top, STARTED)
    (top / HOME / "runs/part-00000001.parquet").write_bytes(b"large")
    (top / HOME / "lock").touch()

    def refused(top: Path) -> Path:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(taking, "home", refused)
    if number == errno.EIO:
        with pytest.raises(OSError, match="Input/output error"), catalogue.opened(top):
            pass
        return
    with catalogue.opened(top) as known:
        assert known.home.name.startswith("stend-catalogue-")
        assert len(known.runs) == 5
        assert (known.home / "runs/part-00000001.parquet").is_symlink(), "a large file is not copied"
        assert not (known.home / "known/part-00000001.msgpack").is_symlink()
        home = known.home
    assert not home.exists()


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(BadInput, match=r"x is not a folder; name a folder of runs, such as runs/$"),
        catalogue.opened(tmp_path / "x"),
    ):
        pass
    assert catalogue.named("x", tmp_path / "x") is None
