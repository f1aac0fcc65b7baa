"""Limits of a fleet file and names that follow from it."""

import fcntl
import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend.base.errors import BadInput
from stend.base.units import GB
from stend.fleet import locks, slurm
from stend.fleet.chosen import Drive, matches
from stend.fleet.file import Fleet, Order, Selector, Study, parse_address, slug

SMALL: dict[str, Any] = {"name": "f", "drives": ["A"], "studies": [{"tests": ["iops"]}]}
STUDY: dict[str, Any] = {"tests": ["iops"]}
ORDER: dict[str, Any] = {"fleet": "f", "cell": "a-1", "serial": "A", "study": STUDY}
LIMITS: list[tuple[Any, dict[str, Any], str, Any, Any]] = [
    (Fleet, SMALL, "trial", 0, 600),
    (Fleet, SMALL, "retries", 0, 100),
    (Order, ORDER, "trial_s", 0, 600),
    (Order, ORDER, "retries", 0, 100),
    (Study, STUDY, "survey_minutes", 0, 100_000),
    (Selector, {}, "count", 1, 10_000),
]
LENGTHS: list[tuple[Any, dict[str, Any], str, int, int]] = [
    (Fleet, SMALL, "name", 1, 61),
    (Order, ORDER, "fleet", 1, 61),
    (Order, ORDER, "cell", 1, 61),
    (Order, ORDER, "serial", 1, 200),
    (Study, STUDY, "meter", 0, 200),
    (Study, STUDY, "tested_by", 0, 200),
    (Selector, {}, "model", 1, 200),
    (Selector, {}, "firmware", 1, 200),
    (Selector, {}, "capacity", 0, 60),
]
COUNTS: list[tuple[Any, dict[str, Any], str, Any, int, int]] = [
    (Fleet, SMALL, "drives", "A", 1, 10_000),
    (Fleet, SMALL, "destroy", "A", 0, 10_000),
    (Fleet, SMALL, "studies", STUDY, 1, 100),
    (Study, STUDY, "tests", "iops", 1, 100),
    (Order, ORDER, "cells", "a-1", 0, 100),
]


def read(kind: Any, fields: dict[str, Any], name: str, value: Any) -> bool:
    """Return True if the fields are read with this value."""
    try:
        msgspec.convert(fields | {name: value}, kind)
    except msgspec.ValidationError:
        return False
    return True


@pytest.mark.parametrize(("kind", "fields", "name", "least", "most"), LIMITS, ids=lambda value: str(value)[:20])
def test_a_number_of_a_fleet_file_or_an_order_is_within_its_limits(
    kind: Any, fields: dict[str, Any], name: str, least: int, most: int
) -> None:
    """The limits are ours; a file beyond them is refused before anything is planned."""
    values = [least - 1, least, most, most + 1]
    assert [read(kind, fields, name, value) for value in values] == [False, True, True, False]


@pytest.mark.parametrize(("kind", "fields", "name", "least", "most"), LENGTHS, ids=lambda value: str(value)[:20])
def test_a_text_of_a_fleet_file_or_an_order_has_so_many_characters(
    kind: Any, fields: dict[str, Any], name: str, least: int, most: int
) -> None:
    assert read(kind, fields, name, "a" * least)
    assert read(kind, fields, name, "a" * most)
    assert not read(kind, fields, name, "a" * (most + 1))
    assert least == 0 or not read(kind, fields, name, "")


@pytest.mark.parametrize(("kind", "fields", "name", "one", "least", "most"), COUNTS, ids=lambda value: str(value)[:20])
def test_a_list_of_a_fleet_file_or_an_order_has_so_many_entries(
    kind: Any, fields: dict[str, Any], name: str, one: Any, least: int, most: int
) -> None:
    assert read(kind, fields, name, [one] * least)
    assert read(kind, fields, name, [one] * most)
    assert not read(kind, fields, name, [one] * (most + 1))
    assert least == 0 or not read(kind, fields, name, [])


@pytest.mark.parametrize(
    ("address", "parsed"),
    [
        ("tls://10.0.0.1:8786", ("10.0.0.1", 8786)),
        ("tls://host:65535", ("host", 65_535)),
        ("tls://[::1]:80", ("[::1]", 80)),
        ("tls://host:65536", None),
        ("tcp://host:80", None),
        ("host:80", None),
        ("tls://host", None),
        ("tls://:80", None),
        ("tls://a/b:80", None),
    ],
)
def test_the_address_of_a_scheduler_has_a_host_and_a_port(address: str, parsed: tuple[str, int] | None) -> None:
    if parsed:
        assert parse_address(address) == parsed
    else:
        with pytest.raises(BadInput, match=r"give tls://HOST:PORT, such as tls://10\.0\.0\.1:8786$"):
            parse_address(address)


@pytest.mark.parametrize(
    ("serial", "plain"),
    [("S1-a", ""), ("S1_a", "S1-a"), (" S1", "S1"), ("a" * 40, ""), ("a" * 41, "a" * 40), ("--", ""), ("é", "")],
)
def test_a_serial_number_that_is_no_name_of_a_file_has_a_hash(serial: str, plain: str) -> None:
    mark = hashlib.blake2b(serial.encode(), digest_size=2).hexdigest()
    kept = serial if serial == slug(serial) else f"{plain}-{mark}".strip("-")
    assert slug(serial) == kept
    assert (slug(serial) == serial) is (serial in ("S1-a", "a" * 40))


@pytest.mark.parametrize(
    ("capacity", "span"),
    [
        ("", (0.0, float("inf"))),
        ("1TB", (0.97e12, 1.03e12)),
        ("900GB-1TB", (900e9, 1e12)),
        ("900 GB - 1 TB", (900e9, 1e12)),
    ],
)
def test_a_single_capacity_means_within_3_percent_of_it(capacity: str, span: tuple[float, float]) -> None:
    assert Selector(capacity=capacity).span_bytes == pytest.approx(span)


@pytest.mark.parametrize(
    ("selector", "size", "chosen"),
    [
        (Selector(), 1, True),
        (Selector(capacity="100GB-200GB"), 100 * GB, True),
        (Selector(capacity="100GB-200GB"), 200 * GB, True),
        (Selector(capacity="100GB-200GB"), 100 * GB - 1, False),
        (Selector(capacity="100GB-200GB"), 200 * GB + 1, False),
        (Selector(model="*pro*"), 1, True),
        (Selector(model="*evo*"), 1, False),
        (Selector(model="*pro*", firmware="1.?"), 1, True),
        (Selector(model="*pro*", firmware="2.?"), 1, False),
        (Selector(model="*evo*", firmware="1.?"), 1, False),
    ],
)
def test_a_selector_matches_by_all_its_conditions(selector: Selector, size: int, chosen: bool) -> None:
    assert matches(selector, Drive("h", "980 PRO", "1.A", size, "/dev/x")) is chosen


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (Selector(), ""),
        (Selector(model="*pro*"), "model *pro*"),
        (Selector(model="a", firmware="b", capacity="1TB"), "model a, firmware b, capacity 1TB"),
    ],
)
def test_a_selector_is_described_by_its_conditions(selector: Selector, words: str) -> None:
    assert selector.words == words


def test_a_drive_is_described_by_what_its_host_announces() -> None:
    assert Drive("h", "980 PRO", "1.A", 100 * GB, "/dev/x").words == "980 PRO, 100 GB, firmware 1.A, /dev/x of h"
    assert Drive("h", "", "", 100 * GB, "/dev/x").words == "100 GB, /dev/x of h"
    assert [Drive("h", "", "", 1, target).virtual for target in ("sim:x", "/dev/sim:x")] == [True, False]


@pytest.mark.parametrize(
    ("fleet", "cells", "other"),
    [("f", ("a", "b"), ""), ("g", ("a", "b"), "f"), ("g", ("a",), ""), ("g", (), ""), ("", ("b",), "f")],
)
def test_a_drive_is_claimed_as_long_as_a_run_of_another_fleet_is_open(
    fleet: str, cells: tuple[str, ...], other: str, tmp_path: Path
) -> None:
    def is_open(name: str, cell: str) -> bool:
        return (name, cell) == ("f", "b")

    assert locks.claim(tmp_path, "S", locks.Claim("f", cells), is_open) == ""
    assert locks.claimed(tmp_path, "S", fleet, is_open) == other
    assert locks.claimed(tmp_path, "T", fleet, is_open) == ""
    assert locks.claim(tmp_path, "S", locks.Claim(fleet, ("z",)), is_open) == other
    locks.let_go(tmp_path, "f" if other else fleet)
    assert list((tmp_path / "claims").glob("*.json")) == []


def test_a_drive_is_locked_by_one_process_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEND_RUNTIME", str(tmp_path / "locks"))
    with locks.drive("S") as fd:
        assert fd >= 0
        with locks.drive("S") as second, locks.drive("T") as other:
            assert (second, other >= 0) == (-1, True)
        assert not os.get_inheritable(fd)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
    with locks.drive("S") as again:
        assert again >= 0
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "locks").iterdir()} == {0o600}
    names = {f"drive-{hashlib.blake2b(serial, digest_size=8).hexdigest()}" for serial in (b"S", b"T")}
    assert {path.name for path in (tmp_path / "locks").iterdir()} == names


def test_a_lock_of_a_file_is_exclusive_until_it_is_left(tmp_path: Path) -> None:
    path = tmp_path / "more/folders/lock"
    for _ in range(2):
        with locks.only(path) as fd, path.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
        with path.open() as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(fd)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_serial_number_is_a_type_of_a_resource_of_slurm() -> None:
    assert slurm.kind("S1_a.b-c d/é") == "S1_a.b-c-d--"
    assert list(slurm.resources("h", ["A", "B 1"], "drive")) == [
        "# slurm.conf, on all hosts; add Gres= to the line of this node",
        "GresTypes=drive",
        "NodeName=h Gres=drive:A:1,drive:B-1:1",
        "# gres.conf",
        "NodeName=h Name=drive Type=A Count=1",
        "NodeName=h Name=drive Type=B-1 Count=1",
    ]
