"""Every drive of the machine is listed, with what it is or why it can't be tested."""

from tests.lab import bench


def test_every_drive_is_listed_with_its_serial_or_its_reason() -> None:
    told = bench.stend("devices")
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    for serial in ("LABPAIR", "LABONE", "LABGONE", "LABRAID0", "LABSATA", "LABSCSI"):
        mine = [line for line in lines if serial in line]
        assert mine, told.stdout
        assert all("can be tested" in line for line in mine), told.stdout
    runs = next(line for line in lines if "LABRUNS" in line)
    assert "is mounted at /mnt" in runs


def test_a_drive_is_not_written_unless_it_is_named() -> None:
    path = bench.node("LABONE")
    bench.fill(path)
    refused = bench.stend("run", "iops", "--quick", "--target", path, "--into", "/tmp/no")
    assert refused.returncode == 3
    assert "LABONE" in refused.stderr
    assert bench.holds_mark(path)
