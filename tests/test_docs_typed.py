"""Tutorial and how-to pages, typed: every command in its order, in a clean folder, ends as the page says.

A drive that stands for the reader's is a virtual one here, and long runs are quick ones; `make soak` types the tutorial
and the fleet as they stand.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from stend.cli import main
from tests.typed import Command, File, script, steps

DOCS = Path(__file__).parent.parent / "docs"
STAND_INS = {
    "/dev/nvme1n1": "sim:small?unit=1&spread=1",
    "/dev/sdb": "sim:small?unit=2",
    "/dev/md0": "sim:small?unit=3",
    "sim:kc2000": "sim:small?unit=4",
}
"""What a page names, and the virtual drive that is measured in its place."""
SHORTER = {"review-nvme": "latency", "review-desktop": "fresh", "5": "2"}
"""Words of `run` and `repeat` that would take long."""
ALREADY = ("make setup", ". .venv/bin/activate")
"""Whoever runs tests has done it."""
AS_THEY_STAND = ("tutorial/real-drive.md", "how-to/many-drives.md")
"""Pages that a shell must type: they have variables, and programs that go on by themselves."""
EVERY = [p.relative_to(DOCS).as_posix() for p in sorted([*DOCS.glob("tutorial/*.md"), *DOCS.glob("how-to/*.md")])]
PAGES = [name for name in EVERY if name not in AS_THEY_STAND and any(steps(DOCS / name))]
SHELL = re.compile(r"[|>&$;]")


def here(words: list[str]) -> list[str]:
    """The same command on virtual drives, and shortened."""
    for name, instead in STAND_INS.items():
        words = [re.sub(re.escape(name) + r"(?!\w)", instead, word) for word in words]
    if "--destroy-data" in words:  # its name is that of the real drive
        leave = words.index("--destroy-data")
        words = [*words[:leave], *words[leave + 2 :]]
    if words[0] not in ("run", "repeat"):
        return words
    first = next(n for n, word in enumerate(words) if word.startswith("-"))
    asked, options = [SHORTER.get(word, word) for word in words[:first]], words[first:]
    return [*asked, *options, *([] if "--quick" in words else ["--quick"]), "--rounds", "1"]


def typed(command: Command) -> int:
    """Its exit code; stend itself is called in this process, as its start is most of what a short command costs."""
    line = command.line.partition(" | ")[0]
    words = shlex.split(line)
    if words[0] == "stend":
        return main(here(words[1:]))
    assert SHELL.search(line) is None, "such a page is typed as it stands"
    return subprocess.run(words, check=False).returncode


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_typed_to_its_last_line(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for step in steps(DOCS / page):
        if isinstance(step, File):
            Path(step.name).write_text(step.text)
        elif step.line not in ALREADY:
            assert typed(step) in step.codes, step.line


@pytest.mark.soak
@pytest.mark.fio
@pytest.mark.parametrize("page", ["tutorial/index.md", *AS_THEY_STAND])
def test_a_page_is_typed_word_for_word(page: str, tmp_path: Path) -> None:
    own = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    lines = [line for line in script(DOCS / page).splitlines() if line not in ALREADY]
    done = subprocess.run(["bash", "-c", "\n".join(lines)], cwd=tmp_path, env=os.environ | own, check=False)
    assert done.returncode == 0


def test_what_a_page_shows_to_be_typed_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    shown = "```sh\nfalse    # exit code 1\ntrue\n```\n"
    saved = "```{code-block} toml\n:caption: a.toml\nb = 1\n```\n"
    page.write_text(shown + saved + "```\nnot typed\n```\n")
    assert list(steps(page)) == [Command("false", (1,)), Command("true", (0,)), File("a.toml", "b = 1\n")]
    told = subprocess.run(["bash", "-c", script(page)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.stdout.splitlines()[-1] == f"{page}: typed to its last line"
    page.write_text("```sh\nfalse\ntrue\n```\n")
    assert subprocess.run(["bash", "-c", script(page)], capture_output=True, check=False).returncode == 1
