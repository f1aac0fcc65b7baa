"""`stend report --format tuning`: each setting is a figure of a lasting state, or is left out with a reason."""

import re
from pathlib import Path

import pytest

from stend import store
from stend.cli import main
from stend.findings.look.figures import lasting
from stend.model.record import Run

COST = re.compile(r"MAJ:MIN ctrl=user model=linear((?: (?:rbps|rseqiops|rrandiops|wbps|wseqiops|wrandiops)=\d+)*)")
"""A line of the kernel's cgroup-v2.rst."""


def made(folder: Path, *words: str) -> tuple[Run, str]:
    assert main(["run", *words, "--quick", "--seed", "3", "--into", str(folder)]) in (0, 6)
    assert main(["report", str(folder), "--format", "tuning"]) == 0
    return store.load(folder), (folder / "tuning.txt").read_text()


def rate(run: Run, phase: str, load: str, quantity: str) -> int:
    """The figure of one load of the run."""
    (row,) = [r for r in lasting(run) if r.phase == phase and r.workload.label.startswith(load)]
    return round(row.number(quantity))


def test_every_setting_is_the_figure_of_the_load_that_it_names(tmp_path: Path) -> None:
    run, text = made(tmp_path / "run", "throughput", "write-saturation", "--target", "sim:small")
    line = COST.search(text)
    assert line
    costs = dict(pair.split("=") for pair in line[1].split())
    assert int(costs["wrandiops"]) == rate(run, "saturate", "RND 4K 0/100", "iops")
    reads = [r.number("throughput") for r in lasting(run) if r.workload.label.startswith("SEQ") and r.workload.read_pct]
    assert int(costs["rbps"]) == round(max(reads))
    assert "write-saturation, saturate, random writes 4K" in text
    assert f"osd_mclock_max_capacity_iops_ssd {costs['wrandiops']}\n" in text
    assert "Virtual drive" in text
    assert "rrandiops: not measured in a lasting state (random reads of 4 KiB)" in text
    assert "rrandiops=" not in text
    assert "disks:" not in text  # Seastar needs all four, and random reads were not measured


def test_all_four_values_of_seastar_are_written_together(tmp_path: Path) -> None:
    _, text = made(tmp_path / "run", "iops", "throughput", "--target", "sim:small")
    disks = text[text.index("disks:") :].split("\n\n")[0]
    values = dict(re.findall(r"^    (\w+): (\d+)$", disks, re.MULTILINE))
    assert list(values) == ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"]
    assert all(int(value) > 0 for value in values.values())


@pytest.mark.parametrize("test", ["slc-cache", "fresh"])
def test_a_purged_drive_gives_no_setting_of_writes(tmp_path: Path, test: str) -> None:
    _, text = made(tmp_path / "run", test, "--target", "sim:small")
    assert "wbps: not measured in a lasting state" in text
    assert "ceph config set" not in text


def test_a_disk_gets_the_setting_for_disks(tmp_path: Path) -> None:
    _, text = made(tmp_path / "run", "write-saturation", "--target", "sim:sas15k")
    assert "osd_mclock_max_capacity_iops_hdd" in text
    assert "iops_ssd" not in text
