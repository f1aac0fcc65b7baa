"""The view of a run on a terminal is the golden one, in four sizes and with its styles.

`python -m tests.test_view_drawn` writes all of them again to tests/goldens/view; read the difference.
"""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from stend.cli._view import Size, picture
from stend.live.course import Course
from tests.test_terminal import course

FOLDER = Path(__file__).parent / "goldens" / "view"
XTERM = {"TERM": "xterm"}
"""Whatever the terminal is in which tests run."""
SIZES = (Size(80, 10), Size(80, 24), Size(100, 30), Size(140, 40))
MOMENTS: dict[str, tuple[str, Callable[[Course], bool]]] = {
    "iops": ("iops", lambda c: bool(c.at and c.at.round == 3 and c.steps[0] == 20)),
    "latency": ("latency", lambda c: bool(c.at and c.at.phase == "rounds-q1" and c.at.round == 2 and c.steps[0] == 3)),
    "write-saturation": ("write-saturation", lambda c: bool(c.at and c.at.phase != "purge" and len(c.recent) > 20)),
    "begun": ("throughput", lambda c: bool(c.at)),
    "ended": ("iops", lambda c: bool(c.ended)),
}


def frames(name: str) -> str:
    """Return the view in each size, a style as its numbers in braces."""
    test, until = MOMENTS[name]
    shown, every = course(test, "enterprise-2.0.2", until), []
    for size in SIZES:
        screen: dict[str, Any] = {"record": True, "file": io.StringIO(), "force_terminal": True, "_environ": XTERM}
        console = Console(width=size.columns, height=size.lines, **screen)
        console.print(picture(shown, "stopping" if size == SIZES[2] else "", size))
        lines = re.sub("\x1b\\[([0-9;]*)m", r"{\1}", console.export_text(styles=True)).splitlines()
        every += [f"--- {size.columns} x {size.lines}", *(line.rstrip() for line in lines)]
    return "\n".join(every) + "\n"


@pytest.mark.parametrize("name", MOMENTS)
def test_the_view_is_the_golden_one(name: str) -> None:
    assert frames(name) == (FOLDER / f"{name}.txt").read_text(), (
        "write again with python -m tests.test_view_drawn, and read the diff"
    )


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in MOMENTS:
        (FOLDER / f"{name}.txt").write_text(frames(name))
