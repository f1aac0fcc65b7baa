"""Quotas of processors and limits of drives that control groups set, of both versions (admin-guide/cgroup-v*)."""

from pathlib import Path

import pytest

from stend.base.control_groups import Limit, processors, rates
from stend.base.sysfs import Kernel


def host(root: Path, groups: str, files: dict[str, str]) -> Kernel:
    """A host with a process in these groups, and with these files below /sys/fs/cgroup."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        path = root / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return Kernel(root)


@pytest.mark.parametrize(
    ("groups", "files", "quotas"),
    [
        (
            "0::/a/b\n",
            {"a/b/cpu.max": "150000 100000", "a/cpu.max": "max 100000", "cpu.max": "50000 100000"},
            [1.5, 0.5],
        ),
        ("0::/a\n", {"a/cpu.max": "max 100000"}, []),
        ("0::/a\n", {"a/cpu.max": "100000"}, []),
        ("0::/a\n", {"a/cpu.max": "1 2 3"}, []),
        ("0::/a\n", {"b/cpu.max": "100000 100000"}, []),
        (
            "4:cpu,cpuacct:/d/7\n3:memory:/d/7\n",
            {"cpu,cpuacct/d/7/cpu.cfs_quota_us": "250000", "cpu,cpuacct/d/7/cpu.cfs_period_us": "100000"},
            [2.5],  # one folder of both controllers
        ),
        (
            "4:cpu:/d/7\n1:name=systemd:/x\n",
            {"cpu/d/7/cpu.cfs_quota_us": "250000", "cpu/d/7/cpu.cfs_period_us": "100000", "x/cpu.max": "1 2"},
            [2.5],
        ),
        ("4:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, []),
        ("5:cpuset:/a\n", {"cpuset/a/cpu.max": "1 2", "cpu/a/cpu.max": "1 2", "a/cpu.max": "1 2"}, []),
    ],
)
def test_a_quota_is_its_share_of_a_period(
    groups: str, files: dict[str, str], quotas: list[float], tmp_path: Path
) -> None:
    kernel = host(tmp_path, groups, files)
    assert sorted({*processors(kernel)}, reverse=True) == quotas


def test_limits_of_drives_are_those_of_the_group_and_of_those_above_it(tmp_path: Path) -> None:
    files = {
        "a/b/io.max": "8:16 rbps=2097152 wbps=max riops=max wiops=120\n259:0 rbps=max wbps=5 riops=7 wiops=max odd=9",
        "a/io.max": "8:0 wbps=1",
        "c/io.max": "8:0 wbps=2",
    }
    assert [*rates(host(tmp_path, "0::/a/b\n", files))] == [
        Limit("/a/b", "8:16", "rbps", 2097152),
        Limit("/a/b", "8:16", "wiops", 120),
        Limit("/a/b", "259:0", "wbps", 5),
        Limit("/a/b", "259:0", "riops", 7),
        Limit("/a", "8:0", "wbps", 1),
    ]


def test_limits_of_the_first_version_have_a_file_each(tmp_path: Path) -> None:
    names = ("read_bps", "write_bps", "read_iops", "write_iops")
    files = {f"blkio/d/blkio.throttle.{name}_device": f"8:{n} {100 + n}\n9:{n} 7" for n, name in enumerate(names)}
    found = [*rates(host(tmp_path, "2:blkio:/d\n3:cpu:/other\n", files))]
    kinds = ("rbps", "wbps", "riops", "wiops")
    each = [[Limit("/d", f"8:{n}", kind, 100 + n), Limit("/d", f"9:{n}", kind, 7)] for n, kind in enumerate(kinds)]
    assert found == [limit for pair in each for limit in pair]
