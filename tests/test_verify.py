"""`stend verify` tells what was done to a folder, and leaves alone what only a crash did."""

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from stend import store
from stend.base import regular
from stend.cli import main
from stend.engines import _fio_json as fio
from stend.store import verify
from tests.short import study
from tests.test_resume import ASKED


def asked_of_a_file(folder: Path) -> list[str]:
    """Write saturation of a new file in that folder, which is written without a pause; the run is beside it."""
    new = ["--target", str(folder / "drive.bin"), "--create", "32MiB", "--into", str(folder / "run")]
    return ["run", study(folder, "write-saturation"), "--threads", "1", *new]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert main(["run", *ASKED, "--seed", "7", "--into", str(folder)]) == 0
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def told(folder: Path, capsys: pytest.CaptureFixture[str], code: int) -> list[str]:
    capsys.readouterr()
    assert main(["verify", str(folder)]) == code
    return capsys.readouterr().out.splitlines()


def changed(name: str, old: bytes, new: bytes) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        assert old in data
        (folder / name).write_bytes(data.replace(old, new, 1))

    return change


def last_line_away(folder: Path) -> None:
    path = folder / "events.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def test_a_whole_folder_is_sound_and_so_is_its_copy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, *pieces = told(folder, capsys, 0)
    assert head.endswith("unchanged")
    assert [piece.split(":")[0].strip() for piece in pieces] == [
        *("events", "manifest.toml", "host.json", "results", "report.html")
    ]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (changed("events.jsonl", b'"seconds":', b'"seconds":1'), "! events: line "),
        (changed("events.jsonl", b'{"type":"sample"', b'{"type":"simple"'), "is not an event"),
        (changed("manifest.toml", b"sim:small", b"sim:other"), "! manifest.toml: was changed"),
        (changed("host.json", b"{", b"{ "), "! host.json: was changed"),
        (changed("report.html", b"<body", b"<body "), "! report.html: was changed"),
        (lambda folder: (folder / "host.json").unlink(), "! host.json: cannot be read"),
        (last_line_away, "! report.html: of another record"),
        (changed("reports.json", b'-', b'-0'), "! report.html: of another record"),
    ],
    ids=["edited", "broken", "manifest", "host", "report", "no host", "cut short", "report of another"],
)  # fmt: skip
def test_what_was_changed_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], spoil: Callable[[Path], object], said: str
) -> None:
    spoil(folder)
    head, *pieces = told(folder, capsys, 8)
    assert "CHANGED since its run wrote it" in head
    assert any(said in piece for piece in pieces), pieces


def test_a_report_names_the_files_beside_its_record_that_were_edited(folder: Path) -> None:
    assert store.load(folder).edited == ()
    changed("host.json", b"{", b"{ ")(folder)
    run = store.load(folder)
    assert [stamp.values["files"] for stamp in run.stamps if stamp.key == "files_edited"] == [("host.json",)]
    (folder / "host.json").unlink()
    assert store.load(folder).edited == (), "what is away is shown as not known"


def test_what_a_crash_leaves_is_sound(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "report.html").unlink()
    path = folder / "events.jsonl"
    path.write_bytes(path.read_bytes()[:-7])
    head, *pieces = told(folder, capsys, 0)
    assert ": unfinished, unchanged" in head
    assert "a torn end" in pieces[0]
    assert pieces[-1].strip() == "report.html: was taken away"


def test_a_report_of_before_the_run_went_on_is_older(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.test_resume import killed

    folder = tmp_path / "run"
    killed(["run", *ASKED, "--seed", "7", "--into", str(folder)], folder, 60_000)
    assert main(["report", str(folder)]) == 0
    killed(["resume", str(folder)], folder, (folder / "events.jsonl").stat().st_size + 20_000)
    assert "older than the record" in told(folder, capsys, 0)[-1]


@pytest.mark.parametrize("left", [b"", b"\x00\xff" * 40])
def test_a_record_that_is_lost_hides_no_other_run(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], left: bytes
) -> None:
    for name in ("a", "b", "c"):
        shutil.copytree(whole, tmp_path / name)
    (tmp_path / "b/events.jsonl").write_bytes(left)
    assert main(["verify", str(tmp_path), "--json"]) == 8
    rows = json.loads(capsys.readouterr().out)
    assert {Path(row["path"]).name: row["unchanged"] for row in rows} == {"a": True, "b": False, "c": True}
    lost = next(row for row in rows if not row["unchanged"])
    assert lost["outcome"] == "unreadable"
    assert "events.jsonl is " in lost["pieces"][0]["text"]
    assert main(["verify", str(tmp_path / "b")]) == 8


def test_no_folder_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert "not a run folder" in capsys.readouterr().err


@pytest.mark.fio
def test_the_words_of_fio_must_come_to_the_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main(asked_of_a_file(tmp_path)) == 0
    assert any("agree with the results' counts" in line for line in told(folder, capsys, 0))
    raw = sorted((folder / "raw").glob("write-saturation-histogram-*"))
    words = zstandard.decompress(raw[0].read_bytes(), max_output_size=1 << 28)
    raw[0].write_bytes(
        zstandard.compress(words.replace(b'"total_ios" : ', b'"total_ios" : 1').replace(b'"N" : ', b'"N" : 1'))
    )
    first = raw[3].read_bytes()[:100]
    raw[3].unlink()
    (line,) = (line for line in told(folder, capsys, 8) if "raw/" in line)
    assert f"{raw[0].name} does not come to" in line
    assert f"{raw[3].name}: No such file" in line
    assert raw[1].name not in line
    raw[3].write_bytes(first)
    assert f"{raw[3].name} does not come to" in "".join(told(folder, capsys, 8))


def test_a_process_that_goes_on_counts_from_nought_however_much_it_has_done_when_it_is_first_heard() -> None:
    def heard(ios: int) -> fio.Document:
        write = fio.Direction(io_bytes=ios * 4096, lat_ns=fio.Latency(ios=ios))
        return fio.Document(jobs=[fio.Job(write=write)])

    _, sums = verify._grown(iter([heard(95), None, heard(154), heard(185)]), verify.NOTHING)
    assert sums == ((0, 0), (280, 280 * 4096))


@pytest.mark.parametrize("version", [9, 0])
def test_a_record_of_a_newer_stend_is_not_checked_and_not_called_changed(
    version: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed("events.jsonl", b'"version":3', f'"version":{version}'.encode())(folder)
    head, piece = told(folder, capsys, 2 if version == 9 else 8)
    assert head.endswith("unreadable, not checked" if version == 9 else "CHANGED since its run wrote it")
    assert f"has format {version}" in piece
    assert main(["verify", "--json", str(folder)]) == (2 if version == 9 else 8)
    assert json.loads(capsys.readouterr().out)[0]["unchanged"] is (None if version == 9 else False)


def test_a_record_that_this_user_may_not_read_is_not_called_changed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(regular, "reader", refused)
    assert told(folder, capsys, 2)[0].endswith("unreadable, not checked")


def test_a_report_of_a_folder_that_cannot_be_written_names_it_and_the_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a copy on a file system that is mounted for reading only."""

    def refused(*words: object, **settings: object) -> None:
        raise OSError(30, "Read-only file system", str(folder / ".report-1-x"))

    monkeypatch.setattr(tempfile, "TemporaryDirectory", refused)
    assert main(["report", str(folder), "--format", "csv"]) == 5
    assert " ".join(capsys.readouterr().err.split()) == (
        f"stend: {folder} cannot be written: Read-only file system; name another with --into"
    )
    monkeypatch.undo()

    def full(path: Path, place: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert main(["report", str(folder), "--format", "csv"]) == 5
    expected = f"stend: {folder} cannot be written: No space left on device; name another with --into"
    assert " ".join(capsys.readouterr().err.split()) == expected
