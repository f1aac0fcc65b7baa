"""What drives of one host share, and who may be measured beside whom by what a trial saw."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from stend import devices
from stend.devices.telling.shared import shared
from stend.model.events import Note, Started
from stend.model.record import Run
from stend.planning import plan
from stend.session import Request
from stend.session.together import arrange
from stend.session.together.trial import Moved, Trial
from stend.words import Language, text
from tests.stand import Host, Stand, number_of

LINK = {"current_link_speed": "16.0 GT/s PCIe", "current_link_width": "4"}


@pytest.mark.block
def test_what_two_drives_behind_one_switch_share_is_told_with_its_price(tmp_path: Path) -> None:
    host = Host(tmp_path / "host")
    port = "pci0000:00/0000:00:01.0"
    with ExitStack() as end:
        stand, found = Stand(tmp_path, end), []
        for number, name in enumerate(("nvme0n1", "nvme1n1", "nvme2n1")):
            real = stand.loop(stand.file(f"{name}.bin"))
            own = (
                f"{port}/0000:02:0{number}.0/0000:0{number + 3}:00.0"
                if number < 2
                else "pci0000:00/0000:00:02.0/0000:09:00.0"
            )
            host.disk(name, number_of(real), parent=f"{own}/nvme", device__serial=f"SN{number}")
            for file, told in LINK.items():
                host.write(f"sys/devices/{own}/{file}", told)
            found.append(devices.find(real).identity)
        for file, told in (LINK | {"local_cpulist": "0-7", "numa_node": "1"}).items():
            host.write(f"sys/devices/{port}/{file}", told)
        (only,) = shared(found, host.kernel)
    assert (only.part.kind, only.part.name, only.targets) == (
        "PCIe root port",
        "0000:00:01.0",
        (found[0].target, found[1].target),
    )
    assert only.share == 0.5
    said = arrange.shared_path(only)
    assert said.endswith(
        "share the PCIe root port 0000:00:01.0 (7.9 GB/s): each has at most 50% of its link when all are busy"
    )


def test_files_on_one_disk_share_it(tmp_path: Path) -> None:
    host, there = Host(tmp_path / "host"), os.stat(tmp_path)
    host.disk("vdz", f"{os.major(there.st_dev)}:{os.minor(there.st_dev)}")
    files = [tmp_path / "a.bin", tmp_path / "b.bin"]
    for file in files:
        file.write_bytes(bytes(1 << 20))
    found = shared([devices.find(str(file)).identity for file in files], host.kernel)
    assert [(one.part.kind, one.part.name) for one in found] == [("disk", "vdz")]


def trial_of(rates: dict[str, float], failed: dict[str, str] | None = None, tail: float = 1.0) -> Trial:
    moved = tuple(Moved(target, "SEQ 128K", (rate, rate, rate), (tail,)) for target, rate in rates.items())
    return Trial(1.0, moved, {}, failed or {})


@pytest.mark.parametrize(
    ("told", "lanes"),
    [
        ([trial_of({"a": 0.99, "b": 1.0, "c": 0.98})], [None, None, None]),
        ([trial_of({"a": 0.5, "b": 0.5, "c": 1.0}), trial_of({"a": 1.0, "c": 1.0})], [1, 1, 2]),
        ([trial_of({"a": 0.5, "b": 0.5, "c": 1.0}), trial_of({"a": 0.97, "c": 1.0})], [1, 1, 1]),
        ([trial_of({"a": 1.0, "b": 1.0, "c": 1.0}, tail=1.06), trial_of({"a": 0.97, "c": 1.0})], [1, 1, 1]),
        ([trial_of({"a": 1.0, "b": 1.0}, {"c": "hangs"}), trial_of({"a": 1.0, "c": 1.0})], [1, 1, 2]),
    ],
)
def test_at_most_as_many_run_at_once_as_the_trial_carried(told: list[Trial], lanes: list[int | None]) -> None:
    shares, asked, answers = {"a": "port", "b": "port", "c": "own"}, [], iter(told)

    def measured(some: object) -> Trial:
        asked.append(some)
        return next(answers)

    found, _ = arrange._tried([Request(["iops"], one) for one in "abc"], shares, measured)
    words = [found.get(one) for one in "abc"]
    alike = {word: number for number, word in enumerate(dict.fromkeys(word for word in words if word), 1)}
    assert [alike.get(word) if word else None for word in words] == lanes
    assert len(asked) == len(told)


def test_figures_that_others_moved_are_stamped_in_both_languages() -> None:
    text = arrange._disturbance([Moved("a", "SEQ 128K 0/100 T1 Q32", (0.9, 0.95, 0.97), (1.2,))], 5.0, alone=False)
    pairs = "-10.0 to -3.0 in 3 pairs of 5 s"
    assert text == f"beside the other drives SEQ 128K 0/100 T1 Q32 moved by -5.0% ({pairs}), p99.9 by +20.0%"
    told = Language("ru").translated
    assert told(text).startswith("рядом с другими накопителями SEQ 128K 0/100 T1 Q32: -5.0 %")
    assert (
        told("other drives moved its figures by more than 2 %, see the notes")
        != "other drives moved its figures by more than 2 %, see the notes"
    )


def test_a_run_that_others_disturbed_says_so_on_every_page() -> None:
    names, profile, _ = plan.gather(["iops"], None, {}, quick=True)
    drawn = plan.draw(names, profile, devices.find("sim:small").identity)
    run = Run([Started(at=0, version="", plan=drawn, seed=1), Note(t=0, text=text("beside"), kind="beside")])
    stamp = "other drives moved its figures by more than 2%, see the notes"
    assert stamp not in run.stamps
    run.add(Note(t=0, text=text("moved"), kind="interference"))
    assert stamp in run.stamps
    assert stamp in run.warnings(), "on charts too"
