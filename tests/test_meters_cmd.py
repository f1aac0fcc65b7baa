"""A program that prints its values is a meter: started and ended with the run, and believed only where it can be."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stend import meters
from stend.base.errors import BadInput, Missing
from stend.base.process import ticks
from stend.meters import cmd
from stend.meters._lines import Stated, stated
from stend.meters._series import Series
from tests.waits import wait_for

PROGRAM = """\
import sys, time
begun = time.monotonic()
def say(value):
    print(value, flush=True)
"""


def program(folder: Path, text: str) -> str:
    """The specification of a meter that this program plays."""
    path = folder / "usb meter.py"
    path.write_text(PROGRAM + text)
    return f"cmd:{sys.executable} '{path}'"


EVERY = "for n in range(10000):\n    say(3.5)\n    time.sleep(0.05)\n"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("3.25", Stated(3.25, False)),
        (" 3250 mW ", Stated(3.25, False)),
        ("4.1e-3", Stated(0.0041, False)),
        ("12W", Stated(12.0, False)),
        ("900 uW", Stated(0.0009, False)),
        ("900 \N{GREEK SMALL LETTER MU}W", Stated(0.0009, False)),
        ("0.02 Wh", Stated(72.0, True)),
        ("5 J", Stated(5.0, True)),
        ("3,25", None),
        ("3.25 V", None),
        ("power 3.25", None),
        ("", None),
        ("1" * 2000, None),
    ],
)
def test_a_line_is_a_number_with_a_unit_of_power_or_energy(line: str, value: Stated | None) -> None:
    read = stated(line)
    assert read == value or (read and value and read.value == pytest.approx(value.value))
    assert (read and read.energy) == (value and value.energy)


def test_its_values_come_with_their_period_and_it_ends_with_the_run(tmp_path: Path) -> None:
    meter = meters.opened(program(tmp_path, EVERY), None)
    assert isinstance(meter, cmd.Command)
    try:
        assert meter.facts.period_s > 0.03
        assert (meter.facts.scope, meter.facts.error_pct, meter.facts.window_s) == ("drive", None, 0.0)
        values = wait_for(meter.read)
        assert {(round(value.mean, 9), value.most) for value in values} == {(3.5, 3.5)}
        assert all(value.end <= time.monotonic() for value in values)
        assert os.getpgid(meter.child.pid) == meter.child.pid
    finally:
        meter.close()
    assert meter.child.returncode is not None
    meter.close()
    assert not meter.thread.is_alive()


def test_the_processes_that_it_started_end_too(tmp_path: Path) -> None:
    child = "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n"
    note = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
    stubborn = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    meter = meters.opened(program(tmp_path, stubborn + child + note + EVERY), None)
    meter.close()
    pid = int((tmp_path / "pid").read_text())
    wait_for(lambda: not ticks(pid))


def death(meter: meters.Meter) -> str:
    """The one note on its end, once it is there."""
    told = list[str]()

    def ended() -> bool:
        told.extend(meter.words())
        return any("ended" in word for word in told)

    wait_for(ended)
    meter.close()
    told += meter.words()
    (only,) = (word for word in told if "gave no value" not in word)  # a busy host has gaps
    return only


def test_its_death_is_told_once_with_its_last_words(tmp_path: Path) -> None:
    dying = "for n in range(40):\n    say(2)\n    time.sleep(0.04)\nsys.exit('the cable was pulled')\n"
    meter = meters.opened(program(tmp_path, dying), None)
    assert "exit code 1, the cable was pulled; no values follow" in death(meter)
    assert meter.read()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sys.exit('no such meter')\n", "ended at once: exit code 1, no such meter"),
        ("say(1)\n", "ended at once: exit code 0"),
    ],
)
def test_a_program_without_values_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        meters.opened(program(tmp_path, text), None)


def test_a_program_that_prints_something_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cmd, "FIRST_S", 2.0)
    with pytest.raises(BadInput, match=r"fewer than two values in 2 s; it printed '5 V', which is not a value"):
        meters.opened(program(tmp_path, "say('5 V')\ntime.sleep(100)\n"), None)


def test_a_program_that_is_not_there_or_no_command_is_refused() -> None:
    with pytest.raises(Missing, match="the command no-such-meter of the meter is not installed"):
        meters.opened("cmd:no-such-meter --fast", None)
    with pytest.raises(BadInput, match="cannot be split into words: No closing quotation"):
        meters.opened("cmd:meter 'a", None)


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    spec = program(tmp_path, "assert sys.argv[1:] == [';', 'touch', '$HOME']\n" + EVERY)
    meters.opened(f"{spec} ; touch '$HOME'", None).close()


def test_lines_that_are_held_back_are_told() -> None:
    output = cmd.Output()
    output.series = Series(0.1)
    for burst in range(1, 4):
        output.take(100.0 + burst * 4.0, b"2.5\n" * 40)
    assert next(w for w in output.series.words() if "at once" in w).startswith(
        "the meter's command printed the values of 4.0 s at once"
    )
    values = output.series.take()
    assert sum(value.seconds for value in values) == pytest.approx(12.0)
    assert all(value.mean == 2.5 for value in values)


def test_a_line_may_arrive_in_pieces() -> None:
    output = cmd.Output()
    output.series = Series(0.5)
    output.take(10.0, b"1.0\n2.")
    output.take(10.5, b"5\n")
    assert [value.mean for value in output.series.take()] == [1.0, 2.5]


def test_one_that_says_no_more_is_waited_for_before_its_exit_code_is_stated(tmp_path: Path) -> None:
    slow = "import os\nfor n in range(40):\n    say(2)\n    time.sleep(0.04)\n"
    slow += "os.close(1)\nos.close(2)\ntime.sleep(0.4)\nos._exit(3)\n"
    assert "exit code 3" in death(meters.opened(program(tmp_path, slow), None))


def test_it_dies_with_a_process_of_stend_that_is_killed(tmp_path: Path) -> None:
    spec = program(tmp_path, EVERY)
    script = f"from stend import meters\nimport time\nm = meters.opened({spec!r}, None)\n"
    script += "print(m.child.pid, flush=True)\ntime.sleep(1000)\n"
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert owner.stdout
    pid = int(owner.stdout.readline())
    owner.kill()
    owner.wait()
    owner.stdout.close()
    wait_for(lambda: not ticks(pid))
