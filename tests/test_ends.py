"""How runs end: at a question, by Ctrl-C, by kill -9 after the last event; nothing half, and how to go on is said."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stend import report, store
from stend.cli import main
from stend.store import reports
from tests.forks import child as forked
from tests.test_resume import ASKED, in_child, killed

RUN = ["run", *ASKED, "--seed", "7", "--into"]
STEND = [sys.executable, "-m", "stend"]


@pytest.mark.fio
@pytest.mark.needs("terminals")
@pytest.mark.parametrize("end", [b"\x03", b"\x04", signal.SIGTERM], ids=["Ctrl-C", "Ctrl-D", "SIGTERM"])
def test_an_end_at_the_question_is_stopped(tmp_path: Path, end: bytes | signal.Signals) -> None:
    target = tmp_path / "drive.bin"
    target.write_bytes(bytes(16 << 20))
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [*STEND, *RUN[:3], "--target", str(target), "--into", str(tmp_path / "run")])
    said = b""
    while b"type the serial number" not in said:
        said += os.read(terminal, 4096)
    while (gone := os.waitpid(child, os.WNOHANG)) == (0, 0):  # what is typed before the prompt is ready is thrown away
        if isinstance(end, bytes):
            os.write(terminal, end)
        else:
            os.kill(child, end)
        deadline = time.monotonic() + 5
        while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and time.monotonic() < deadline:
            time.sleep(0.02)
    said = os.read(terminal, 65536)
    assert os.waitstatus_to_exitcode(gone[1]) == 130
    assert b"stend: stopped" in said
    assert b"defect" not in said
    assert target.read_bytes() == bytes(16 << 20)


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_in_a_run_says_how_to_go_on(tmp_path: Path, times: int) -> None:
    folder = tmp_path / "my run"
    with subprocess.Popen([*STEND, *RUN, str(folder)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as child:
        while not (folder / "events.jsonl").exists() or (folder / "events.jsonl").stat().st_size < 60_000:
            time.sleep(0.002)
        for _ in range(times):
            child.send_signal(signal.SIGINT)
        assert child.stderr is not None
        said = child.stderr.read().decode()
        assert child.wait() == 130
    assert f"`stend resume '{folder}'` continues it" in said
    assert main(["resume", str(folder)]) == 0


def interrupt(*whatever: object) -> None:
    raise KeyboardInterrupt


def test_a_second_ctrl_c_says_how_to_go_on_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stend.cli._screen.Screen.show", interrupt)
    assert main([*RUN, str(tmp_path / "run")]) == 130
    assert f"stend: stopped immediately; `stend resume {tmp_path / 'run'}` continues it" in capsys.readouterr().err


def test_ctrl_c_before_a_run_begins_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stend.devices.find", interrupt)
    assert main(["purge", "--target", "sim:small"]) == 130
    assert capsys.readouterr().err == "stend: stopped\n"


def test_a_run_killed_after_its_last_event_gets_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*RUN, str(folder)]) == 0
    (folder / "report.html").unlink()
    capsys.readouterr()
    assert main(["resume", str(folder)]) == 0
    assert "Report: " in capsys.readouterr().out
    assert reports.current(folder, store.load(folder))
    assert main(["resume", str(folder)]) == 2


def test_a_report_of_before_the_last_interruption_is_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    killed([*RUN, str(folder)], folder, 60_000)
    assert main(["report", str(folder)]) == 0
    old = (folder / "report.html").read_bytes()
    size = (folder / "events.jsonl").stat().st_size
    events = in_child(["resume", str(folder)])
    while (folder / "events.jsonl").stat().st_size == size or store.load(folder).ended is None:
        time.sleep(0.0005)
    os.kill(events, signal.SIGKILL)
    os.waitpid(events, 0)
    if reports.current(folder, store.load(folder)):
        pytest.skip("the report was drawn before the kill")
    assert main(["resume", str(folder)]) == 0
    assert (folder / "report.html").read_bytes() != old


def test_a_report_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    assert main([*RUN, str(folder)]) == 0
    old = (folder / "report.html").read_bytes()
    # The child stops before it moves the finished report, however busy the host is.
    process = forked(["report", str(folder)], before=lambda: vars(report).update(_placed=lambda *_: signal.pause()))
    while not list(folder.glob(f"{report.STAGE}*/*")):
        assert os.waitpid(process, os.WNOHANG) == (0, 0), "it ended by itself"
        time.sleep(0.0002)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    assert list(folder.glob(f"{report.STAGE}*"))
    assert len((folder / "report.html").read_bytes()) == len(old)
    assert main(["report", str(folder)]) == 0
    assert not list(folder.glob(f"{report.STAGE}*"))


def test_a_good_end_leaves_no_library_to_complain(tmp_path: Path) -> None:
    """DuckDB counts, as Python ends, what nobody has taken from it, and lists it for the user."""
    assert main([*RUN, str(tmp_path / "run")]) == 0
    for words in (["report", "--format", "parquet"], ["list"]):
        done = subprocess.run([*STEND, *words, str(tmp_path / "run")], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), words
        assert done.stdout, words


def test_the_module_is_the_command() -> None:
    done = subprocess.run([*STEND, "run", "--no-such-option"], capture_output=True, text=True, check=False)
    assert (done.returncode, "--no-such-option" in done.stderr) == (2, True)
