"""Hooks of a run: each event runs the hooks for it and no others, once, and a hook that fails is tried again."""

import json
import re
import shlex
import socket
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from stend.base.errors import BadInput
from stend.base.version import __version__
from stend.live import hooks
from stend.live.course import Course
from stend.model.events import Ended, Event, Judged, Outcome, Position, Telemetry
from stend.words import text

HERE = Position(test="iops", phase="rounds", round=1)


def named(*events: Event) -> list[str]:
    """The names of what happened, in order, as one run tells them."""
    told: list[str] = []

    class Told(hooks.Hooks):
        def notify(self, name: str, course: Course) -> None:
            told.append(name)

    one = Told("", [], told.append)
    for event in events:
        one.add(event, Course())
    one.close()
    return told


@pytest.mark.parametrize(
    ("outcome", "name"),
    [("complete", "finished"), ("not steady", "finished"), ("failed", "failed"), ("stopped", "stopped")],
)
def test_each_end_of_a_run_has_its_event(outcome: Outcome, name: str) -> None:
    assert named(Ended(t=1, outcome=outcome)) == [name]


def test_steady_state_is_told_where_it_ended_a_phase_and_nowhere_else() -> None:
    assert named(Judged(t=1, where=HERE, verdicts=(), ended_by=text("steady"), steady=True)) == ["steady"]
    assert named(Judged(t=1, where=HERE, verdicts=(), ended_by=text(""), steady=True)) == []
    assert named(Judged(t=1, where=HERE, verdicts=(), ended_by=text("rounds"), steady=False)) == []


def test_a_drive_that_slows_itself_down_is_told_once_each_time_it_begins() -> None:
    hot, cool, silent = (Telemetry(t=1, values=own) for own in ({"throttled": 1}, {"throttled": 0}, {}))
    assert named(hot, hot, hot) == ["throttled"]
    assert named(cool, hot, hot, cool, hot, silent, hot) == ["throttled"] * 3
    assert named(cool, silent) == []


@pytest.mark.parametrize("event", hooks.NAMES)
def test_a_hook_runs_for_its_own_event_alone(event: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = shlex.join([sys.executable, "-c", "import os; open(os.environ['STEND_EVENT'].replace(' ', '-'), 'x')"])
    monkeypatch.chdir(tmp_path)
    wanted = [hooks.hook(f"{name.replace(' ', '-')}={write}") for name in hooks.NAMES]
    said: list[str] = []
    one = hooks.Hooks(str(tmp_path), wanted, said.append)
    one.notify(event, Course())
    one.close()
    assert said == []
    assert [path.name for path in tmp_path.iterdir()] == [event.replace(" ", "-")]


def test_a_hook_is_tried_until_it_succeeds_and_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "TRIES_S", (0, 0, 0))
    code = "import sys; p = sys.argv[1]; open(p, 'a').write('x'); sys.exit(len(open(p).read()) < int(sys.argv[2]))"
    said: list[str] = []
    for times in (1, 2, 3, 4):
        words = [sys.executable, "-c", code, str(tmp_path / str(times)), str(times)]
        one = hooks.Hooks(str(tmp_path), [hooks.hook(f"failed={shlex.join(words)}")], said.append)
        one.add(Ended(t=1, outcome="failed"), Course())
        one.close()
    assert [len((tmp_path / str(times)).read_text()) for times in (1, 2, 3, 4)] == [1, 2, 3, 3]
    assert len(said) == 1, "the one that never succeeded"
    assert said[0].startswith("the hook for 'failed' failed 3 times: ")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("finished", "is not EVENT=COMMAND; events are finished, failed, stopped, cut-off, steady, throttled"),
        ("finished=", "is not EVENT=COMMAND"),
        ("finished= ", "is not EVENT=COMMAND"),
        ("=true", "is not EVENT=COMMAND"),
        ("cut=true", "is not EVENT=COMMAND"),
        ("failed=no-such-program", "cannot be called: 'no-such-program' is not an installed program"),
        ("failed='", "cannot be called: No closing quotation"),
        ("failed=http:///x", "cannot be called: its address has a space, or no host"),
        ("failed=http://h:0/", "cannot be called: its address has a space, or no host"),
        ("failed=http://h/a b", "cannot be called: its address has a space, or no host"),
        ("failed=http://h/\x7f", "cannot be called: its address has a space, or no host"),
        ("failed=https://u@h/", "cannot be called: an address with a login is not supported; use a command"),
        ("failed=http://h:65536/", "cannot be called: Port out of range 0-65535"),
    ],
)
def test_a_hook_that_can_never_be_called_is_refused_when_it_is_named(words: str, why: str) -> None:
    with pytest.raises(BadInput, match=re.escape(why)):
        hooks.hook(words)


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("cut-off= true ", ("cut off", "true")),
        ("failed=sh -c 'a=b'", ("failed", "sh -c 'a=b'")),
        ("steady=https://h:1/x?y=z", ("steady", "https://h:1/x?y=z")),
        ("steady=http://h:65535", ("steady", "http://h:65535")),
    ],
)
def test_a_hook_is_an_event_and_what_it_does(words: str, made: tuple[str, str]) -> None:
    assert hooks.hook(words) == made


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("sh -c :", ""),
        ("sh -c 'echo one >&2; echo two >&2; exit 3'", "ended with 3 two"),
        ("sh -c 'exit 1'", "ended with 1"),
        ("sh -c 'test $STEND_EVENT = failed && test $STEND_FOLDER = here'", ""),
    ],
)
def test_a_command_that_fails_has_its_code_and_its_last_line(command: str, why: str) -> None:
    said = hooks._call(hooks.hook(f"failed={command}"), '{"folder": "here"}')
    assert said == (f"{command} {why}" if why else "")


def test_a_retry_waits_before_it_tries() -> None:
    assert hooks.TRIES_S[0] == 0
    assert len(hooks.TRIES_S) > 1
    assert all(wait_s > 0 for wait_s in hooks.TRIES_S[1:])


@pytest.mark.parametrize("status", [200, 204, 299, 300, 302, 307, 404, 503])
def test_an_address_that_answers_no_success_has_failed_with_its_status(status: int) -> None:
    agents: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            agents.append(self.headers["user-agent"])
            self.send_response(status)
            self.send_header("location", "http://127.0.0.1:1/")
            self.end_headers()

        def log_message(self, *words: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        why = hooks._call(hooks.hook(f"failed=http://127.0.0.1:{server.server_port}/"), "{}")
        thread.join()
    assert (str(status) in why) is bool(why) is (status >= 300)
    assert agents == [f"stend/{__version__}"], "some services refuse Python's own name"


def test_an_answer_that_is_not_http_has_failed_and_does_not_end_the_hooks_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "TRIES_S", (0,))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answered() -> None:
            link, _ = server.accept()
            with link:
                link.recv(65536)
                link.sendall(b"220 mail.example.org\r\n")

        thread = Thread(target=answered)
        thread.start()
        port, said, told = server.getsockname()[1], list[str](), tmp_path / "told"
        wanted = [hooks.hook(f"failed=http://127.0.0.1:{port}/"), hooks.hook(f"failed=sh -c 'cat > {told}'")]
        one, course, ended = (
            hooks.Hooks("", wanted, said.append),
            Course(),
            Ended(t=1, outcome="failed", reason=text("x")),
        )
        course.ended = ended
        one.add(ended, course)
        one.close()
        thread.join()
    assert len(said) == 1
    assert json.loads(told.read_text()) == {
        "event": "failed", "folder": "", "t_s": 0.0, "outcome": "failed", "reason": "x"
    }  # fmt: skip
