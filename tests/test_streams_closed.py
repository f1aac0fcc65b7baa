"""A caller may close a standard stream: no file or drive gets its number, and no message goes there."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from stend.cli._edge import Lasting, print_nowhere
from tests.waits import PATIENCE_S


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


UNREAD = """
import sys
from stend.cli import _edge
lasting = _edge.Lasting(open(int(sys.argv[1]), "w", encoding="utf-8", closefd=False), [])
for number in range(1500):
    lasting.write(f"{number}\\t" + "яx" * (number % 80) + "\\n")
print(bool(lasting.kept), flush=True)
_edge._finish([lasting])
"""


@pytest.mark.needs("terminals")
def test_no_write_waits_for_a_terminal_that_is_not_read_and_all_of_it_is_there_later() -> None:
    """As behind a connection that froze: the kernel has room for a part of the text, and the terminal goes on."""
    terminal, slave = pty.openpty()
    order = [sys.executable, "-c", UNREAD, str(slave)]
    with subprocess.Popen(order, stdout=subprocess.PIPE, text=True, pass_fds=[slave]) as process:
        os.close(slave)
        assert process.stdout
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE_S)
        text = b""
        with suppress(OSError):  # the end of a terminal that no process has open
            while data := os.read(terminal, 1 << 16):
                text += data
        assert ready
        assert process.stdout.read() == "True\n"
    os.close(terminal)
    assert text.decode().splitlines() == [f"{number}\t" + "яx" * (number % 80) for number in range(1500)]


def test_lines_of_several_threads_are_whole(tmp_path: Path) -> None:
    lines, often = [f"{number}" + "x" * (number % 3000) + "\n" for number in range(500)], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with (tmp_path / "text").open("w") as stream, ThreadPoolExecutor(4) as pool:
        lasting = Lasting(stream, [])
        assert sum(pool.map(lasting.write, 4 * lines)) == 4 * sum(map(len, lines))
    sys.setswitchinterval(often)
    assert Counter((tmp_path / "text").read_text().splitlines(keepends=True)) == Counter(4 * lines)


def test_text_of_two_streams_on_one_pipe_keeps_its_order_once_it_is_read_again() -> None:
    read, write = os.pipe()
    room = fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 65536)
    os.write(write, b"-" * room)
    with os.fdopen(read) as reader, os.fdopen(os.dup(write), "w") as first, os.fdopen(write, "w") as second:
        streams = list[Lasting]()
        output, error = Lasting(first, streams), Lasting(second, streams)
        output.write("1\n")
        error.write("2\n")
        output.write("3\n")
        assert len(output.kept) == 2
        assert reader.read(room) == "-" * room
        error.write("4\n")
        assert [reader.readline() for _ in range(4)] == ["1\n", "2\n", "3\n", "4\n"]


ENDED = """
import os, sys
from stend.cli import _edge
from stend.session.stopping import Signals
Signals().running = True
write = _edge._write_kept
with _edge.edged():
    _edge.go_on()
    print("-" * 100_000)
    _edge._write_kept = lambda *words: (os.write(2, b"over"), write(*words))
sys.exit(7)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_over_and_waits_for_its_reader_ends_by_a_signal(number: signal.Signals) -> None:
    order = [sys.executable, "-c", ENDED]
    with subprocess.Popen(order, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr
        assert process.stderr.read(4) == b"over"
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 7
