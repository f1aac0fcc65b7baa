"""The way of a command through the house: which room each call enters, told file by file.

`python -m tests.way run iops --target sim:small --quick` prints it. A room is a file at the top of stend, or a folder.
Imports are not counted, nor what the hall (definitions and words that all rooms share) and the record answer.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import stend

HOME = Path(stend.__file__).parent
HALL = {"base", "words", "model"}


class Step(NamedTuple):
    """A room was entered: from which other one, how deep, and by which function of which file."""

    above: str
    room: str
    depth: int
    file: str
    function: str


def walked(act: Callable[[], Any]) -> list[Step]:
    """Every entry of a room out of another one while `act` runs."""
    steps: list[Step] = []
    inside = ["cli"]
    frames: list[FrameType] = []

    def hear(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            file, here = _place(frame.f_code.co_filename)
            if here and here != inside[-1]:
                steps.append(Step(inside[-1], here, len(inside), file, frame.f_code.co_name))
                inside.append(here)
                frames.append(frame)
        elif event == "return" and frames and frame is frames[-1]:
            frames.pop()
            inside.pop()

    for module in pkgutil.walk_packages(stend.__path__, "stend."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    sys.setprofile(hear)
    try:
        act()
    finally:
        sys.setprofile(None)
    return steps


@cache
def _place(path: str) -> tuple[str, str]:
    """A file of stend and the room it is in; "" for the hall and for all that is not ours."""
    if not path.startswith(f"{HOME}/"):
        return path, ""
    file = path.removeprefix(f"{HOME}/")
    room = file.partition("/")[0].removesuffix(".py")
    return file, "" if room in HALL else room


def stays(steps: list[Step], above: str) -> list[str]:
    """The rooms that one room enters, in order; one after another in the same room is one stay."""
    every = [step.room for step in steps if step.above == above]
    return [room for n, room in enumerate(every) if n == 0 or every[n - 1] != room]


def told(steps: list[Step]) -> list[str]:
    """Each pair of a room and a file it enters, in the order in which they are first met."""
    first = {(step.above, step.file): step for step in reversed(steps)}
    met = sorted(first.values(), key=steps.index)
    return [f"{'  ' * step.depth}{step.above} -> {step.file}: {step.function}" for step in met]


if __name__ == "__main__":
    from stend.cli import main

    for line in told(walked(lambda: main(sys.argv[1:]))):
        print(line)
