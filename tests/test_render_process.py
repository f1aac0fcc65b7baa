"""The process that draws answers each line with one line, whatever a library prints or raises."""

import json
import subprocess
import sys

import pytest

from stend.base import render_process

NOISY = """
import os, sys
from stend.base import render_process
def noisy(given):
    print("a library prints")
    os.write(1, b"and writes\\n")
    if given == "panic":
        raise BaseException("panicked")
    return given.upper()
render_process.WORK = {"svg": noisy}
render_process.main()
"""


def test_each_line_has_one_answer_in_order_and_no_output_of_a_library_is_among_them() -> None:
    asked = [["svg", "first"], ["svg", "panic"], ["gif", "x"], ["svg", "é\nlast"]]
    lines = "".join(json.dumps(line) + "\n" for line in asked)
    done = subprocess.run([sys.executable, "-c", NOISY], input=lines, capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        ["FIRST", ""],
        ["", "BaseException: panicked"],
        ["", "KeyError: 'gif'"],
        ["É\nLAST", ""],
    ]
    assert done.stderr.count("a library prints") == done.stderr.count("and writes") == 3


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_a_request_to_end_is_no_answer(end: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(given: str) -> str:
        raise end

    monkeypatch.setattr(render_process, "WORK", {"svg": ended})
    with pytest.raises(end):
        render_process._answer("svg", "")
