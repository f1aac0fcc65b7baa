"""A stranger's run folder: nothing in it is written through, waited for, or read where it is no regular file."""

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import pytest

from stend import catalogue, report, store
from stend.base import atomic, regular
from stend.base.errors import BadInput, StendError, StepFailed
from stend.cli import main
from stend.model.events import Event, Result
from stend.session import apart, settings
from stend.session.together import roll, turns
from stend.store import reports, verify, writer
from tests.still import StillEngine
from tests.test_run import drawn, play
from tests.test_store import kept

LIMIT_S = 600
"""A verb that takes longer hangs."""
NAMES = (
    "events.jsonl", "manifest.toml", "host.json", "writer.json", "reports.json", "settings.json", "drive.toml",
    "notes.md", "repeat.toml", "together.toml", "raw", ".together",
)  # fmt: skip
READING = ("list", "show", "verify")


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return play(drawn("throughput", minute_s=1, rounds=2), StillEngine())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, events: list[Event]) -> Path:
    folder = tmp_path_factory.mktemp("stranger") / "runs" / "x"
    store.create(folder, {"target": "still"}, {"cpu": "none"})
    list(store.append(folder, kept(events)))
    return folder


@pytest.fixture
def folder(tmp_path: Path, written: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "runs" / "x"))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_text("precious\n")
    return path


@pytest.fixture(autouse=True)
def soon() -> Iterator[None]:
    """End a test that hangs."""

    def hangs(number: int, frame: FrameType | None) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(LIMIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def fifo(path: Path, victim: Path) -> None:
    os.mkfifo(path)


def bound(path: Path, victim: Path) -> None:
    there = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(there)


def linked(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def dangling(path: Path, victim: Path) -> None:
    path.symlink_to(victim.with_name("made"))


def endless(path: Path, victim: Path) -> None:
    path.symlink_to("/dev/zero")


def circle(path: Path, victim: Path) -> None:
    path.symlink_to(path.name)


def directory(path: Path, victim: Path) -> None:
    path.mkdir()


def device(path: Path, victim: Path) -> None:
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("only root makes device nodes")


KINDS = (fifo, bound, linked, dangling, endless, circle, directory, device)
Kind = Any


def put(kind: Kind, path: Path, victim: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    kind(path, victim)


def untouched(victim: Path) -> bool:
    return victim.read_text() == "precious\n" and not victim.with_name("made").exists()


@pytest.mark.parametrize("kinds", [KINDS[:4], KINDS[4:]], ids=["file", "place"])
@pytest.mark.parametrize("name", NAMES)
def test_no_verb_hangs_at_it_nor_ends_in_a_defect(
    kinds: tuple[Kind, ...], name: str, written: Path, tmp_path: Path, victim: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders, every = [], tmp_path / "runs"
    for kind in kinds:
        folders.append(Path(shutil.copytree(written, every / kind.__name__)))
        put(kind, folders[-1] / name, victim)
    words = [["list", str(every)], *([verb, str(folder)] for verb in ("show", "verify") for folder in folders)]
    if name == "events.jsonl":
        words += [[verb, str(folder)] for verb in ("report", "watch", "resume") for folder in folders]
        words += [["query", "FROM runs", str(every)], ["resume", "--all", str(every)]]
    for asked in words:
        code, err = main(asked), capsys.readouterr().err
        assert code in (0, 2, 4, 5, 8), (asked, err)
        assert "defect" not in err, (asked, err)
    assert all("again" not in line for line in settings.put_back(folders))
    assert untouched(victim)


@pytest.mark.parametrize(
    "data",
    [b'{"a":{"x":' + b"[" * 200_000, b'{"a\xff":{}}', b'{"a":1e999}', b"\0"],
    ids=["deep", "not UTF-8", "infinite", "NUL"],
)
@pytest.mark.parametrize("name", ["host.json", "writer.json", "reports.json", "settings.json"])
def test_a_file_that_cannot_be_decoded_ends_no_verb_in_a_defect(
    name: str, data: bytes, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).write_bytes(data)
    for verb in (*READING, "doctor", "report"):
        code, err = main([verb, str(folder.parent if verb == "list" else folder)]), capsys.readouterr().err
        assert code in (0, 2, 4, 5, 8), (verb, err)
        assert "defect" not in err, (verb, err)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_events_that_are_no_file_are_told_in_one_sentence(kind: Kind, folder: Path, victim: Path) -> None:
    put(kind, folder / "events.jsonl", victim)
    own = {"fifo": "a FIFO", "bound": "a socket", "directory": "a folder", "device": "a device"}
    words = own.get(kind.__name__, "a link")
    with pytest.raises(BadInput, match=f"events.jsonl cannot be read: it is {words}, not a file"):
        store.load(folder)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", ["writer.json", "events.jsonl", "settings.json", "raw", ".together"])
def test_nothing_is_written_through_it(kind: Kind, name: str, folder: Path, victim: Path, events: list[Event]) -> None:
    put(kind, folder / name, victim)
    raw = store.Raw(folder)
    write: dict[str, Callable[[], object]] = {
        "writer.json": lambda: writer.sole(folder, "resume").__enter__(),
        "events.jsonl": lambda: list(store.append(folder, kept(events))),
        "settings.json": lambda: settings.recorded(folder / "settings.json").__enter__(),
        "raw": lambda: raw(b"words"),
        ".together": lambda: roll.enter(folder, "a"),
    }
    if kind is directory and name in ("raw", ".together"):
        write[name]()  # as it should be
    else:
        with pytest.raises((StendError, OSError)):
            write[name]()
    raw.close()
    assert untouched(victim)


def test_a_resume_does_not_write_through_writer_json(folder: Path, victim: Path) -> None:
    put(linked, folder / "writer.json", victim)
    assert main(["resume", str(folder), "--destroy-data", "x"]) in (2, 3, 5)
    assert untouched(victim)


def test_a_file_with_a_second_name_is_read_and_not_written_in_place(folder: Path, tmp_path: Path) -> None:
    os.link(folder / "events.jsonl", tmp_path / "backup")
    before = (tmp_path / "backup").read_bytes()
    assert store.load(folder).ended
    with pytest.raises(StepFailed, match="second name"):
        list(store.append(folder, kept([])))
    assert (tmp_path / "backup").read_bytes() == before


def test_a_log_is_not_written_through_a_link(folder: Path, victim: Path) -> None:
    log = apart.log_of(folder)
    put(linked, log, victim)
    with pytest.raises(regular.NotRegular, match="it is a link, not a file"):
        apart.begin(["list"], log)
    assert untouched(victim)
    assert regular.last_line(log) == ""


@pytest.mark.parametrize("kind", [linked, dangling, fifo], ids=lambda kind: kind.__name__)
def test_reports_take_the_place_of_what_was_there(kind: Kind, folder: Path, victim: Path) -> None:
    for name in ("report.json", "reports.json"):
        put(kind, folder / name, victim)
    run = store.load(folder)
    made = next(path for path in report.write([(folder, run, {})], "json", into=folder) if path.name == "report.json")
    assert made.is_file()
    assert not made.is_symlink()
    assert reports.current(folder, run, "report.json")
    assert untouched(victim)


def test_a_folder_of_charts_that_is_a_link_is_refused(folder: Path, victim: Path) -> None:
    elsewhere = victim.with_name("elsewhere")
    elsewhere.mkdir()
    (folder / "report.files").symlink_to(elsewhere)
    with pytest.raises(regular.NotRegular, match="it is a link, not a folder"):
        report.write([(folder, store.load(folder), {})], "markdown", into=folder)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("level", [".stend", ".stend/catalogue", ".stend/catalogue/known", ".stend/catalogue/runs"])
def test_a_catalogue_behind_a_link_is_neither_made_nor_cleaned(level: str, folder: Path, victim: Path) -> None:
    elsewhere = victim.with_name("elsewhere")
    (elsewhere / "catalogue").mkdir(parents=True)
    (elsewhere / "mine").write_text("mine")
    place = folder.parent / level
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere)
    with catalogue.opened(folder.parent) as known:
        assert [one.run for one in known.runs] == ["x"]
    catalogue.learn(folder)
    assert sorted(path.name for path in elsewhere.rglob("*")) == ["catalogue", "mine"]


@pytest.mark.parametrize("name", ["lock", "known/part-00000001.msgpack", "runs/part-00000001.parquet"])
@pytest.mark.parametrize("kind", [linked, dangling, fifo], ids=lambda kind: kind.__name__)
def test_a_stranger_s_catalogue_neither_hangs_nor_writes_elsewhere(
    kind: Kind, name: str, folder: Path, victim: Path
) -> None:
    place = folder.parent / ".stend/catalogue" / name
    place.parent.mkdir(parents=True)
    kind(place, victim)
    with catalogue.opened(folder.parent) as known:
        assert [one.run for one in known.runs] == ["x"]
    assert untouched(victim)


def test_the_manifest_of_another_file_is_not_in_the_report(folder: Path, victim: Path) -> None:
    put(linked, folder / "manifest.toml", victim)
    (made,) = report.write([(folder, store.load(folder), {})], "html", style="pts", into=folder)
    assert "precious" not in made.read_text()


def test_a_plan_cannot_lead_the_names_of_files_out_of_the_folder(folder: Path, events: list[Event]) -> None:
    line = (folder / "events.jsonl").read_bytes()
    (folder / "events.jsonl").write_bytes(line.replace(b'"name":"throughput"', b'"name":"../../throughput"'))
    with pytest.raises(BadInput, match="name"):
        store.load(folder)
    result = next(event for event in events if isinstance(event, Result))
    moved = msgspec.structs.replace(result.where, phase="../../x")
    assert "/" not in store.raw_name(msgspec.structs.replace(result, where=moved))


@pytest.mark.parametrize("kind", [fifo, linked, endless], ids=lambda kind: kind.__name__)
def test_verify_says_what_is_there_instead(kind: Kind, folder: Path, victim: Path) -> None:
    put(kind, folder / "host.json", victim)
    told = {one.piece: one for one in verify.Folder(folder).checks()}
    assert not told["host.json"].sound
    assert told["host.json"].words.startswith("cannot be read: it is a ")


def test_a_part_that_lies_there_already_is_not_written_through(tmp_path: Path, victim: Path) -> None:
    (tmp_path / f".page-{os.getpid()}.part").symlink_to(victim)
    atomic.write(tmp_path / "page", b"new")
    assert (tmp_path / "page").read_bytes() == b"new"
    assert untouched(victim)
    turns._once(tmp_path / "go-1", "1.0")
    assert (tmp_path / "go-1").read_text() == "1.0"


def test_locks_of_a_plain_user_are_not_behind_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEND_RUNTIME", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    (tmp_path / "else").mkdir()
    (tmp_path / "stend-12345").symlink_to(tmp_path / "else")
    with pytest.raises(BadInput, match="is a link"):
        turns.runtime()


def test_a_line_without_an_end_takes_no_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stend.store.journal.LINE_BYTES", 1 << 16)
    with (folder / "events.jsonl").open("r+b") as file:
        file.seek(0, os.SEEK_END)
        file.truncate(file.tell() + (1 << 40))  # a hole of a TiB
    with pytest.raises(BadInput, match="is longer than any event"):
        store.load(folder)


@pytest.mark.parametrize("kind", [linked, dangling, fifo], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("writes", [False, True])
def test_what_takes_the_place_of_a_file_between_look_and_open_is_not_opened(
    kind: Kind, writes: bool, tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, look = tmp_path / "file", os.lstat
    path.write_text("ours")

    def late(name: Any) -> os.stat_result:
        status = look(name)
        if Path(name) == path:
            put(kind, path, victim)
        return status

    with monkeypatch.context() as patched:
        patched.setattr(os, "lstat", late)
        with pytest.raises(OSError, match=r"symbolic|not a file|No such device"):  # ELOOP, ours, ENXIO
            os.close(regular.descriptor(path, os.O_WRONLY | os.O_CREAT if writes else os.O_RDONLY))
    assert untouched(victim)
