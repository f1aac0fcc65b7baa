"""Who is told when something happens to a run: a command or an address, tried again, and never waited for."""

import json
import os
import shlex
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.live.course import Course
from stend.model.events import Ended, Event, Judged, Telemetry

PATIENCE_S = 30
TRIES_S = (0, 2, 10)
"""Waited before each try."""
NAMES = ("finished", "failed", "stopped", "cut off", "steady", "throttled")
OF_OUTCOME = {"complete": "finished", "not steady": "finished", "failed": "failed", "stopped": "stopped"}
Say = Callable[[str], None]


class Hook(NamedTuple):
    """What is done at which event; an address is sent JSON, a command has it on its standard input."""

    event: str
    does: str


def hook(text: str) -> Hook:
    """`finished=mail -s done lab@example.org` or `failed=https://...`. BadInput for an event that there is not."""
    event, equals, does = text.partition("=")
    if event.replace("-", " ") not in NAMES or not equals or not does.strip():
        names = ", ".join(name.replace(" ", "-") for name in NAMES)
        raise BadInput(f"{text!r} is no EVENT=COMMAND; events are {names}")
    return Hook(event.replace("-", " "), does.strip())


def happened(event: Event, course: Course, throttled: bool) -> Iterator[str]:
    """The names of what an event tells; `throttled` is whether the drive was slowing itself down before it."""
    match event:
        case Judged() if event.ended_by and event.steady:
            yield "steady"
        case Telemetry() if event.values.get("throttled") and not throttled:
            yield "throttled"
        case Ended() if event.outcome in OF_OUTCOME:
            yield OF_OUTCOME[event.outcome]


class Hooks:
    """Told every event; tells others in a thread of its own, one after the other."""

    def __init__(self, folder: str, hooks: Sequence[Hook], say: Say) -> None:
        self.folder, self.hooks, self.say = folder, tuple(hooks), say
        self.throttled = False
        self.queue: SimpleQueue[tuple[Hook, str] | None] = SimpleQueue()
        self.thread = Thread(target=self._work, daemon=True)
        self.thread.start()

    def hear(self, event: Event, course: Course) -> None:
        """An event that just happened."""
        for name in happened(event, course, self.throttled):
            self.tell(name, course)
        if isinstance(event, Telemetry):
            self.throttled = bool(event.values.get("throttled"))

    def tell(self, name: str, course: Course) -> None:
        """Something happened: whoever wants to know is told soon."""
        drive = course.started.plan.device if course.started else None
        about = {"model": drive.model, "serial": drive.serial, "target": drive.target} if drive else {}
        told = {"event": name, "folder": self.folder, "t_s": course.t, **about}
        if course.last:
            told |= {"test": course.last.where.test, "phase": course.last.where.phase}
        for one in self.hooks:
            if one.event == name:
                self.queue.put((one, json.dumps(told, ensure_ascii=False)))

    def close(self) -> None:
        """Wait until all that was to be told was told, or given up."""
        self.queue.put(None)
        self.thread.join()

    def _work(self) -> None:
        while work := self.queue.get():
            one, text = work
            wrong = ""
            for wait_s in TRIES_S:
                time.sleep(wait_s)
                if not (wrong := _done(one, text)):
                    break
            if wrong:
                self.say(f"the hook for {one.event!r} was tried {len(TRIES_S)} times: {wrong}")


def _done(one: Hook, text: str) -> str:
    """Do it once; what went wrong, or nothing."""
    try:
        return _sent(one.does, text) if one.does.startswith(("http://", "https://")) else _ran(one, text)
    except (OSError, ValueError) as error:
        return f"{one.does}: {error}"
    except subprocess.TimeoutExpired:
        return f"{one.does} did not end within {PATIENCE_S} s"


def _sent(address: str, text: str) -> str:
    asked = urllib.request.Request(address, text.encode(), {"content-type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:  # noqa: S310 http and https alone
        return "" if answer.status < 300 else f"{address} answered {answer.status}"


def _ran(one: Hook, text: str) -> str:
    env = os.environ | {"STEND_EVENT": one.event, "STEND_FOLDER": json.loads(text)["folder"]}
    done = subprocess.run(
        shlex.split(one.does),
        input=text,
        env=env,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE_S,
        check=False,
    )
    said = done.stderr.strip().rpartition("\n")[2]
    return f"{one.does} ended with {done.returncode} {said}".strip() if done.returncode else ""
