"""A real terminal of a given size, by tmux: what a person would see on it."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waits import wait_for


class Terminal:
    """A program in a terminal of so many columns and lines."""

    def __init__(self, folder: Path, columns: int, lines: int) -> None:
        # A server that was told to end still has its socket for a moment.
        number = len([*folder.glob("tmux-*")])
        self.socket, self.columns, self.lines = folder / f"tmux-{number}", columns, lines

    def tmux(self, *words: str) -> str:
        """Give the terminal an order and return what it prints."""
        command = ["tmux", "-S", str(self.socket), "-f", os.devnull, *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, f"tmux {words[0]}: {done.stderr}"
        return done.stdout

    @property
    def screen(self) -> str:
        """The text that is seen now."""
        return self.tmux("capture-pane", "-p")

    @property
    def colours(self) -> str:
        """The text with its colours."""
        return self.tmux("capture-pane", "-p", "-e")

    def keys(self, *keys: str) -> None:
        """Press keys."""
        self.tmux("send-keys", *keys)

    def waits(self, *words: str) -> str:
        """Return the screen once it has all of these words."""

        def seen() -> str:
            screen = self.screen
            assert all(word in screen for word in words), screen
            return screen

        return wait_for(seen)


@contextmanager
def terminal(
    folder: Path, columns: int, lines: int, *words: str, module: str = "stend", **environment: str
) -> Iterator[Terminal]:
    """Run stend in a terminal; the screen stays after it has ended, with its exit code. `tests.held` can be held."""
    shown = Terminal(folder, columns, lines)
    stend = shlex.join([sys.executable, "-m", module, *words])
    settings = [f"{name}={value}" for name, value in ({"PYTHONPATH": os.pathsep.join(sys.path)} | environment).items()]
    line = f"{shlex.join(['env', '-u', 'COLUMNS', '-u', 'LINES', *settings])} {stend}; echo exit code $?; exec cat"
    shown.tmux("new-session", "-d", "-x", str(columns), "-y", str(lines), "-c", str(folder), line)
    try:
        yield shown
    finally:
        shown.tmux("kill-server")
