"""Runs without a terminal: they outlive it, are gone on with after everything was killed, and tell others."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from stend import store
from stend.cli import main
from stend.live import hooks
from stend.live.course import Course
from stend.model.events import Ended
from tests.forks import child
from tests.short import study
from tests.storm_end import end
from tests.waits import PATIENCE_S, wait_for

STEND = [sys.executable, "-m", "stend"]
SHORT = ["latency", "--quick", "--rounds", "1", "--round-seconds", "0.2", "--seed", "7"]


def process_of(folder: Path) -> int:
    return int(json.loads((folder / "writer.json").read_bytes().partition(b"\n")[0])["pid"])


@pytest.mark.fio
def test_a_detached_run_outlives_its_terminal_and_goes_on_after_everything_was_killed(tmp_path: Path) -> None:
    folder, said = tmp_path / "runs/one", tmp_path / "said"
    asked = [
        "run",
        study(tmp_path, minute_s=0.4),
        "--target",
        str(tmp_path / "new.bin"),
        "--create",
        "64MiB",
        "--into",
        str(folder),
    ]
    words = [*STEND, *asked, "--detach"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as door:
        out, _ = door.communicate(timeout=PATIENCE_S)
    with suppress(ProcessLookupError):
        os.killpg(door.pid, signal.SIGHUP)  # as a terminal does that is closed
    assert door.returncode == 0
    assert f"stend watch {folder}" in out
    run = process_of(folder)
    assert os.getsid(run) == run  # no terminal has it
    wait_for(lambda: len(store.load(folder).results) > 1)
    os.kill(run, signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{run}/exe").exists())
    (tmp_path / "runs/other").mkdir()
    assert end(child(["resume", "--all", str(tmp_path / "runs")], said)) == 0, said.read_text()
    assert f"{folder}: resuming" in said.read_text()
    ended = store.load(folder).ended
    assert ended
    assert ended.outcome in ("complete", "not steady")
    assert end(child(["resume", "--all", str(tmp_path / "runs")], said)) == 0
    assert "was cut off" in said.read_text()


def test_a_detached_run_that_cannot_begin_says_why(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked = ["run", *SHORT, "--target", "sim:nowhere", "--into", str(tmp_path / "run"), "--detach"]
    assert main(asked) == 2
    assert "there is no virtual drive 'nowhere'" in capfd.readouterr().err
    assert not (tmp_path / "run").exists()


def test_one_that_is_changed_behind_its_back_is_left_and_the_next_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        assert main(["run", *SHORT, "--target", "sim:small", "--into", str(tmp_path / name)]) == 0
        events = tmp_path / name / "events.jsonl"
        lines = events.read_bytes().splitlines(keepends=True)
        events.write_bytes(b"".join(lines[: len(lines) // 2]))
    events = tmp_path / "a/events.jsonl"
    events.write_bytes(events.read_bytes().replace(b'"sample"', b'"simple"', 1))
    main(["resume", "--all", str(tmp_path)])
    assert store.load(tmp_path / "b").ended
    told = capsys.readouterr()
    assert f"{tmp_path / 'b'}: resuming" in told.out
    assert "a" in told.err


def test_the_word_of_a_folder_that_this_host_did_not_write_destroys_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    top, folder, drive = tmp_path / "runs", tmp_path / "runs/one", tmp_path / "drive.bin"
    drive.write_bytes(b"kept" * 16384)
    assert main(["run", *SHORT, "--target", "sim:small", "--into", str(folder)]) == 0
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]).replace(b"sim:small", bytes(drive)))
    for owner in (b"", b"{}", (folder / "writer.json").read_bytes().replace(b'"pid":', b'"pid":0,"was":')):
        (folder / "writer.json").write_bytes(owner)
        assert main(["resume", "--all", str(top)]) == 0
        assert "no record that this host wrote it" in capsys.readouterr().out
    assert drive.read_bytes() == b"kept" * 16384


class Heard(BaseHTTPRequestHandler):
    """An address that fails once, and then hears."""

    told: list[dict[str, object]] = []  # noqa: RUF012 one list for all
    tries = 0

    def do_POST(self) -> None:
        type(self).tries += 1
        text = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(500 if self.tries == 1 else 200)
        self.end_headers()
        if self.tries > 1:
            self.told.append(json.loads(text))

    def log_request(self, *args: object) -> None:
        """Nothing on standard error."""


def test_hooks_are_tried_again_and_hold_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "TRIES_S", (0, 0, 0))
    monkeypatch.setattr(hooks, "PATIENCE_S", 2)
    server = HTTPServer(("127.0.0.1", 0), Heard)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    told = tmp_path / "told"
    wanted = [
        hooks.hook(f"finished=sh -c 'cat > {told}; echo $STEND_EVENT >> {told}'"),
        hooks.hook(f"finished=http://127.0.0.1:{server.server_port}/"),
        hooks.hook(f"finished={shlex.quote(sys.executable)} -c 'raise SystemExit(3)'"),
        hooks.hook(f"finished={shlex.quote(sys.executable)} -c 'import time; time.sleep(600)'"),
        hooks.hook("finished=http://127.0.0.1:1/"),
        hooks.hook("failed=touch wrong"),
    ]
    said: list[str] = []
    one = hooks.Hooks(str(tmp_path), wanted, said.append)
    course, began = Course(), time.monotonic()
    ended = Ended(t=1, outcome="complete")
    one.add(ended, course)
    assert time.monotonic() - began < PATIENCE_S
    one.close()
    server.shutdown()
    server.server_close()
    assert [event["event"] for event in Heard.told] == ["finished"]
    assert json.loads(told.read_text().splitlines()[0][: -len("finished")] or "{}")["folder"] == str(tmp_path)
    assert len(said) == 3
    assert all("failed 3 times" in words for words in said)
    assert "did not end within 2 s" in said[1]


@pytest.mark.parametrize(
    "text",
    [
        *("", "finished", "finished=", "sometimes=true", "=true"),
        *("finished=/nowhere/at/all", "finished=sh -c 'unended", "finished=''"),
        *("finished=http://", "finished=http://a:b/", "finished=http://lab/a b", "finished=https://me:secret@lab/"),
    ],
)
def test_a_hook_for_nothing_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(tmp_path), "--on", text]) == 2
    assert repr(text) in capsys.readouterr().err
