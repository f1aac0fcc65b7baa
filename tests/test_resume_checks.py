"""What a resumed run compares before it goes on: the drive, its content, the host, and the engine that loads it."""

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from stend import session
from stend.base import extras
from stend.base.errors import Refused
from stend.model.events import Started
from stend.model.record import Run
from stend.session import engine, opening
from tests.still import IDENTITY
from tests.test_progress_exact import TEN, begun, phase


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("kind", "other", "still is another drive: its kind is 'other', the run began on 'still'"),
        ("serial", "S2", "still is another drive: its serial is 'S2', the run began on 'STILL'"),
        ("wwn", "0x5", "still is another drive: its WWN is '0x5', the run began on ''"),
        ("model", "M", "still is another drive: its model is 'M', the run began on ''"),
        ("capacity_bytes", 7, "still changed its size from 1073741824 to 7 bytes since the run began; find out why"),
        ("logical_bytes", 7, "still is another drive: its logical block in bytes is 7, the run began on "),
        ("target", "elsewhere", ""),
        ("path", "elsewhere", ""),
        ("firmware", "2", ""),
    ],
)
def test_a_drive_is_the_same_by_what_identifies_it_wherever_it_is(field: str, value: Any, words: str) -> None:
    now = replace(IDENTITY, **{field: value})
    if words:
        with pytest.raises(Refused) as raised:
            opening.check_drive(IDENTITY, now)
        assert str(raised.value).startswith(words)
    else:
        opening.check_drive(IDENTITY, now)


@pytest.mark.parametrize(
    ("then", "expected"),
    [({"signatures": "ext4", "x": "1"}, {"signatures": "ext4", "x": "1"}), ({}, {"x": "2"})],
)
def test_the_content_of_a_drive_is_compared_with_that_of_the_beginning(
    then: dict[str, str], expected: dict[str, str]
) -> None:
    """A record without a fingerprint is that of a drive without signatures."""
    now, seen = {"signatures": "xfs", "x": "2"}, list[Any]()
    start = begun([phase(TEN)])
    assert isinstance(start, Started)

    def device(reason: str) -> Any:
        def changed(*both: dict[str, str]) -> str:
            seen.append(both)
            return reason

        return SimpleNamespace(door=SimpleNamespace(changed=changed), identity=IDENTITY)

    past = Run([replace(start, fingerprint=then)])
    opening.check_content(past, device(""), now)
    with pytest.raises(Refused, match=r"^still holds other data$"):
        opening.check_content(past, device("holds other data"), now)
    assert seen == [(expected, now)] * 2


@pytest.mark.parametrize(
    ("before", "now", "keys"),
    [
        ({"cpu": "a", "kernel": "b", "fio": "c"}, {"cpu": "a", "kernel": "b", "fio": "c"}, []),
        ({"cpu": "a"}, {"cpu": "b"}, ["cpu_changed"]),
        ({"cpu": "a", "kernel": "b", "fio": "c"}, {"cpu": "x", "kernel": "y", "fio": "z"},
         ["cpu_changed", "kernel_changed", "fio_changed"]),
        ({"fio": "3.33"}, {"fio": "3.33, io_uring"}, []),
        ({"fio": "3.33, libaio"}, {"fio": "3.33, io_uring"}, ["fio_changed"]),
        ({"fio": "3.33"}, {"fio": "3.34, io_uring"}, ["fio_changed"]),
        ({}, {"cpu": "b"}, []),
        ({"cpu": "a"}, {"cpu": None}, []),
        ({"memory": 1}, {"memory": 2}, []),
    ],
)  # fmt: skip
def test_a_processor_kernel_or_program_that_is_another_now_is_noted(
    before: dict[str, Any], now: dict[str, Any], keys: list[str]
) -> None:
    said = list(session._changed(before, now))
    assert [sentence.key for sentence in said] == keys
    assert all(set(sentence.values) == {"was", "now"} for sentence in said)
    if keys == ["cpu_changed"]:
        assert said[0].values == {"was": "a", "now": "b"}


@pytest.mark.parametrize(
    ("target", "missing", "slow"),
    [("sim:small", True, True), ("sim:small", False, False), ("/dev/x", True, False), ("/dev/x", False, False)],
)
def test_only_a_virtual_drive_without_numba_is_slow(
    target: str, missing: bool, slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "missing", lambda name: missing and name == "numba")
    assert bool(engine.slow(target)) is slow


def test_a_virtual_drive_needs_no_program() -> None:
    assert engine.can_load("sim:small") == engine.can_load("null:1GiB") == {}
