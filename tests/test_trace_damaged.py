"""Damaged lines of others' traces: each is counted with why, the others are read, and nothing ends in a traceback."""

import re
from pathlib import Path

import numpy as np
import pytest

from stend.cli import main
from stend.trace.readers import detect
from tests.test_trace_readers import MSR, SAMPLES, SECOND, SYSTOR, TENCENT, read, rows

REASONS = [
    (MSR, b",Write,", b",Erase,", "it is neither Read nor Write"),
    (MSR, b",4096,26", b",0,26", "it is of no bytes"),
    (MSR, b",4096,26", b",4294967297,26", "it is longer than any IO"),
    (MSR, b",4096,26", b",-4096,26", "the length is no number"),
    (MSR, b",4096,26", b",4096,26,1", "it has not 7 fields"),
    (MSR, b",4096,26", b",4096,", "the response time is no number"),
    (MSR, b"7014912", b"99999999999999999999", "the offset is no number"),
    (MSR, b"128166372003061629", b"1", "the time is before 1970"),
    (MSR, b"128166372003061629", b"138166372003061629", "the time is a year from its neighbours'"),
    (SYSTOR, b",0.000806000,", b",0.0008.6,", "the response time is no number"),
    (SYSTOR, b",0.000806000,", b",0.,", "the response time is no number"),
    (SYSTOR, b",W,", b",X,", "it is neither R nor W"),
    (TENCENT, b"0,8,0,", b"0,8,2,", "it is neither 0 (read) nor 1 (write)"),
    (SECOND, b"wait 1000 0", b"wait 1e3 0", "it waits for no number of microseconds, or for days"),
    (SECOND, b"read 4096", b"reed 4096", "there is no such action"),
]


@pytest.mark.parametrize(("data", "sound", "broken", "why"), REASONS)
def test_a_line_that_is_broken_is_told_with_why_and_the_others_are_read(
    tmp_path: Path, data: bytes, sound: bytes, broken: bytes, why: str
) -> None:
    form, before = detect(data), read(data, tmp_path)
    after = read(data.replace(sound, broken, 1), tmp_path, form)
    assert sum(before.about.malformed.values()) + 1 == sum(after.about.malformed.values())
    assert after.about.malformed[why] == 1
    assert after.ios == before.ios - (b"wait" not in sound)


SOUND = {
    "msr": rb"\d+,[^,\n]*,\d+,(Read|Write),\d+,0*[1-9]\d*,\d+\r?",
    "alibaba": rb"\d+,[RW],\d+,0*[1-9]\d*,\d+\r?",
    "tencent": rb"\d+,\d+,0*[1-9]\d*,[01],\d+\r?",
    "systor": rb"\d+(\.\d+)?,\d+(\.\d+)?,[RW],\d+,\d+,0*[1-9]\d*\r?",
}
"""Which lines are sound, said once more by other means; numbers that are too large are few, and left aside."""
SIGNS = b"0123456789,.: \t-+RWrwabcFSD\r\0\xff\xd0"


def mutated(lines: list[bytes], many: int, seed: int) -> bytes:
    """That many lines, most with a byte changed, put in, left out, or ended early."""
    draw = np.random.default_rng(seed)
    made = []
    for which, kind, at, sign in zip(
        draw.integers(0, len(lines), many),
        draw.integers(0, 6, many),
        draw.random(many),
        draw.integers(0, len(SIGNS), many),
        strict=True,
    ):
        line, own = lines[which], SIGNS[sign : sign + 1]
        place = int(at * len(line))
        made.append(
            (
                line,
                line[:place] + own + line[place + 1 :],
                line[:place] + own + line[place:],
                line[:place] + line[place + 1 :],
                line[:place],
                line + own + line[place:],
            )[kind]
        )
    return b"\n".join(made) + b"\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_a_hundred_thousand_damaged_lines_are_each_counted(tmp_path: Path, name: str) -> None:
    lines = SAMPLES[name].splitlines()
    data = mutated(lines[:400], 100_000, seed=20261122)
    if name.startswith("fio"):
        data = lines[0] + b"\n" + data
    form = name.partition(" ")[0]
    made = read(data, tmp_path, form)
    about = made.about
    assert about.lines == data.count(b"\n")
    assert made.ios + sum(about.malformed.values()) + sum(about.skipped.values()) == about.lines
    assert made.ios > 10_000
    assert sum(about.malformed.values()) > 10_000
    assert all(row[2] >= 0 and row[3] >= 0 and row[4] >= -1 for row in rows(made))
    if form in SOUND:
        sound = sum(re.fullmatch(SOUND[form], line) is not None for line in data.split(b"\n"))
        beyond = sum(many for why, many in about.malformed.items() if "neighbours" in why or "no number" in why)
        assert sound - beyond <= made.ios <= sound


def test_a_log_of_fio_without_ios_is_one_of_fio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing but its files, opened and closed: its form is known, and it has no IO."""
    given = tmp_path / "none.iolog"
    given.write_bytes(b"fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n9 /dev/x close\n")
    assert main(["trace", "show", str(given)]) == 2
    assert "holds no IO in the format fio iolog" in capsys.readouterr().err


def test_one_io_and_one_line_left_out_are_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = tmp_path / "one.iolog"
    given.write_bytes(b"fio version 3 iolog\n0 /dev/x open\n5 /dev/x read 0 4096\n9 /dev/x close\n")
    assert main(["trace", "convert", str(given), str(tmp_path / "one.parquet")]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("1 IO of fio iolog in ")
    assert others == ["  left out: 2 lines: files opened and closed", "  left out: 1 line: headers"]
