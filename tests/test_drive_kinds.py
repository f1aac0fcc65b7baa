"""Kinds of drives, arrays, links, samples and names, as the kernel and programs state them."""

import os
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend.base import limits
from stend.base.units import GB
from stend.devices import file, md
from stend.devices import virtual as virtuals
from stend.devices.purging import methods, rescan, table
from stend.devices.telling import below, facts, kinds, shared, tools
from stend.devices.telling.tools import Output
from stend.model.definition import Identity
from stend.sim import load, named
from stend.words import Sentence
from tests.stand import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


# Kinds, arrays, files, shared parts


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({}, {}), ({"queue__zoned": "none"}, {}), ({"queue__zoned": "host-managed"}, {"zoned": "host-managed"}),
        ({"queue__independent_access_ranges__0__sector": "0"}, {}),
        ({f"queue__independent_access_ranges__{n}__sector": "0" for n in range(2)}, {"actuators": 2}),
        ({"device__scsi_disk__a__protection_type": "0"}, {}), ({"device__scsi_disk__a__protection_type": "2"},
         {"protection": "type 2"}),
        ({"queue__rotational": "1", "queue__discard_max_bytes": "9"}, {}),
        ({"queue__rotational": "1", "queue__discard_max_bytes": "9", "device__scsi_disk__a__x": ""},
         {"smr_hint": "accepts discards, as drive-managed SMR disks do"}),
        ({"queue__rotational": "0", "queue__discard_max_bytes": "9", "device__scsi_disk__a__x": ""}, {}),
        ({"queue__rotational": "1", "queue__discard_max_bytes": "0", "device__scsi_disk__a__x": ""}, {}),
        ({"queue__rotational": "1", "queue__discard_max_bytes": "9", "device__scsi_disk__a__x": "",
          "queue__zoned": "host-aware"}, {"zoned": "host-aware"}),
    ],
)  # fmt: skip
def test_kinds_of_a_disk_are_facts_of_the_kernel(facts: dict[str, str], kind: dict[str, Any], host: Host) -> None:
    host.disk("sda", "8:0", facts=facts)
    host.disk("sda1", "8:1", parent="sda", partition="1")
    assert kinds.of_node("sda", host.kernel) == kinds.of_node("sda1", host.kernel) == kind


@pytest.mark.parametrize(
    ("ctratt", "dps", "kind"),
    [
        (1 << 19, 0, {"fdp": True}), (0x7FFFF | 1 << 20, 0, {}), (0, 3, {"protection": "type 3"}), (0, 8, {}),
        (0, 0xF, {"protection": "type 7"}), (0, 1, {"protection": "type 1"}),
    ],
)  # fmt: skip
def test_kinds_of_nvme_are_bits_of_identify(ctratt: int, dps: int, kind: dict[str, Any]) -> None:
    """NVMe base 2.1: bit 19 of CTRATT is Flexible Data Placement; bits 2:0 of DPS are the type of protection."""
    assert kinds.of_nvme({"ctratt": ctratt}, {"dps": dps}) == kind


def test_every_drive_has_its_queue_and_its_numa_node(host: Host) -> None:
    queue = {"scheduler": "none [mq-deadline] kyber", "read_ahead_kb": "128", "io_poll": "0",
             "write_cache": "write back",
             "discard_max_bytes": "4096"}  # fmt: skip
    host.disk("sda", "8:0", facts={f"queue__{name}": text for name, text in queue.items()})
    host.disk("sda1", "8:1", parent="sda", partition="1")
    function = host.root / "sys/devices/pci0000:00/0000:00:17.0"
    (function / "ata1/host0").mkdir(parents=True)
    (host.kernel.block("sda") / "device").symlink_to(function / "ata1/host0")
    expected = {"scheduler": "mq-deadline", "read_ahead_kib": 128, "poll_queues": "0",
                "kernel_write_cache": "write back",
                "trim_max_bytes": 4096}  # fmt: skip
    for node, numa, more in (("sda", "1", {"numa_node": "1"}), ("sda1", "0", {"numa_node": "0"}), ("sda", "-1", {})):
        (function / "numa_node").write_text(numa)
        looked = facts.Looked()
        facts.common(looked, node, host.kernel)
        assert looked.all == expected | more
    for name, text in (("scheduler", "none"), ("discard_max_bytes", "0")):
        host.write(f"sys/devices/sda/queue/{name}", text)
    looked = facts.Looked()
    facts.common(looked, "sda", host.kernel)
    assert (looked.facts["scheduler"], "trim_max_bytes" in looked.facts) == ("none", False)


def test_remarks_about_a_drive_are_facts_once() -> None:
    looked = facts.Looked()
    looked.add(a=0, b="", c=None, d=False)
    assert looked.all == {"a": 0, "d": False}
    failing = Sentence("failing")
    looked.doubts += [failing, failing]
    assert looked.all == {"a": 0, "d": False, "doubts": [failing]}
    looked.warnings.append(failing)
    assert looked.all["warnings"] == [failing]


def test_an_array_has_its_missing_members_and_its_synchronisation(host: Host) -> None:
    host.disk("md0", "9:0", md__level="raid5", md__chunk_size="65536", md__degraded="1", md__raid_disks="3")
    looked = md.look("md0", host.kernel)
    assert [one.key for one in (*looked.doubts, *looked.warnings)] == ["degraded", "degraded_short"]
    assert {key: looked.facts[key] for key in ("level", "chunk_bytes", "degraded")} == {
        "level": "raid5", "chunk_bytes": 65536, "degraded": 1,
    }  # fmt: skip
    host.write("sys/devices/md0/md/degraded", "0")
    assert not md.look("md0", host.kernel).doubts
    assert md.look("md0", host.kernel).facts["degraded"] == 0
    for action, done, words in (
        ("idle", "none", ""),
        ("resync", "5 / 9", "resync, 5 / 9 sectors"),
        ("check", "", "check, just begun sectors"),
    ):
        host.write("sys/devices/md0/md/sync_action", action)
        host.write("sys/devices/md0/md/sync_completed", done)
        assert md.busy("md0", host.kernel) == words
        assert bool(md.unrest("md0", host.kernel)) == bool(words)


def test_health_of_many_drives_is_sums_that_all_have_and_the_worst_that_any_has() -> None:
    healths = [
        {"media_errors": 1, "crc_errors": 2, "temperature_c": 30, "wear_pct": 5},
        {"media_errors": 10, "temperature_c": 40},
    ]
    members: Any = [SimpleNamespace(health=lambda own=own: own) for own in healths]
    assert below.health(members) == {"media_errors": 11, "temperature_c": 40, "wear_pct": 5}
    assert below.health([]) == {}


@pytest.mark.parametrize(
    ("target", "word"),
    [("nfs://a/b", "is an address"), ("C:\\a", "is a Windows path"), ("C:/a", "is a Windows path"),
    ("C:", "is a Windows path"),
     ("a/b:c", ""), ("ab:/c", ""), ("/dev/x", "")],
)  # fmt: skip
def test_a_target_of_another_system_is_named_as_that(target: str, word: str) -> None:
    reason = file._foreign(target)
    assert word in reason if word else reason == ""


@pytest.mark.parametrize(
    ("generation", "width", "bytes_per_s"),
    [("2.5", 1, 0.25 * GB), ("5.0", 2, 1.0 * GB), ("8.0", 4, 3.94 * GB), ("16.0", 4, 7.876 * GB),
    ("32.0", 16, 63.008 * GB),
     ("64.0", 1, 7.563 * GB), ("128.0", 4, 0.0), ("16.0", 99, 32 * 1.969 * GB), ("16.0", 0, 0.0)],
)  # fmt: skip
def test_a_link_moves_the_bytes_of_its_lanes_after_their_encoding(
    generation: str, width: int, bytes_per_s: float, tmp_path: Path
) -> None:
    """PCI Express: 8b/10b up to 5 GT/s, 128b/130b from 8 GT/s, 242 of 256 bytes of a flit at 64 GT/s."""
    (tmp_path / "current_link_speed").write_text(f"{generation} GT/s PCIe")
    (tmp_path / "current_link_width").write_text(str(width))
    assert shared._bandwidth(tmp_path) == pytest.approx(bytes_per_s)


@pytest.mark.parametrize(
    ("link", "own", "share"), [(4.0, 8.0, 0.5), (8.0, 4.0, 1.0), (0.0, 4.0, 1.0), (4.0, 0.0, 1.0), (4.0, 4.0, 1.0)]
)
def test_a_drive_gets_its_share_of_a_link(link: float, own: float, share: float) -> None:
    assert shared.Shared(shared.Part("link", "a", link), ("a", "b"), own).share == share


def test_of_shared_parts_the_nearest_is_listed_and_every_file_system_and_enclosure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port, switch = shared.Part("PCIe root port", "p", 8.0), shared.Part("PCIe port", "s", 6.0)
    near, case, place = (
        shared.Part("PCIe port", "n", 4.0),
        shared.Part("enclosure", "e"),
        shared.Part("file system", "/srv"),
    )
    links = {name: shared.Part("link", name, rate) for name, rate in (("a", 3.0), ("b", 5.0), ("c", 0.0))}
    ways = {name: [port, switch, near, links[name], case, place] for name in "ab"}
    ways |= {"c": [port, links["c"], case, place], "v": [port, switch]}
    monkeypatch.setattr(shared, "way", lambda drive, kernel: ways[drive.target])
    drives = [Identity(kind="x", target=name, path=name, capacity_bytes=1, virtual=name == "v") for name in ways]
    assert shared.shared(drives) == [
        shared.Shared(port, ("a", "b", "c"), 0.0), shared.Shared(near, ("a", "b"), 8.0),
        shared.Shared(case, ("a", "b", "c"), 0.0), shared.Shared(place, ("a", "b", "c"), 0.0),
    ]  # fmt: skip
    assert shared.shared(drives[:1]) == []


@pytest.mark.parametrize(
    ("size", "offsets"),
    [
        (1000, [0]), (65536, [0]), (65537, [0, 1]), (3 * 65536, [0, 65536, 131072]),
        (2 * 65536 + 512, [0, 65536, 66048]),
    ],
)  # fmt: skip
def test_a_sample_has_the_first_and_the_last_part_of_a_drive(size: int, offsets: list[int]) -> None:
    assert list(methods._sample(size)) == offsets


def test_a_sample_of_a_large_drive_is_spread_over_it() -> None:
    offsets = list(methods._sample(960 * GB))
    steps = {b - a for a, b in pairwise(offsets[:-1])}
    assert steps == {960 * GB // 1024 // 65536 * 65536}
    assert (offsets[0], offsets[-1], len(offsets)) == (0, 960 * GB - 65536, 1026)


@pytest.mark.parametrize("direct", [True, False])
def test_a_sample_is_read_past_the_cache_or_after_the_cache_was_dropped(
    direct: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"x")
    plain, flags_of, dropped = os.open, list[int](), list[tuple[int, ...]]()

    def opened(path: str, flags: int) -> int:
        flags_of.append(flags)
        if flags & os.O_DIRECT and not direct:
            raise OSError(22, "no direct IO")
        return plain(path, flags & ~os.O_DIRECT)

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "posix_fadvise", lambda fd, *words: dropped.append(words))
    gate: Any = SimpleNamespace(path=str(tmp_path / "a"))
    os.close(methods._reader(gate))
    assert [bool(flags & os.O_DIRECT) for flags in flags_of] == [True, False][: 2 - direct]
    assert not any(flags & (os.O_WRONLY | os.O_RDWR) for flags in flags_of)
    assert dropped == [(0, 0, os.POSIX_FADV_DONTNEED)] * (not direct)


@pytest.mark.parametrize(
    ("can", "method", "crypto"),
    [
        ({"format"}, "", False), ({"format", "format crypto"}, "crypto", True), ({"sanitize crypto"}, "crypto", True),
        ({"sanitize block"}, "sanitize", False), ({"sanitize overwrite"}, "", False),
    ],
)  # fmt: skip
def test_what_need_not_read_as_zeros_is_a_purge_of_keys(can: set[str], method: str, crypto: bool) -> None:
    drive = table.Drive(
        interface="nvme", node="/dev/nvme0n1", controller="/dev/nvme0", can=frozenset(can), method=method
    )
    way = table.decide(drive)
    assert isinstance(way, table.Way)
    assert (way.crypto, way.lesser) == (crypto, False)
    if "format" in can:
        assert way.phrase.values["method"].values["kind"].key == ("purge_crypto" if crypto else "purge_user")


@pytest.mark.parametrize(
    ("can", "crypto"),
    [({"security"}, False), ({"security", "security enhanced"}, True), ({"sanitize crypto"}, True),
    ({"sanitize block"}, False)],
)  # fmt: skip
def test_an_enhanced_erase_of_ata_need_not_read_as_zeros(can: set[str], crypto: bool) -> None:
    way = table.decide(table.Drive(interface="sata", node="/dev/sda", can=frozenset(can)))
    assert isinstance(way, table.Way)
    assert (way.crypto, way.lesser) == (crypto, False)


def test_a_drive_is_found_again_by_its_wwn_or_its_only_serial(host: Host) -> None:
    for n, (node, wwn, serial) in enumerate(
        (("sda", "w1", "s"), ("sdb", "w2", "s"), ("sdc", "", "t"), ("sdd", "", ""))
    ):
        host.disk(node, f"8:{16 * n}", wwid=wwn, serial=serial)
    host.disk("sde", "8:64", 0, wwid="w5")

    def found(node: str, **names: str) -> str:
        drive = Identity(kind="ata", target="t", path="/dev/old", capacity_bytes=1, **names)  # type: ignore[arg-type]
        return rescan.current_path(host.kernel, drive, node).removeprefix(f"{host.kernel.dev}/")

    assert [found("sdx", wwn=wwn) for wwn in ("w1", "w2", "w3", "w5")] == ["sda", "sdb", "", ""]
    assert [found("sdx", serial=serial) for serial in ("t", "s", "u")] == ["sdc", "", ""]
    assert [found("sdb", wwn="w9", serial="s"), found("sda", wwn="w2", serial="s")] == ["/dev/old", "sdb"]
    assert [found("sdd"), found("sdx")] == ["/dev/old", ""]


def test_a_program_that_is_missing_is_a_doubt_and_its_output_is_empty() -> None:
    looked = facts.Looked()
    output = looked.run("stend-no-such-program")
    assert (output.code, output.out, [doubt.key for doubt in looked.doubts]) == (127, "", ["unread_facts"])
    assert output.err in looked.doubts[0]
    assert tools.try_run("stend-no-such-program") == output


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (7, 7), ("7", 7), (" 1,234,567 [x]", 1_234_567), ("308 K", 308), ("0x1F", 31), ("1.9", 1), (1.9, 1), (0, 0),
        (-1, None),
        ("-1", None), ("", None), (None, None), ([1], None), (limits.MOST, limits.MOST), (limits.MOST + 1, None),
        (True, 1),
    ],
)  # fmt: skip
def test_a_count_is_read_in_any_notation(value: Any, count: int | None) -> None:
    assert (tools.count(value), tools.number(value)) == (count, count or 0)


def test_the_last_two_lines_of_a_program_are_its_words() -> None:
    assert Output(1, "a\nb\n\n", " c \n").words == "b; c"
    assert Output(3, "", "").words == "exit code 3"
    assert len(Output(1, "x" * 999, "").words) == 300
    assert Output(0, 'warning\n{"a": 1}', "").document == {"a": 1}
    assert Output(0, '{"a": 1}', "").document == {"a": 1}
    assert [Output(0, text, "").document for text in ("", "{", "[1]", "x {} y")] == [{}] * 4


def test_states_of_a_virtual_drive_are_numbered_from_the_awake_one() -> None:
    spec = next(spec for spec in map(load, named.profiles()) if spec.power.states)
    states = virtuals._power(spec)["power_states"]
    assert [state["state"] for state in states] == list(range(len(spec.power.states) + 1))
    assert (states[0]["watts"], states[0]["idle"]) == (max(spec.power.read_w, spec.power.write_w), False)
    assert [state["exit_ms"] for state in states] == [0.0, *(state.exit_ms for state in spec.power.states)]
    assert {state["entry_ms"] for state in states} == {0.0}
    assert all(state["idle"] for state in states[1:])
