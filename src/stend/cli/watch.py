"""`stend watch`: show the progress of a run of another process."""

import time
from collections import deque
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import STOPPED_EXIT_CODE, StepFailed
from stend.cli import _runs
from stend.cli._option import option

if TYPE_CHECKING:
    from stend.cli._screen import Screen
    from stend.live.follow import Follower
    from stend.live.hooks import Hooks
    from stend.live.state import State

POLL_S = 0.5
CHECK_S = 2.0
"""Seconds between checks that the run's process is alive."""
EXIT_CODES = {"failed": StepFailed.exit_code, "cut off": StepFailed.exit_code, "stopped": STOPPED_EXIT_CODE}


def command(
    run: _runs.Run = _runs.LAST,
    on: Annotated[
        list[str] | None,
        option("--on", "EVENT=DO", "Command or https address to notify; may be repeated; see docs/how-to/publish.md."),
    ] = None,
) -> int:
    """Show the progress of a run from another terminal. It only reads the run folder and adds no load.

    The folder may be reached over ssh or be a synchronized copy. Watching ends with the run, on this host also
    if its process is killed. Ctrl-C ends only the watching.

    Example: stend watch last
    """
    from stend.cli._screen import Screen
    from stend.live import hooks
    from stend.live.follow import Follower

    wanted = [hooks.hook(text) for text in on or ()]
    folder = _runs.folder(run)
    following = Follower(folder)
    notifier = hooks.Hooks(str(folder.resolve()), wanted, lambda words: typer.echo(words, err=True))
    try:
        deque(following.news(), maxlen=0)  # earlier events trigger no hooks, except the end of the run
        if ended := following.course.ended:
            notifier.add(ended, following.course)
        with Screen(following.course, since=following.since) as screen:
            if following.state.word in ("running", "elsewhere"):  # otherwise the last line states it
                screen.print(f"{folder}: {following.state.sentence}")
            state = _watched(following, screen, notifier)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"no longer watching; {folder} is {following.state.sentence}") from None
    if state.word == "cut off":
        notifier.notify(state.word, following.course)
    notifier.close()
    typer.echo(f"{folder}: {state.sentence}")
    return EXIT_CODES.get(following.course.ended.outcome if following.course.ended else "cut off", 0)


def _watched(following: "Follower", screen: "Screen", notifier: "Hooks") -> "State":
    """Show events until the run has ended or its process has exited. Return the state of the run then."""
    checked, state = 0.0, following.state
    silent = state.silent
    while state.word in ("running", "elsewhere"):
        for event in following.news() if following.grown else ():
            screen.course = following.course
            screen.react(event)
            notifier.add(event, following.course)
        if following.course.ended or time.monotonic() - checked > CHECK_S:
            checked, state = time.monotonic(), following.state
            screen.picture("" if state.word == "running" else state.sentence)
            if state.silent and not silent:
                screen.print(state.sentence)
            silent = state.silent
        time.sleep(POLL_S * (following.course.ended is None))
    for event in following.news():  # events between the last check and the end
        screen.react(event)
        notifier.add(event, following.course)
    return following.state
