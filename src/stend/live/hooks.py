"""Hooks: commands and addresses that are notified of events of a run, with retries, in a separate thread."""

import json
import os
import re
import shlex
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPException
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from stend.base.errors import BadInput
from stend.base.version import __version__
from stend.live.course import Course
from stend.model.events import Ended, Event, Judged, Telemetry

PATIENCE_S = 30
TRIES_S = (0, 2, 10)
"""Seconds of waiting before each try."""
NAMES = ("finished", "failed", "stopped", "cut off", "steady", "throttled")
OF_OUTCOME = {"complete": "finished", "not steady": "finished", "failed": "failed", "stopped": "stopped"}
WEB = ("http://", "https://")
Show = Callable[[str], None]


class Hook(NamedTuple):
    """An event and the command or address to notify. Both get JSON, a command on its standard input."""

    event: str
    does: str


def hook(text: str) -> Hook:
    """Parse `finished=mail -s done lab@example.org` or `failed=https://...`.

    Raise BadInput for an unknown event, and for a command or address that can never be called, because a run may take
    days until it would be.
    """
    event, equals, does = text.partition("=")
    if event.replace("-", " ") not in NAMES or not equals or not does.strip():
        names = ", ".join(name.replace(" ", "-") for name in NAMES)
        raise BadInput(f"{text!r} is not EVENT=COMMAND; events are {names}")
    if why := _impossible(does.strip()):
        raise BadInput(f"the hook {text!r} cannot be called: {why}")
    return Hook(event.replace("-", " "), does.strip())


def _impossible(does: str) -> str:
    """Return why a command or address can never be called, or an empty string."""
    try:
        if not does.startswith(WEB):
            program = shlex.split(does)[0]
            return "" if shutil.which(program) else f"{program!r} is not an installed program"
        address = urlsplit(does)
        wrong = not address.hostname or address.port == 0 or re.search(r"[\x00-\x20\x7f]", does)
    except (IndexError, ValueError) as error:
        return str(error)
    if address.username is not None:
        return "an address with a login is not supported; use a command, such as curl"
    return "its address has a space, or no host" if wrong else ""


def happened(event: Event, course: Course, throttled: bool) -> Iterator[str]:
    """Yield the hook events that an event of the record causes. `throttled` is the drive's state before it."""
    match event:
        case Judged() if event.ended_by and event.steady:
            yield "steady"
        case Telemetry() if event.values.get("throttled") and not throttled:
            yield "throttled"
        case Ended() if event.outcome in OF_OUTCOME:
            yield OF_OUTCOME[event.outcome]


class Hooks:
    """Receives every event of a run and calls the hooks one after another in a separate thread."""

    def __init__(self, folder: str, hooks: Sequence[Hook], show: Show) -> None:
        self.folder, self.hooks, self.show = folder, tuple(hooks), show
        self.throttled = False
        self.queue: SimpleQueue[tuple[Hook, str] | None] = SimpleQueue()
        self.thread = Thread(target=self._work, daemon=True)
        self.thread.start()

    def add(self, event: Event, course: Course) -> None:
        """Take a new event and notify the hooks that wait for it."""
        for name in happened(event, course, self.throttled):
            self.notify(name, course)
        if isinstance(event, Telemetry):
            self.throttled = bool(event.values.get("throttled"))

    def notify(self, name: str, course: Course) -> None:
        """Queue the calls of all hooks for this event."""
        drive = course.started.plan.device if course.started else None
        about = {"model": drive.model, "serial": drive.serial, "target": drive.target} if drive else {}
        message = {"event": name, "folder": self.folder, "t_s": course.t, **about}
        if course.ended:
            message |= {"outcome": course.ended.outcome, "reason": str(course.ended.reason)}
        if course.last:
            message |= {"test": course.last.where.test, "phase": course.last.where.phase}
        for hook in self.hooks:
            if hook.event == name:
                self.queue.put((hook, json.dumps(message, ensure_ascii=False)))

    def close(self) -> None:
        """Wait until every queued call has succeeded or was given up."""
        self.queue.put(None)
        self.thread.join()

    def _work(self) -> None:
        while work := self.queue.get():
            hook, text = work
            wrong = ""
            for wait_s in TRIES_S:
                time.sleep(wait_s)
                if not (wrong := _call(hook, text)):
                    break
            if wrong:
                self.show(f"the hook for {hook.event!r} failed {len(TRIES_S)} times: {wrong}")


def _call(hook: Hook, text: str) -> str:
    """Call a hook once. Return the reason why it failed, or an empty string."""
    try:
        return _post(hook.does, text) if hook.does.startswith(WEB) else _run(hook, text)
    except (OSError, ValueError, HTTPException) as error:
        return f"{hook.does}: {error}"
    except subprocess.TimeoutExpired:
        return f"{hook.does} did not end within {PATIENCE_S} s"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirects, because the text would not be sent there."""

    def redirect_request(self, *_: Any) -> None:
        """Return no further request."""


def _post(address: str, text: str) -> str:
    """Send a text, and return an empty string. Raise OSError for an answer that is no success."""
    head = {"content-type": "application/json", "user-agent": f"stend/{__version__}"}
    request = urllib.request.Request(address, text.encode(), head)  # noqa: S310 http and https alone
    urllib.request.build_opener(_NoRedirect).open(request, timeout=PATIENCE_S).close()
    return ""


def _run(hook: Hook, text: str) -> str:
    env = os.environ | {"STEND_EVENT": hook.event, "STEND_FOLDER": json.loads(text)["folder"]}
    done = subprocess.run(
        shlex.split(hook.does),
        input=text,
        env=env,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE_S,
        check=False,
    )
    message = done.stderr.strip().rpartition("\n")[2]
    return f"{hook.does} ended with {done.returncode} {message}".strip() if done.returncode else ""
