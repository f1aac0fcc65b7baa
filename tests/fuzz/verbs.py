"""Whole verbs by random arguments, in folders of good and broken runs; only virtual drives and files are named."""

import contextlib
import io
import os
import random
import re
import shutil
from collections.abc import Iterator
from typing import Any

from stend.base.errors import UNSOUND_EXIT_CODE
from stend.cli import main
from tests.fuzz.files import FOLDER, SHEET
from tests.fuzz.mutate import mutated
from tests.fuzz.target import Target, unprintable

HOME = FOLDER / "home"
READERS = (
    "list",
    "plan",
    "doctor",
    "devices",
    "show",
    "report",
    "tests",
    "resume",
    "purge",
    "provision",
    "query",
    "run",
    "publish",
    "inspect",
    "fleet",
    "media",
)
LEFT_OUT = "`host` measures for seconds, and reads nothing that others write; `repeat` is several times `run`"
SHARED = [
    "--help",
    "-h",
    "--json",
    "--quick",
    "--nothing",
    "-",
    "--",
    "",
    "\x1b[2J",
    "\udcff",
    "é",
    "a" * 300,
    "-1",
    "nan",
]
PLACES = [
    "runs",
    "runs/good",
    "runs/broken",
    "runs/empty",
    "runs/none",
    "file.bin",
    "profile.toml",
    "sheet.toml",
    "/dev/null",
]
TARGETS = [
    "sim:small",
    "sim:none",
    "sim:small?seed=7",
    "sim:small?seed=x",
    "sim:mine.toml",
    "sim:",
    "file.bin",
    ".",
    "/nowhere",
]
VALUES = [
    "iops",
    "latency",
    "quick-look",
    "study.toml",
    "review",
    "enterprise-2.0.2",
    "html",
    "csv",
    "markdown",
    "json",
    "ru",
]
NUMBERS = ["0", "1", "4", "-1", "1e9", "nan", "inf", "9" * 30, "80%", "4096", "1GiB", "999999999999T"]
FLAGS = ["--target", "--profile", "--threads", "--depth", "--active-range", "--rounds", "--round-seconds", "--into"]
FLAGS += ["--destroy-data", "--create", "--seed", "--format", "--lang", "--style", "--sheet", "--method", "--command"]
FLAGS += ["--where", "--sort", "--columns", "--last", "--by", "--side", "--label"]
FLAGS += ["--limit", "--limit-minutes", "--lba-bytes", "--capacity", "--restore", "--fit"]
SQL = ["FROM runs", "SELECT", "FROM figures WHERE iops > 1 ORDER BY ALL", "model=x*", "seed>1", "-started", "run,model"]
POOL = SQL + SHARED + PLACES + TARGETS + VALUES + NUMBERS


SETTINGS = b'{"restored": false, "serial": "x", "was": "enabled", "target": "/nowhere"}'


def stand() -> None:
    """A working directory with a good run, a broken one, an empty one, and files that verbs are given."""
    shutil.rmtree(HOME, ignore_errors=True)
    for name in ("good", "broken", "empty", "odd"):
        (HOME / "runs" / name).mkdir(parents=True)
    good = (FOLDER / "told/events.jsonl").read_bytes()
    (HOME / "runs/good/events.jsonl").write_bytes(good)
    (HOME / "runs/broken/events.jsonl").write_bytes(good.replace(b"STILL", b"\xff\xfe"))
    (HOME / "runs/odd/events.jsonl").write_bytes(good.replace(b'"STILL"', rb'"\u001b[2J\u202e\r\u0000"'))
    (HOME / "runs/odd/settings.json").write_text('{"restored": false}')
    (HOME / "file.bin").write_bytes(bytes(4096))
    (HOME / "sheet.toml").write_bytes(SHEET)
    (HOME / "study.toml").write_text('title = "s"\ntests = ["latency"]\n')
    for name in ("mine.toml", "profile.toml"):
        (HOME / name).write_text("title = 3")


def _words(data: bytes) -> list[str]:
    """The arguments that these bytes stand for."""
    rng = random.Random(data)
    verb = rng.choice(READERS)
    words = [verb]
    if rng.random() < 0.7 and verb in ("plan", "run", "purge", "provision"):
        words += [rng.choice(VALUES[:4]) if verb in ("plan", "run") else "--json"][: verb in ("plan", "run")]
        words += ["--target", rng.choice(TARGETS)]
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
        words += [rng.choice(FLAGS), rng.choice(POOL)] if rng.random() < 0.5 else [rng.choice(POOL)]
    if verb == "run":  # nobody waits for a run that is asked for rightly
        words += ["--rounds", "0"]
    return [word for word in words if "\0" not in word]


@contextlib.contextmanager
def _there() -> Iterator[None]:
    before = os.getcwd()
    os.chdir(HOME)
    try:
        yield
    finally:
        os.chdir(before)


def _ran(data: bytes) -> Any:
    out, err = io.StringIO(), io.StringIO()
    words = _words(data)
    with _there(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return words, code, out.getvalue(), err.getvalue()


def _wrong(taken: Any) -> str:
    words, code, out, err = taken
    said = err.strip().splitlines()
    if code not in (0, 2, 3, 4, 5, UNSOUND_EXIT_CODE, 130):
        return f"{words[0]}: exit code {code}: {re.sub(r'stend-defect-.*txt', '', said[-1])}"
    if code and not said:
        return f"{words}: exit code {code} without a word"
    return f"{words}: {found}" if (found := unprintable(out + err)) else ""


def _folder(data: bytes) -> Any:
    """`list`, `show` and `doctor` on a run folder of this record."""
    (HOME / "runs/odd/events.jsonl").write_bytes(data)
    rng = random.Random(data)
    (HOME / "runs/odd/settings.json").write_bytes(mutated(SETTINGS, "json", rng))
    words = rng.choice((["list"], ["show", "runs/odd"], ["show", "--json", "runs/odd"], ["doctor", "runs/odd"]))
    out, err = io.StringIO(), io.StringIO()
    with _there(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return words, code, out.getvalue(), err.getvalue()


def _kernels() -> None:
    """Those of the virtual drives are compiled once in a checkout; no input is to be blamed for these seconds."""
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["purge", "--target", "sim:small"]) == 0


def targets() -> list[Target]:
    """All of them."""
    stand()
    _kernels()
    good = (FOLDER / "told/events.jsonl").read_bytes()
    return [
        Target("verbs", "text", [b"a", b"some words"], _ran, _wrong, 0.3),
        Target("run folders", "jsonl", [good], _folder, _wrong, 0.1),
    ]
