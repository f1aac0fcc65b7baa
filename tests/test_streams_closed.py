"""A caller may close a standard stream: no file or drive gets its number, and no message goes there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stend.cli._edge import print_nowhere


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_run_with_closed_streams_is_complete(tmp_path: Path, closed: str) -> None:
    words = f"'{sys.executable}' -m stend run fresh --quick --target sim:small --into '{tmp_path}/run' {closed}"
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "defect" not in done.stderr
    assert (tmp_path / "run/report.html").exists()


def test_a_stream_whose_reader_is_gone_leaves_no_descriptor_open() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        before = os.listdir("/proc/self/fd")
        print_nowhere(stream)
        assert os.listdir("/proc/self/fd") == before
        stream.write("to no reader")


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_their_numbers_are_those_of_dev_null_for_programs_too(closed: tuple[int, ...]) -> None:
    links = "import os; os.write(9, repr([os.readlink(f'/proc/self/fd/{n}') for n in range(3)]).encode())"
    code = (
        "import subprocess, sys; from stend.cli._edge import open_closed_streams; open_closed_streams()\n"
        f"subprocess.run([sys.executable, '-c', {links!r}], pass_fds=[9])\n"
    )
    ends = " ".join(f"{number}>&-" for number in closed)
    words = f"exec 9>&1 </dev/zero 1>/dev/zero 2>/dev/zero; exec '{sys.executable}' -c \"$1\" {ends}"
    done = subprocess.run(["sh", "-c", words, "sh", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == repr([os.devnull if number in closed else "/dev/zero" for number in range(3)])
