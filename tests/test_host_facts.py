"""Facts about this host: those of its files, the exact load of fio, and advice that follows from a measurement."""

import os
from pathlib import Path
from typing import Any

import pytest

from stend import host
from stend.host import ceiling, measured, memory, processors, stream, who
from tests.test_host import dmidecode

FIO = """#!/bin/sh
echo "$*" >> {log}
echo '{{"jobs": [{{"read": {{"iops": 5, "bw_bytes": 1}}, "write": {{"iops": 9, "bw_bytes": 6500}}}}, {{}}]}}'
"""


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("number", "known"),
    [
        ("4c4c4544-0042-4a10-8034-b4c04f4b4d32", True),
        ("00000000-0000-0000-0000-000000000000", False),
        ("Not Settable", False),
        ("", False),
    ],
)
def test_a_number_that_no_maker_has_set_identifies_no_machine(number: str, known: bool, tmp_path: Path) -> None:
    (tmp_path / "uuid").write_text(f"{number}\n")
    assert who._number(tmp_path / "uuid") == number * known
    assert who._number(tmp_path / "absent") == ""


def test_this_machine_has_the_numbers_that_the_kernel_prints() -> None:
    assert who.here().boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip() != ""
    assert who.here().name == os.uname().nodename


@pytest.mark.parametrize(("reported", "processors_there"), [(None, 1), (1, 1), (64, 64)])
def test_a_host_has_a_processor_even_if_it_reports_none(
    reported: int | None, processors_there: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: reported)
    assert processors.describe()["cpus"] == host.describe()["cpus"] == processors_there
    assert ceiling._threads() == {"one": 1, "all": processors_there}


def test_a_host_without_numa_has_one_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "NODES", tmp_path)
    assert processors.describe()["nodes"] == 1


def test_a_host_is_described_by_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = tmp_path / "class/dmi/id"
    identity.mkdir(parents=True)
    (identity / "board_vendor").write_text("Supermicro\n")
    (identity / "board_name").write_text("X11DPi-N\n")
    monkeypatch.setattr(host, "SYS", tmp_path)
    facts = host.describe()
    printed = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    assert facts["memory_bytes"] == int(printed["MemTotal"].removesuffix("kB")) * 1024
    assert facts["board"] == "Supermicro X11DPi-N"
    (identity / "board_vendor").unlink()
    assert host.describe()["board"] == "X11DPi-N"
    assert (facts["kernel"], "adapters" in facts) == (os.uname().release, False)


@pytest.mark.parametrize(("usable", "shown"), [(3.5, 3.5), (4.0, None), (5.0, None)])
def test_usable_processors_are_a_fact_only_where_they_are_fewer_than_there_are(
    usable: float, shown: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(processors, "usable", lambda: usable)
    assert host.describe().get("usable_cpus") == shown
    advised = [*processors.advice(processors.describe())]
    assert any("may use" in sentence for sentence in advised) == (shown is not None)


def test_the_name_of_the_system_is_that_of_os_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "os-release"
    file.write_text('NAME="Debian GNU/Linux"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nBUG=a=b\n')
    monkeypatch.setattr(host, "Path", lambda path: file if path == "/etc/os-release" else Path(path))
    assert host._os_name() == "Debian GNU/Linux 12 (bookworm)"
    assert host._field(Path("/etc/os-release"), "NAME") == "", "its lines have no colon"


def test_fio_is_measured_with_one_load_whose_ios_reach_no_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "fio", FIO.format(log=tmp_path / "calls"))
    monkeypatch.setattr(ceiling, "clock", list)
    ceiling.measured(str(tmp_path / "fio"))
    ceiling.data(str(tmp_path / "fio"), 0.5)
    every = (tmp_path / "calls").read_text().splitlines()
    head = "--name=ceiling --ioengine=null --size=1g"
    tail = "--thread --group_reporting --time_based"
    end = "--output-format=json"
    reads, writes = "--rw=randread --bs=4k --iodepth=32", "--rw=write --bs=128k --refill_buffers --iodepth=32"
    assert every == [
        f"{head} {load} --numjobs={count} {tail} --runtime={seconds} {end}"
        for load, seconds in ((reads, "3"), (writes, "0.5"))
        for count in (1, os.cpu_count())
    ]


def test_what_fio_prints_before_its_answer_is_left_out_and_bytes_that_are_no_text_are_harmless(tmp_path: Path) -> None:
    program(tmp_path / "fio", "#!/bin/sh\nprintf 'note \\377\\n'\n" + FIO.format(log="/dev/null").partition("\n")[2])
    assert ceiling.measured(str(tmp_path / "fio"))["one"] == 5


BALANCED = dmidecode("server of 2009", (1, 1, 1))
PEAK = 3 * 1333 * 8 * 10**6
"""Bytes per second of three channels of 8 bytes at 1,333 million transfers a second."""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A host whose fio and dmidecode print what they are given, and whose memory has the bandwidth `triad`."""
    given: dict[str, Any] = {"triad": PEAK, "calls": tmp_path / "calls", "memory": tmp_path / "memory"}
    program(tmp_path / "fio", FIO.format(log=given["calls"]))
    program(tmp_path / "dmidecode", f'#!/bin/sh\n[ "$*" = "--type 17" ] && cat {given["memory"]}\nexit 3\n')
    given["memory"].write_text(BALANCED)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(stream, "measured", lambda cache, repeats: {"triad": given["triad"], "repeats": repeats})
    return given


@pytest.mark.parametrize(("quick", "seconds", "repeats"), [(True, "0.5", 2), (False, "3", 10)])
def test_a_quick_measurement_takes_less_time(fake: dict[str, Any], quick: bool, seconds: str, repeats: int) -> None:
    facts = measured.measure(quick=quick)
    assert [line.split("--runtime=")[1].split()[0] for line in fake["calls"].read_text().splitlines()] == [seconds] * 4
    assert facts["stream_bytes_per_s"]["repeats"] == repeats
    assert (facts["fio_iops"], facts["fio_bytes_per_s"]) == ({"one": 5, "all": 5}, {"one": 6500, "all": 6500})
    assert [module["size_bytes"] for module in facts["modules"]] == [8 << 30] * 3, "without the empty slots"


def test_a_triad_below_the_expected_share_of_the_peak_is_advice(fake: dict[str, Any]) -> None:
    low, high = memory.rules()["triad"]["balanced_share"]
    for share, told in ((low, False), (low - 1e-9, True), (high, False)):
        fake["triad"] = share * PEAK
        facts = measured.measure(quick=True)
        assert facts["memory"]["expected"] == [low, high]
        assert facts["memory"]["triad_share"] == pytest.approx(share, rel=1e-12)
        assert facts["memory"]["words"] == "1-1-1"
        sentence = f"Triad reaches {share:.0%} of the peak of 32 GB/s; {low:.0%} to {high:.0%} were to be expected"
        assert (sentence in facts["advice"]) == told


@pytest.mark.parametrize("printed", ["", "# dmidecode 3.4\n/dev/mem: Permission denied\n"])
def test_a_host_whose_memory_is_unknown_has_no_advice_about_it(fake: dict[str, Any], printed: str) -> None:
    fake["memory"].write_text(printed)
    facts = measured.measure(quick=True)
    assert (facts["modules"], "memory" in facts) == ([], False)
    assert facts["advice"] == [*processors.advice(facts["processors"])]


def test_a_host_without_dmidecode_knows_no_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert measured.dmidecode() == ""


@pytest.mark.parametrize("state", ["state", ""])
def test_the_last_measurement_is_kept_in_the_state_of_the_user(
    state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", state and str(tmp_path / state))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert measured.place() == tmp_path / (state or ".local/state") / "stend/host.json"
    for facts in ({"a": 1}, {"a": 2}):
        assert measured.keep(facts).read_text().count("\n") == 3, "one fact a line"
        assert measured.kept() == facts


def test_a_machine_is_another_one_with_other_processors_or_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"/etc/machine-id": "7", "/proc/cpuinfo": "a\ncpu MHz : 1\nb", "/proc/meminfo": "MemTotal: 1\nMemFree: 1"}
    monkeypatch.setattr(measured, "text", lambda path: texts[str(path)])
    known = measured._machine()
    for path, text, same in (
        ("/proc/cpuinfo", "a\ncpu MHz : 2\nb", True),  # a clock that changes
        ("/proc/meminfo", "MemTotal: 1\nMemFree: 2", True),
        ("/etc/machine-id", "8", False),
        ("/proc/cpuinfo", "b\ncpu MHz : 1\nb", False),
        ("/proc/meminfo", "MemTotal: 2\nMemFree: 1", False),
    ):
        before, texts[path] = texts[path], text
        assert (measured._machine() == known) == same
        texts[path] = before
    assert len(known) == 2 * 8
