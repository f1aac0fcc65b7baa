"""Arrays over the machine's NVMe drives."""

from collections.abc import Iterator

import pytest

from stend import devices, store
from tests.lab import bench

pytestmark = pytest.mark.long
NODE, FOUR = "/dev/md10", ("LABRAID0", "LABRAID1", "LABRAID2", "LABRAID3")


@pytest.fixture
def raid10() -> Iterator[str]:
    """A RAID 10 of four drives, at rest."""
    bench.tool("modprobe", "raid10")
    members = [bench.node(serial) for serial in FOUR]
    words = ("--run", "--assume-clean", "--level=10", "--raid-devices=4", "--metadata=1.2")
    bench.tool("mdadm", "--create", NODE, *words, *members)
    yield NODE
    bench.tool("mdadm", "--stop", NODE)
    bench.tool("mdadm", "--zero-superblock", *members)


def test_iops_on_raid_10_of_four(raid10: str) -> None:
    folder = bench.RUNS / "iops-raid10"
    identity = devices.find(raid10).identity
    assert identity.kind == "md"
    assert {member["serial"] for member in identity.facts["members"]} == set(FOUR)
    refused = bench.here("run", "iops", "--quick", "--target", raid10, "--into", str(folder))
    named = refused.stderr.split("--destroy-data ")[-1].split()[0]
    small = ("--round-seconds", "0.2", "--active-range", "25")
    asked = ("run", "iops", *bench.SHORT, *small, "--target", raid10, "--destroy-data", named)
    done = bench.stend(*asked, "--into", str(folder))
    assert done.returncode == 0, done.stderr
    run = store.load(folder)
    assert len(run.of("iops", "rounds")) == 56
    assert all(result.counts.both.ios for result in run.of("iops", "rounds"))
