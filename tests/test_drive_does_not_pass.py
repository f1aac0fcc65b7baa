"""A script sees by the exit code of a finished run whether its drive passed: the end is told as that of any run."""

import re
import subprocess
import sys
from errno import EIO
from pathlib import Path

import pytest

from stend import store
from stend.cli import main
from stend.model.surface import surveyed

WRAPS, FLIPS = "sim:small?wrap_bytes=50003968", "sim:small?flips_one_in=1000000000"
UNREADABLE = "sim:small?unreadable_from_bytes=1048576&unreadable_bytes=1048576"
WHOLE = ["--whole"]
ENDS = [
    (["run", "media", "--quick", "--target", "sim:small"], 0),
    (["run", "media", "--quick", "--target", WRAPS], 6),
    (["run", "media", "--target", FLIPS], 6),
    (["run", "media", "--target", UNREADABLE], 6),
    (["run", "throughput", "--verify", "--quick", "--target", "sim:small"], 0),
    (["run", "throughput", "--verify", "--quick", "--target", FLIPS], 6),
    (["run", "throughput", "--quick", "--target", FLIPS], 0),  # nothing was compared
    (["inspect", "sim:small", *WHOLE], 0),
    (["inspect", UNREADABLE, *WHOLE], 6),
    (["inspect", UNREADABLE, *WHOLE, "--json"], 6),
    (["inspect", "sim:small", *WHOLE, "--json"], 0),
    (["repeat", "2", "media", "--quick", "--target", WRAPS], 6),
    (["repeat", "2", "media", "--quick", "--target", "sim:small"], 0),
]


@pytest.mark.parametrize(("words", "code"), ENDS)
def test_a_drive_that_does_not_pass_ends_its_run_with_6(words: list[str], code: int, tmp_path: Path) -> None:
    assert main([*words, "--into", str(tmp_path / "of")]) == code
    assert {store.load(path.parent).outcome for path in tmp_path.rglob("events.jsonl")} == {"complete"}


def test_of_several_drives_one_is_enough(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Also where nothing is left to do; no line calls the run of the drive that lies an error."""
    folder = tmp_path / "both"
    words = ["run", "media", "--quick", "--target", WRAPS, "--target", "sim:small?seed=9", "--into", str(folder)]
    assert subprocess.run([sys.executable, "-m", "stend", *words], check=False).returncode == 6
    told = capfd.readouterr()
    assert "stend: " not in told.err
    assert told.out.count(": complete: ") == 2
    assert subprocess.run([sys.executable, "-m", "stend", "resume", str(folder)], check=False).returncode == 6


def test_several_inspections_print_their_table_and_where_their_page_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "lot"
    assert main(["inspect", "sim:small?serial=A", "sim:small?serial=B", *WHOLE, "--into", str(folder)]) == 0
    assert capfd.readouterr().out.splitlines()[-1] == f"Lot: {folder}/inspection.html"
    assert (folder / "inspection.html").exists()


def test_a_run_that_was_stopped_does_not_tell_of_its_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["run", "media", "--target", f"{FLIPS}&dies_at_s=0.2", "--into", str(tmp_path / "dead")]) == 5


@pytest.mark.parametrize(
    ("first", "bytes_each", "unread"),
    [(0, 4096, (0, 4096)), (512, 512, (0, 4096)), (130560, 1024, (126976, 8192))],  # a unit of NAND is 4 KiB
)
def test_an_inspection_finds_the_unreadable_places_of_a_virtual_drive(
    first: int, bytes_each: int, unread: tuple[int, int], tmp_path: Path
) -> None:
    target = f"sim:small?unreadable_from_bytes={first}&unreadable_bytes={bytes_each}"
    main(["inspect", target, *WHOLE, "--into", str(tmp_path / "run")])
    found = surveyed(store.load(tmp_path / "run").of("inspect", "surface")).unread
    assert [(place.first_bytes, place.size_bytes, place.error, place.again) for place in found] == [
        (*unread, EIO, False)
    ]


def test_blocks_of_one_kind_are_told_apart_by_their_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["inspect", "sim:small", *WHOLE, "--into", str(tmp_path / "run")])
    capsys.readouterr()
    main(["show", str(tmp_path / "run")])
    labels = [line[:37].strip() for line in capsys.readouterr().out.splitlines() if "SEQ 1024K" in line]
    assert labels[:3] == [f"SEQ 1024K 100/0 T1 Q1 at {place}" for place in ("0 B", "16.8 MB", "33.6 MB")]
    assert len(set(labels)) == len(labels) == 8


@pytest.mark.parametrize(("asked", "read"), [(WHOLE, "in order"), (["--minutes", "0.1"], "at random places")])
def test_a_page_tells_whether_every_block_was_read_or_a_sample(asked: list[str], read: str, tmp_path: Path) -> None:
    main(["inspect", "sim:small", *asked, "--into", str(tmp_path / "run")])
    main(["report", str(tmp_path / "run"), "--format", "markdown"])
    (told,) = re.findall(
        r"The drive was only read\. .*? (in order|at random places)", (tmp_path / "run/report.md").read_text()
    )
    assert told == read
