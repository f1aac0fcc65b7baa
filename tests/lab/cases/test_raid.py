"""Arrays over the machine's NVMe drives."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stend import devices, store
from tests.lab import bench

pytestmark = pytest.mark.long
NODE, FOUR = "/dev/md10", ("LABRAID0", "LABRAID1", "LABRAID2", "LABRAID3")


@contextmanager
def array(level: str, members: tuple[str, ...]) -> Iterator[str]:
    """An array of drives, at rest."""
    bench.tool("modprobe", f"raid{level}" if level == "10" else "raid456")
    nodes = [bench.node(serial) for serial in members]
    words = ("--run", "--assume-clean", f"--level={level}", f"--raid-devices={len(nodes)}", "--metadata=1.2")
    bench.tool("mdadm", "--create", NODE, *words, *nodes)
    try:
        yield NODE
    finally:
        bench.tool("mdadm", "--stop", NODE)
        bench.tool("mdadm", "--zero-superblock", *nodes)


@pytest.mark.parametrize(("level", "members", "cells"), [("10", FOUR, 56), ("5", FOUR[:3], 6)])
def test_iops(level: str, members: tuple[str, ...], cells: int) -> None:
    folder = bench.RUNS / f"iops-raid{level}"
    with array(level, members) as path:
        identity = devices.find(path).identity
        assert (identity.kind, identity.facts["level"]) == ("md", f"raid{level}")
        assert {member["serial"] for member in identity.facts["members"]} == set(members)
        test = "iops" if cells == 56 else bench.study("iops", "mixes = [100, 65, 0]", "blocks_kib = [128, 4]")
        refused = bench.here("run", test, "--quick", "--target", path, "--into", str(folder))
        named = refused.stderr.split("--destroy-data ")[-1].split()[0]
        asked = ("run", test, *bench.SHORT, "--target", path, "--destroy-data", named, "--into", str(folder))
        done = bench.stend(*asked)
    assert done.returncode == 0, done.stderr
    run = store.load(folder)
    assert len(run.of("iops", "rounds")) == cells
    assert all(result.counts.both.ios for result in run.of("iops", "rounds"))
    assert all(look.values["temperature_c"] > 0 for look in run.telemetry)
    assert len(run.telemetry) >= 3
    assert [note.text for note in run.notes if note.kind == "mismatch"] == []
