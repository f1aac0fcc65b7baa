"""Small places that no other quick test watched, found by changing them (`python -m benchmarks.mutations`)."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend import store
from stend.engines import _fio_json as fio
from stend.gate import locks
from stend.host.memory import Module, advice
from stend.meters._series import SLACK_S, Series
from stend.model.counts import Counts
from stend.model.definition import Hold, Seconds
from stend.model.tally import Tally
from stend.model.workload import Workload
from stend.session.together import arrange
from stend.store import verify


def module(cpu: str, channel: str, slot: int, runs_mt_s: int = 2400) -> Module:
    return Module(f"{cpu}_{channel}{slot}", cpu, channel, 32 << 30, "DDR4", 3200, runs_mt_s, 2)


def test_the_fullest_channel_of_any_processor_explains_slow_modules() -> None:
    places = [module("0", "A", 1), module("0", "A", 2), module("0", "B", 1), module("0", "B", 2)]
    places += [module("1", channel, 1) for channel in "AB"]
    assert "Modules for 3200 MT/s run at 2400 with 2 in a channel" in list(advice(places))
    alone = [module(cpu, channel, 1) for cpu in "01" for channel in "AB"]
    assert "Modules for 3200 MT/s run at 2400, look at the board's settings" in list(advice(alone))


@pytest.mark.parametrize(
    ("target", "slug"), [("/dev/nvme0n1", "nvme0n1"), ("sim:a?b=c&d=2", "sim-a-b-c-d-2"), ("/x/..y--z..", "y-z")]
)
def test_the_folder_of_a_member_is_its_target_in_letters_and_digits(target: str, slug: str) -> None:
    asked: Any = SimpleNamespace(request=SimpleNamespace(target=target))
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(arrange, "Member", lambda name, *_: name)
        assert str(arrange._member(3, asked, (), {}, ())) == f"03-{slug}"


@pytest.mark.parametrize("unfinished", [0, 2])
def test_raw_files_of_steps_that_were_cut_off_are_counted(
    unfinished: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raw").mkdir()
    for number in range(unfinished):
        (tmp_path / "raw" / f"unfinished-{number}.zst").write_bytes(b"")
    load = Workload(random_pct=100, read_pct=100, block_bytes=4096, threads=1, depth=1)
    result = SimpleNamespace(
        seed=1,
        step=Hold(workload=load, amount=Seconds(seconds=1)),
        counts=Counts(1.0, 0.0, Tally(ios=10, bytes=40960), Tally()),
    )
    folder: Any = verify.Folder.__new__(verify.Folder)
    folder.folder = tmp_path
    folder.run = SimpleNamespace(plan=SimpleNamespace(sent_by_stend=()), results=[result])
    monkeypatch.setattr(verify, "_documents", lambda path: [10])
    monkeypatch.setattr(store, "raw_name", lambda result: "raw")
    monkeypatch.setattr(fio, "total", lambda total, way: Tally(ios=total * (way == "read"), bytes=4096 * total))
    check = folder.raw()
    assert check.sound
    assert ("cut off" in check.words) is bool(unfinished)
    assert (f"; {unfinished} of steps" in check.words) is bool(unfinished)


@pytest.mark.parametrize(("periods", "gap"), [(1.4, False), (1.6, True), (2.4, True)])
def test_a_value_of_a_meter_is_late_after_one_and_a_half_periods(periods: float, *, gap: bool) -> None:
    series = Series(10.0)
    series.add(0.0, 5.0)
    series.add(10.0 * periods + SLACK_S / 2, 5.0)
    assert any(note.key == "meter_gap" for note in series.notes) is gap


def test_a_line_of_proc_locks_is_read_if_it_has_the_place_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/locks").write_text(
        "1: POSIX  ADVISORY  WRITE 11 08:01:77\n"
        "2: FLOCK  ADVISORY  WRITE 12 08:01:78 0 EOF\n"
        "3: LEASE  ACTIVE    WRITE 13\n"
        "4: LEASE  ACTIVE    WRITE 14 08:01:77 0 EOF\n"
    )
    monkeypatch.setattr(locks, "_places", lambda *_: {"08:01:77"})
    kernel: Any = SimpleNamespace(at=lambda name: tmp_path / name)
    layer: Any = None
    found = [line[0] for line in locks._entries(kernel, layer)]
    assert found == ["1:", "4:"]
