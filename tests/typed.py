"""A page as somebody types it: the commands of its `sh` blocks and the files it has saved, in order.

`python3 -m tests.typed docs/tutorial/index.md | bash` types it here, word for word, and stops where it goes wrong.
"""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FENCE = re.compile(r"^```(\S+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CAPTION = re.compile(r"\A:caption: (\S+)\n")
CODES = re.compile(r"\s*# exit code ([\d, or]+)$")


class Command(NamedTuple):
    """A line to type, and the exit codes that the page says it may end with."""

    line: str
    codes: tuple[int, ...]


class File(NamedTuple):
    """What is to be saved under a name."""

    name: str
    text: str


def steps(page: Path) -> Iterator[Command | File]:
    """All of a page."""
    for kind, _, body in FENCE.findall(page.read_text(encoding="utf-8")):
        caption = CAPTION.match(body)
        if kind == "sh":
            yield from (_command(line) for line in body.replace("\\\n", " ").splitlines() if line.strip())
        elif caption:
            yield File(caption[1], body[caption.end() :])


def _command(line: str) -> Command:
    told = CODES.search(line)
    return Command(CODES.sub("", line), tuple(map(int, re.findall(r"\d+", told[1]))) if told else (0,))


def script(page: Path) -> str:
    """The page as a script of bash that ends with 1 at the first line that ends otherwise than the page says."""
    lines = ["set -u"]
    for step in steps(page):
        if isinstance(step, File):
            lines.append(f"printf %s {shlex.quote(step.text)} > {shlex.quote(step.name)}")
            continue
        wrong = f"echo {shlex.quote(f'{page}: {step.line}')} ended with $code; exit 1"
        lines += [f"echo {shlex.quote(f'$ {step.line}')}", step.line, "code=$?"]
        lines.append(f'case " {" ".join(map(str, step.codes))} " in *" $code "*) ;; *) {wrong} ;; esac')
    return "\n".join([*lines, f"echo {shlex.quote(f'{page}: typed to its last line')}", ""])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        sys.stdout.write(script(Path(name)))
