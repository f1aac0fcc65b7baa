"""Advice about processors: each setting that lengthens short times is reported with the command that changes it."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from stend import host
from stend.base.sysfs import Kernel
from stend.host import processors

GOVERNORS = ("", "performance", "powersave", "schedutil")
STATES = {"POLL": 0, "C1": 2, "C1E": 10, "C3": processors.DEEP_US, "C6": 133, "C8": 890}


def told(governor: str, idle: dict[str, int]) -> list[str]:
    facts: dict[str, Any] = {"cpus": 8, "usable": 8.0, "nodes": 1, "governor": governor}
    return list(processors.advice(facts | {"idle": [{"name": n, "exit_us": us} for n, us in idle.items()]}))


def in_groups(root: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process be in other control groups, whose folders are below `root`."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(text)
    monkeypatch.setattr(host.processors, "HOST", Kernel(root))


@pytest.mark.parametrize(("governor", "depth"), list(product(GOVERNORS, range(len(STATES) + 1))))
def test_a_slow_clock_and_the_deepest_sleep_are_reported_and_nothing_else(governor: str, depth: int) -> None:
    allowed = dict(list(STATES.items())[:depth])
    words = f"The governor is {governor}: `cpupower frequency-set -g performance`"
    slow = [words] if governor in ("powersave", "schedutil") else []
    name, exit_us = list(allowed.items())[-1] if allowed else ("", 0)
    deep = [f"Idle state {name} takes {exit_us} µs to leave: `cpupower idle-set -D {processors.DEEP_US}`"]
    expected = slow + (deep if exit_us > processors.DEEP_US else [])
    for sentence, begin in zip(told(governor, allowed), expected, strict=True):
        assert sentence.startswith(begin)


def test_the_kernel_states_what_advice_is_given_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, (name, exit_us) in enumerate(STATES.items()):
        state = tmp_path / f"cpu0/cpuidle/state{number}"
        state.mkdir(parents=True)
        for file, text in (("name", name), ("latency", str(exit_us)), ("disable", "1" if name == "C8" else "0")):
            (state / file).write_text(f"{text}\n")
    (tmp_path / "cpu0/cpuidle/state0/latency").unlink()  # unknown is no time
    (tmp_path / "cpu0/cpufreq").mkdir()
    (tmp_path / "cpu0/cpufreq/scaling_governor").write_text("powersave\n")
    for node in ("node0", "node1", "online"):
        (tmp_path / "nodes" / node).mkdir(parents=True)
    monkeypatch.setattr(processors, "CPU", tmp_path)
    monkeypatch.setattr(processors, "NODES", tmp_path / "nodes")
    facts = processors.describe()
    assert {state["name"]: state["exit_us"] for state in facts["idle"]} == {
        k: v for k, v in STATES.items() if k != "C8"
    }
    assert (facts["governor"], facts["nodes"]) == ("powersave", 2)
    facts["usable"] = facts["cpus"]
    assert [sentence[:12] for sentence in processors.advice(facts)] == ["The governor", "Idle state C"]


@pytest.mark.parametrize(
    ("quotas", "usable"),
    [
        ({"docker/7": (-1, 100_000)}, 64),
        ({"docker/7": (150_000, 100_000)}, 1.5),
        ({"": (400_000, 100_000)}, 4),
        ({"": (-1, 100_000), "docker": (50_000, 25_000)}, 2),
    ],
)
def test_quotas_of_version_1_have_a_folder_per_controller(
    quotas: dict[str, tuple[int, int]], usable: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container the folder at the top is its own group, though /proc names the host's path."""
    for place, (quota, period) in quotas.items():
        folder = tmp_path / "sys/fs/cgroup/cpu,cpuacct" / place
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cpu.cfs_quota_us").write_text(f"{quota}\n")
        (folder / "cpu.cfs_period_us").write_text(f"{period}\n")
    in_groups(tmp_path, "9:name=systemd:/\n4:cpuset:/docker/7\n1:cpu,cpuacct:/docker/7\n0::/\n", monkeypatch)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(64)))
    assert processors.usable() == usable


@pytest.mark.parametrize(
    ("affinity", "quotas", "usable"),
    [
        (64, {}, 64),
        (64, {"": "max 100000"}, 64),
        (2, {}, 2),
        (64, {"": "150000 100000"}, 1.5),
        (64, {"a": "400000 100000", "a/b": "max 100000"}, 4),
        (2, {"a/b": "400000 100000"}, 2),
    ],
)
def test_processors_that_a_container_keeps_from_this_process_are_not_usable(
    affinity: int, quotas: dict[str, str], usable: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = tmp_path / "sys/fs/cgroup"
    for place, text in ({"a/b": ""} | quotas).items():
        (groups / place).mkdir(parents=True, exist_ok=True)
        (groups / place / "cpu.max").write_text(f"{text}\n")
    in_groups(tmp_path, "1:name=systemd:/x\n0::/a/b\n" if "a/b" in quotas else "0::/\n", monkeypatch)
    monkeypatch.setattr(processors, "CPU", tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", {0: set(range(affinity))}.__getitem__)  # 0: this process
    facts = processors.describe()
    assert facts["usable"] == usable
    assert host.describe().get("usable_cpus", 64) == usable
    words = f"This process may use {usable:g} of 64 processors"
    assert [sentence.startswith(words) for sentence in processors.advice(facts)] == [True] * (usable < 64)


@pytest.mark.parametrize(
    ("governors", "known", "slow"),
    [
        ("performance performance", "performance", False),
        ("performance powersave", "performance, powersave", True),
        ("- powersave", "powersave", True),  # the first processor is offline
        ("- -", "", False),
    ],
)
def test_one_slow_processor_is_reported_wherever_it_is(
    governors: str, known: str, slow: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, governor in enumerate(governors.split()):
        (tmp_path / f"cpu{number}/cpufreq").mkdir(parents=True)
        if governor != "-":
            (tmp_path / f"cpu{number}/cpufreq/scaling_governor").write_text(f"{governor}\n")
    monkeypatch.setattr(processors, "CPU", tmp_path)
    facts = processors.describe()
    assert facts["governor"] == host.describe().get("governor", "") == known
    assert any("governor" in sentence for sentence in processors.advice(facts)) == slow


@pytest.mark.parametrize(
    ("caches", "sum_bytes"),
    [
        ([("32K", "0"), ("1024K", "0"), ("32768K", "0-7")] * 2, 32 << 20),
        ([("48K", "0"), ("2048K", "0"), ("30720K", "0-3"), ("48K", "4"), ("2048K", "4"), ("30720K", "4-7")], 60 << 20),
        ([("48K", "0"), ("2048K", "0"), ("1048576K", "0-3")] * 2, 1 << 30),
        ([("48K", "0"), ("2048K", "0"), ("", "0-3")], 32 << 20),  # of an unknown size
        ([], 32 << 20),
    ],
)
def test_each_last_level_cache_counts_once(
    caches: list[tuple[str, str]], sum_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, (size, shared) in enumerate(caches):
        index = tmp_path / f"cpu{number // 3}/cache/index{number % 3}"
        index.mkdir(parents=True)
        (index / "size").write_text(f"{size}\n")
        (index / "shared_cpu_list").write_text(f"{shared}\n")
    monkeypatch.setattr(processors, "CPU", tmp_path)
    assert processors.last_cache_bytes() == sum_bytes
