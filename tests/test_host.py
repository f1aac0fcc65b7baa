"""The test stand measured: memory by its channels, STREAM, fio's own ceiling; kept for reports of the same machine."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from stend import host
from stend.base.errors import StepFailed
from stend.base.units import GiB
from stend.cli import main as stend
from stend.host import ceiling, measured, memory, stream
from stend.model.events import Started
from stend.model.record import Run
from stend.report.parts.header import platform
from stend.words import Language
from tests.synthetic import events

BOARDS = {
    "server of 2009": ["P1-DIMM{c}{n}", "CPU 1", "ABC"],
    "server of 2020": ["CPU1_DIMM_{c}{n}", "NODE 0", "ABCDEFGH"],
    "blade": ["DIMM {n}", "P0 CHANNEL {c}", "ABCDEFGH"],
    "desktop": ["Controller0-Channel{c}-DIMM{n}", "BANK 0", "AB"],
    "plain": ["DIMM_{c}{n}", "", "ABCD"],
    "letters": ["{c}{n}", "", "ABCD"],
}


def dmidecode(board: str, counts: tuple[int, ...], **more: Any) -> str:
    """Modules by channel on a board, three places in each channel."""
    place, bank, channels = BOARDS[board]
    told = {"size": "8 GB", "kind": "DDR3", "rated": 1333, "runs": 1333, "rank": 2} | more
    blocks = ["# dmidecode 3.4\nGetting SMBIOS data from sysfs.\nSMBIOS 3.3.0 present."]
    for channel, count in zip(channels, counts, strict=True):
        for number in range(1, 4):
            lines = [f"Handle 0x00{len(blocks)}, DMI type 17, 92 bytes", "Memory Device"]
            lines += [f"\tSize: {told['size'] if number <= count else 'No Module Installed'}"]
            lines += [f"\tLocator: {place.format(c=channel, n=number)}", f"\tBank Locator: {bank.format(c=channel)}"]
            if number <= count:
                lines += [f"\tType: {told['kind']}", f"\tSpeed: {told['rated']} MT/s", f"\tRank: {told['rank']}"]
                lines += [f"\tConfigured Memory Speed: {told['runs']} MT/s"]
            blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


@pytest.mark.parametrize(("unit", "bytes_each"), [("MB", 2**20), ("GB", 2**30), ("TB", 2**40)])
@pytest.mark.parametrize("number", [1, 48, 512])
def test_a_module_has_the_size_that_the_firmware_prints(unit: str, bytes_each: int, number: int) -> None:
    [first, *empty] = memory.modules(dmidecode("plain", (1, 0, 0, 0), size=f"{number} {unit}"))
    assert first.size_bytes == number * bytes_each
    assert {slot.size_bytes for slot in empty} == {0}


@pytest.mark.parametrize("word", ["Unknown", "", "None"])
def test_what_the_firmware_does_not_know_is_nought(word: str) -> None:
    printed = dmidecode("plain", (1, 0, 0, 0), rank=word, rated=word, runs=word)
    assert {slot[-3:] for slot in memory.modules(printed)} == {(0, 0, 0)}


@pytest.mark.parametrize("board", BOARDS)
def test_channels_are_found_whatever_a_board_calls_them(board: str) -> None:
    channels = len(BOARDS[board][2])
    places = memory.modules(dmidecode(board, (1,) * channels))
    found = memory.population(places)
    assert found
    assert found.words == "-".join("1" * channels)
    assert found.balanced
    assert found.peak_bytes_per_s == channels * 1333 * 8 * 10**6
    assert len(places) == 3 * channels
    assert sum(p.size_bytes for p in places) == channels * 8 * GiB
    assert [*memory.advice(places)] == []


@pytest.mark.parametrize(
    ("counts", "better"),
    [
        ((2, 1, 1), "use a multiple of 3 modules"),
        ((2, 2, 0), "use a multiple of 3 modules"),
        ((2, 1, 0), "arrange them 1-1-1"),
        ((3, 3, 0), "arrange them 2-2-2"),
    ],
)
def test_modules_out_of_balance_are_told_with_the_better_way(counts: tuple[int, ...], better: str) -> None:
    places = memory.modules(dmidecode("server of 2009", counts))
    found = memory.population(places)
    assert found
    assert not found.balanced
    told = " ".join(memory.advice(places))
    assert better in told
    assert "17 to 27 % slower" in told
    assert memory.expected(found)[1] < memory.rules()["triad"]["balanced_share"][1]


def test_modules_that_run_below_their_speed_or_have_too_many_ranks_are_told() -> None:
    slow = " ".join(memory.advice(memory.modules(dmidecode("server of 2009", (2, 2, 2), runs=1066))))
    assert "Modules for 1333 MT/s run at 1066 with 2 in a channel" in slow
    many = " ".join(memory.advice(memory.modules(dmidecode("server of 2009", (3, 3, 3), rank=4))))
    assert "12 ranks, more than the 8 of DDR3" in many


def test_names_that_tell_no_channel_are_said_to_tell_none() -> None:
    text = dmidecode("plain", (1, 1, 1, 1)).replace("DIMM_", "Slot ")
    assert memory.population(memory.modules(text)) is None
    assert "do not show the channels" in " ".join(memory.advice(memory.modules(text)))


@pytest.mark.parametrize(
    ("mt_s", "triad_mb_s"), [(1333, 36588), (1066, 33723), (1066, 33203), (800, 27748), (800, 27208)]
)
def test_the_expected_share_is_that_of_the_published_study(mt_s: int, triad_mb_s: float) -> None:
    low, high = memory.rules()["triad"]["balanced_share"]
    share = triad_mb_s * 1e6 / (2 * 3 * mt_s * 8e6)
    assert low - 0.005 <= share <= high + 0.005


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured is no matter here: fio runs for a moment, and a cache may hold STREAM's arrays."""
    real = ceiling._run
    monkeypatch.setattr(ceiling, "_run", lambda fio, threads, seconds, *load: real(fio, threads, 0.1, *load))
    monkeypatch.setattr(stream, "LEAST", 1 << 20)
    monkeypatch.setattr(stream, "CACHE_TIMES", 0)


@pytest.mark.slow
@pytest.mark.usefixtures("soon")
def test_stream_computes_what_it_should() -> None:
    told = stream.measured(1024, repeats=1)
    assert set(told) == {"copy", "scale", "add", "triad"}
    assert all(10**8 < value < 10**13 for value in told.values())


@pytest.mark.parametrize("cache_bytes", [8, 1000, 4096, 100_000])
def test_arrays_of_stream_are_four_times_the_caches_and_never_small(
    cache_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = list[int]()

    def spied(name: str) -> Any:
        kernel, arrays = real[name]

        def run(*given: Any) -> Any:
            sizes.extend(8 * len(one) for one in given if isinstance(one, np.ndarray))
            return kernel(*given)

        return run, arrays

    real = dict(stream.KERNELS)
    monkeypatch.setattr(stream, "LEAST", 2000)
    monkeypatch.setattr(stream, "KERNELS", {name: spied(name) for name in real})
    assert set(stream.measured(cache_bytes, 1)) == set(real)
    assert set(sizes) == {max(8 * 2000, 4 * cache_bytes)}


@pytest.mark.parametrize("wrong", [0, 1, 2, None])
def test_an_array_of_stream_that_is_off_by_a_millionth_is_noticed(wrong: int | None) -> None:
    arrays = [np.full(1 << 13, value) for value in (15.0, 3.0, 4.0)]  # a + b after one turn of the four kernels
    if wrong is None:
        stream._check(1, *arrays)
        return
    arrays[wrong] *= 1 + 1e-6
    with pytest.raises(ValueError, match="computes wrongly"):
        stream._check(1, *arrays)


@pytest.mark.fio
def test_fio_tells_its_own_ceiling() -> None:
    told = ceiling.measured(seconds=0.1)
    assert min(told.values()) > 10_000
    assert min(ceiling.data(seconds=0.1).values()) > 10e6


def test_the_ceiling_of_data_is_that_of_writes_made_anew_as_every_load_makes_them(tmp_path: Path) -> None:
    fio = tmp_path / "fio"
    words = '{"jobs": [{"read": {"iops": 5, "bw_bytes": 0}, "write": {"iops": 9, "bw_bytes": 6500}}]}'
    fio.write_text(f"#!/bin/sh\necho $* >> {tmp_path}/asked\necho '{words}'\n")
    fio.chmod(0o755)
    assert ceiling.measured(str(fio)) == {"one": 5, "all": 5}
    one, every = (tmp_path / "asked").read_text().splitlines()
    assert ("--numjobs=1 " in one, f"--numjobs={os.cpu_count()} " in every) == (True, True)
    assert "refill_buffers" not in one + every
    assert ceiling.data(str(fio)) == {"one": 6500, "all": 6500}
    assert "--rw=write --bs=128k --refill_buffers" in (tmp_path / "asked").read_text()


def test_a_fio_that_fails_has_no_ceiling(tmp_path: Path) -> None:
    fio = tmp_path / "fio"
    fio.write_text("#!/bin/sh\necho 'fio: engine null not loadable'\nexit 1\n")
    fio.chmod(0o755)
    with pytest.raises(StepFailed, match="fio failed to measure its limit"):
        ceiling.measured(str(fio))


def test_a_measurement_is_kept_for_this_machine_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert measured.kept() == {}
    assert "measured" not in host.describe()
    file = measured.keep({"fio_iops": {"one": 1.0}})
    assert measured.kept() == host.describe()["measured"] == {"fio_iops": {"one": 1.0}}
    file.write_text(file.read_text().replace('"machine": "', '"machine": "0'))
    assert measured.kept() == {}
    file.write_text("{")
    assert measured.kept() == {}


@pytest.mark.fio
@pytest.mark.usefixtures("soon")
def test_the_command_tells_and_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(measured, "dmidecode", lambda: dmidecode("server of 2009", (2, 1, 1)))
    monkeypatch.setattr(measured, "measure", cache(measured.measure))  # the same is told in two ways
    assert stend(["host", "--quick"]) == 0
    told = capsys.readouterr().out
    assert "2-1-1 DDR3-1333, not balanced" in told
    assert "use a multiple of 3 modules" in told
    assert stend(["host", "--quick", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["memory"]["words"] == "2-1-1"


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_report_tells_how_near_the_run_came_to_the_hosts_ceiling(language: str) -> None:
    began, *rest = events(["write-saturation"], interval_s=60.0, shorten=60)
    assert isinstance(began, Started)
    device = msgspec.structs.replace(began.plan.device, virtual=False)
    plan = msgspec.structs.replace(began.plan, device=device)
    run, real = Run([began, *rest]), Run([msgspec.structs.replace(began, plan=plan), *rest])
    alone = {"fio_iops": {"one": 4e6, "all": 8e6}, "fio_bytes_per_s": {"one": 6.5e9, "all": 13e9}}
    told = {"measured": alone | {"stream_bytes_per_s": {"triad": 31.5e9}}}
    rows = dict(platform(told, real, Language(language)))
    assert "8" in rows["ceiling"]
    assert "%" in rows["ceiling"]
    most = max(r.counts.write.bytes / r.counts.seconds for r in real.results if r.counts.seconds)
    assert Language(language).show(most / 13e9, "pct") in rows["data_ceiling"]
    assert rows["stream"]
    assert "ceiling" not in dict(platform(told, run, Language(language)))


@pytest.mark.parametrize(
    ("speed", "width", "shown"),
    [
        ("8.0 GT/s PCIe", "4", "8.0 GT/s PCIe ×4"),
        ("Unknown", "0", ""),
        ("Unknown speed", "63", ""),
        ("2.5 GT/s", "0", ""),
    ],
)
def test_a_link_that_the_kernel_does_not_know_is_not_shown(speed: str, width: str, shown: str) -> None:
    began, *rest = events(["write-saturation"], interval_s=60.0, shorten=60)
    assert isinstance(began, Started)
    real = msgspec.structs.replace(began.plan.device, virtual=False)
    run = Run([msgspec.structs.replace(began, plan=msgspec.structs.replace(began.plan, device=real)), *rest])
    adapter = {"vendor": "0x1af4", "device": "0x1042", "current_link_speed": speed, "current_link_width": width}
    rows = dict(platform({"adapters": [adapter], "cpus": 64}, run, Language("en")))
    assert rows["link"] == shown
    assert rows["cpu"] == "× 64", "without its model"
    for language, words in (("en", "X × 64 (1.5 usable)"), ("ru", "X × 64 (доступно 1,5)")):
        assert dict(platform({"cpu": "X", "cpus": 64, "usable_cpus": 1.5}, run, Language(language)))["cpu"] == words


def test_an_adapter_without_a_numa_node_has_none_and_a_processor_without_a_name_its_architecture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, node in enumerate(("-1", "0")):
        pci = tmp_path / f"bus/pci/devices/0000:00:0{number}.0"
        pci.mkdir(parents=True)
        for name, text in (("class", "0x010802"), ("numa_node", node)):
            (pci / name).write_text(f"{text}\n")
    monkeypatch.setattr(host, "SYS", tmp_path)
    assert [adapter.get("numa_node") for adapter in host.adapters()] == [None, "0"]
    block = tmp_path / "class/block"
    block.mkdir(parents=True)
    (block / "nvme9n1").symlink_to(tmp_path / "bus/pci/devices/0000:00:01.0/nvme/nvme9/nvme9n1")
    (block / "md9").symlink_to(tmp_path / "devices/virtual/block/md9")
    addresses = [adapter["address"] for adapter in host.adapters()]
    assert [adapter["address"] for adapter in host.adapters("/dev/nvme9n1")] == ["0000:00:01.0"]
    for other in ("/dev/md9", "/tmp/file", ""):
        assert [adapter["address"] for adapter in host.adapters(other)] == addresses, "none or several of them"
    monkeypatch.setattr(host, "_field", lambda path, name: "")
    assert host.describe()["cpu"] == os.uname().machine


def test_channels_with_modules_of_different_sizes_are_told() -> None:
    """As many modules in each channel, of which one has another size: the channels hold different amounts."""
    printed = dmidecode("server of 2009", (1, 1, 1))
    told = " ".join(memory.advice(memory.modules(printed.replace("8 GB", "16 GB", 1))))
    assert "The channels hold different amounts" in told
    assert "different amounts" not in " ".join(memory.advice(memory.modules(printed)))
