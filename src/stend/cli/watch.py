"""`stend watch`: look at a run that goes on elsewhere."""

import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import STOPPED_EXIT_CODE, StepFailed

if TYPE_CHECKING:
    from stend.cli._screen import Screen
    from stend.live.follow import Follower
    from stend.live.hooks import Hooks
    from stend.live.state import State

POLL_S = 0.5
ASK_S = 2.0
"""How often it is asked whether the run's process is there still."""
EXIT_CODES = {"failed": StepFailed.exit_code, "cut off": StepFailed.exit_code, "stopped": STOPPED_EXIT_CODE}


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder, here or a copy that is kept in step.")],
    on: Annotated[
        list[str] | None,
        typer.Option("--on", metavar="EVENT=DO", help="A command or an https address to be told; see docs/live.md."),
    ] = None,
) -> int:
    """Watch a run as it goes, from another terminal, over ssh or on a synced copy; costs the run nothing.

    It ends when the run does, and says so when its process is gone; Ctrl-C ends the watching alone.

    Example: stend watch runs/20261120-120000-sim-small-iops
    """
    from stend.cli._screen import Screen
    from stend.live import hooks
    from stend.live.follow import Follower

    wanted = [hooks.hook(text) for text in on or ()]
    following = Follower(folder)
    telling = hooks.Hooks(str(folder.resolve()), wanted, lambda words: typer.echo(words, err=True))
    try:
        deque(following.news(), maxlen=0)  # what was before is no news
        with Screen(following.course) as screen:
            if not following.course.ended:  # else the last line says it
                screen.say(f"{folder}: {following.state.said}")
            state = _watched(following, screen, telling)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"no longer watched; {folder} is {following.state.said}") from None
    if state.word == "cut off":
        telling.tell(state.word, following.course)
    telling.close()
    typer.echo(f"{folder}: {state.said}")
    return EXIT_CODES.get(following.course.ended.outcome if following.course.ended else "cut off", 0)


def _watched(following: "Follower", screen: "Screen", telling: "Hooks") -> "State":
    """Show what comes until the run has ended or its process is gone; what it was then."""
    asked, state = 0.0, following.state
    while state.word in ("running", "elsewhere"):
        for event in following.news() if following.grown else ():
            screen.course = following.course
            screen.tell(event)
            telling.hear(event, following.course)
        if following.course.ended or time.monotonic() - asked > ASK_S:
            asked, state = time.monotonic(), following.state
            screen.picture("" if state.word == "running" else state.said)
        time.sleep(POLL_S * (following.course.ended is None))
    for event in following.news():  # what came between the last look and the end
        screen.tell(event)
        telling.hear(event, following.course)
    return following.state
