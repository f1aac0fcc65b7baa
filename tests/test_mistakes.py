"""Mistakes of every day: a wrong folder, a closed pipe, a missing part, too many runs. Each is one sentence."""

import fcntl
import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from docs.made import stand

from stend import store
from stend.base import extras
from stend.base.errors import EXIT_CODES, UNREAD_EXIT_CODE, BadInput, Refused
from stend.catalogue import database
from stend.charts.parts import sides
from stend.cli import _apart, _edge, main
from stend.cli import plan as plan_verb
from stend.gate import loss
from stend.live.state import way_on
from stend.model.events import Started
from stend.session import sooner
from tests.still import StillEngine
from tests.test_cli import refused
from tests.test_run import drawn, play
from tests.test_sooner import drawn as long_plan
from tests.test_store import kept
from tests.waits import PATIENCE_S, wait_for

STEND = [sys.executable, "-m", "stend"]

IOLOG = "fio version 3 iolog\n0 f add\n0 f open\n1000 f write 0 4096\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.log").write_text(IOLOG)
    (tmp_path / "there").write_text("mine")
    return tmp_path / "there"


@pytest.mark.parametrize(
    "words",
    [
        ["trace", "show", "t.log", "--format", "html", "--into", "there"],
        ["trace", "show", "t.log", "--format", "json", "--into", "there/below/it"],
        ["fleet", "certificates", "there", "a"],
        ["plan", "latency", "--target", "sim:small", "--fio", "there"],
        ["run", "latency", "--target", "sim:small", "--quick", "--into", "there"],
        ["repeat", "2", "latency", "--target", "sim:small", "--quick", "--into", "there"],
    ],
    ids=" ".join,
)
def test_a_file_where_a_folder_is_needed_is_one_sentence(
    words: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(words)
    sentence = capsys.readouterr().err
    assert code in (2, 5), sentence
    assert "there" in sentence
    assert "defect" not in sentence
    assert len(sentence.splitlines()) == 1
    assert file.read_text() == "mine"


@pytest.mark.parametrize("words", [["list"], ["query", "FROM runs"], ["serve"]], ids=" ".join)
def test_a_folder_that_is_not_there_is_no_success(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, str(tmp_path / "typo")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "is not a run folder" in told.err


@pytest.mark.parametrize("words", [["tests"], ["plan", "iops", "--target", "sim:small"], ["schema"]], ids=" ".join)
def test_who_closes_the_pipe_hears_of_it_by_141_and_nothing_else(words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run([*STEND, *words], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (process.returncode, process.stderr) == (UNREAD_EXIT_CODE, "")


@pytest.mark.parametrize("words", [["run", "latency"], ["inspect"]], ids=" ".join)
@pytest.mark.parametrize("lost", [["stdout"], ["stderr"], ["stdout", "stderr"]], ids=" ".join)
@pytest.mark.parametrize("full", [False, True], ids=["closed", "full"])
def test_a_run_goes_on_without_readers_of_its_output(
    words: list[str], lost: list[str], full: bool, tmp_path: Path
) -> None:
    read, write = os.pipe()
    os.close(read)
    streams: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    with Path("/dev/full").open("w") as disk:
        streams |= dict.fromkeys(lost, disk if full else write)
        order = [*STEND, *words, "--target", "sim:small", "--into", "made", "--quick"]
        process = subprocess.run(order, **streams, cwd=tmp_path, check=False)
    os.close(write)
    assert process.returncode == 0
    assert store.load(tmp_path / "made").ended.outcome == "complete"  # type: ignore[union-attr]
    assert (tmp_path / "made/report.html").exists()


@pytest.mark.parametrize("words", [["run", "latency"], ["inspect"]], ids=" ".join)
def test_a_run_does_not_wait_for_a_reader_that_stopped_reading(words: list[str], tmp_path: Path) -> None:
    read, write = os.pipe()
    room = fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    os.write(write, b"-" * room)  # as `| less` does once its first page is full
    order = [*STEND, *words, "--target", "sim:small", "--into", "made", "--quick"]
    with subprocess.Popen(order, stdout=write, stderr=write, cwd=tmp_path) as process:
        os.close(write)
        wait_for((tmp_path / "made/report.html").exists)
        assert store.load(tmp_path / "made").ended.outcome == "complete"  # type: ignore[union-attr]
        with open(read) as reader:
            told = reader.read()
    assert process.returncode == 0
    assert told.startswith("-" * room + "Run folder: made\n")
    assert told.endswith("\nReport: made/report.html\n")


@pytest.mark.parametrize("many", [7, 8, 9, 17, 40])
def test_any_number_of_runs_has_colours_dashes_and_shapes_of_its_own(many: int) -> None:
    every = [sides.Side(f"run {n}", run=object()) for n in range(many)]  # type: ignore[arg-type]
    every.insert(3, sides.Side("published"))
    found = sides.channels(every, [{"drive": side.name} for side in every])
    looks = list(
        zip(*(map(str, found[key]["scale"]["range"]) for key in ("color", "strokeDash", "shape")), strict=True)
    )
    assert len(looks) == len(set(looks)) == many + 1


def test_a_missing_part_is_named_whatever_verb_needs_it(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = importlib.util.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "pyarrow" else usual(name))
    sentence = refused(["trace", "show", "t.log", "--format", "html"], 4, capsys)
    assert sentence == "stend: a trace needs pyarrow, which is not installed: `pip install 'stend[trace]'`"
    with pytest.raises(ModuleNotFoundError), extras.needing("this"):
        raise ModuleNotFoundError(name="somebody_s_own")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "`stend resume runs/x` continues it"),
        ("a b", "`stend resume runs/x --destroy-data 'a b'` continues it"),
    ],
)
def test_the_way_on_can_be_typed_as_it_is(name: str, said: str) -> None:
    assert way_on(Path("runs/x"), name) == said


@pytest.mark.parametrize("virtual", [False, True])
def test_a_detached_run_s_hint_names_the_drive_as_a_script_must(virtual: bool, tmp_path: Path) -> None:
    target, folder = tmp_path / "drive.bin", tmp_path / "run"
    target.write_bytes(bytes(4096))
    first = play(drawn("latency", minute_s=1, rounds=1), StillEngine())[0]
    assert isinstance(first, Started)
    own = {"kind": "file", "target": str(target), "path": str(target), "virtual": virtual}
    device = msgspec.structs.replace(first.plan.device, **own)
    begun = msgspec.structs.replace(first, plan=msgspec.structs.replace(first.plan, device=device))
    store.create(folder, {}, {})
    list(store.append(folder, kept([begun])))
    assert _apart._drive(folder) == ("" if virtual else str(target))
    assert _apart._drive(tmp_path / "none") == ""


def test_trying_to_be_sooner_says_which_run_it_is_at(capsys: pytest.CaptureFixture[str]) -> None:
    shown = plan_verb._Shown(5.0)
    for number, hours in ((1, 0.0), (1, 2.0), (2, 0.0)):
        shown(sooner.Progress(number, 3, "a way", hours))
    _edge.rewrite("")
    assert capsys.readouterr().err == "trying 1 of 3: a way\ntrying 2 of 3: a way\n"


def test_every_run_of_sooner_is_told_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []

    def played(plan: Any, target: str, seed: int, hear: Callable[[float], object]) -> Any:
        hear(0.0)
        heard.append("ran")
        return 1.0, {("a", "b", "c"): 1.0}

    monkeypatch.setattr(sooner, "played", played)
    found = list(sooner.tried(long_plan(), "sim:x", report=heard.append))
    told = [one for one in heard if one != "ran"]
    assert heard[1::2] == ["ran"] * len(told)
    assert [one.number for one in told] == list(range(1, told[0].of + 1))
    assert [one.name for one in told[2:]] == [one.name for one in found]


def test_who_is_not_root_hears_what_to_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(Refused, match="it needs root: `sudo stend"):
        loss(str(tmp_path))


@pytest.mark.parametrize("change", ["INSERT INTO gone VALUES (1)", "DELETE FROM gone", "UPDATE gone SET entry = 2"])
def test_a_query_that_writes_inside_of_with_is_refused(change: str) -> None:
    with pytest.raises(BadInput, match=f"only reads; this one has {change.split(maxsplit=1)[0]} in its WITH"):
        database.query(f"WITH x AS ({change} RETURNING *) FROM x", {}, [1])
    sound = "WITH x AS (SELECT 'INSERT_QUERY_NODE' AS type) FROM x"
    assert database.query(sound, {}, [1]).rows == [("INSERT_QUERY_NODE",)]


SLOW = """
import sys
from pathlib import Path
from stend.live import serving
serving.HEADERS_S = 0.5
place = serving.Place(Path(sys.argv[1]), (), "127.0.0.1", 0, ("127.0.0.1",))
serving.serve(place, lambda words: print(words, flush=True))
"""


def test_a_request_that_never_becomes_whole_is_let_go_and_others_are_not(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SLOW, str(tmp_path)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        address = server.stdout.readline()
        port, token = int(address.split(":")[2].partition("/")[0]), address.strip().rpartition("=")[2]
        whole = f"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        for sent in (b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", whole + whole[:30]):
            with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as link:
                link.sendall(sent)
                answered = b""
                while data := link.recv(1 << 16):  # until the server closes it
                    answered += data
                assert answered.startswith(b"HTTP/1.1 200") == (sent.startswith(whole))
        server.terminate()


def test_the_table_of_exit_codes_has_it() -> None:
    assert str(UNREAD_EXIT_CODE) in stand.exit_codes()
    assert UNREAD_EXIT_CODE in EXIT_CODES
