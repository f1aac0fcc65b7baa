"""A member of a group may still reach a moment if it lives and has not, or if it has not begun and will be started."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from stend.session.together import roll


@pytest.mark.parametrize(("moments", "sought"), [*product((0, 1, 2), (1, 2))])
def test_one_that_lives_comes_to_moments_after_its_last(tmp_path: Path, moments: int, sought: int) -> None:
    roll.enter(tmp_path, "a", moments)
    assert roll.coming(tmp_path, "a", sought) is (moments < sought)


def test_one_that_has_not_begun_comes_while_what_starts_it_lives(tmp_path: Path) -> None:
    assert not roll.coming(tmp_path, "a", 1)
    roll.enter(tmp_path, roll.BEGINNER)
    assert roll.coming(tmp_path, "a", 1)
    assert roll.pid_of(tmp_path, roll.BEGINNER) == os.getpid()


def test_one_that_has_ended_comes_no_more(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-SEc", "input()"], stdin=subprocess.PIPE)
    roll.enter(tmp_path, roll.BEGINNER)
    roll.enter(tmp_path, "a", pid=gone.pid)
    assert roll.coming(tmp_path, "a", 1)
    gone.communicate(b"\n")
    assert not roll.coming(tmp_path, "a", 1)
