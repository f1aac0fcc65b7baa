"""Errors have the exit codes that scripts rely on, and their words say what to do."""

import errno
import signal

import pytest

from stend.base import errors
from stend.base.errors import EXIT_CODES, LoadFailed, StendError, StepFailed

CODES = {
    "StendError": 1, "BadInput": 2, "NotOnDrive": 2, "NotReadable": 2, "Refused": 3, "Missing": 4, "StepFailed": 5,
    "LoadFailed": 5,
}  # fmt: skip
OTHERS = {
    "GATE_FAILED": 6,
    "GATE_UNDECIDED": 7,
    "UNSOUND": 8,
    "STOPPED": 128 + signal.SIGINT,
    "UNREAD": 128 + signal.SIGPIPE,
}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_each_error_has_the_exit_code_of_its_kind(name: str, code: int) -> None:
    assert getattr(errors, name).exit_code == code


def test_every_exit_code_is_described_once() -> None:
    assert {name: getattr(errors, f"{name}_EXIT_CODE") for name in OTHERS} == OTHERS
    assert [*EXIT_CODES] == [0, *sorted({*CODES.values(), *OTHERS.values()})]


def test_a_load_that_failed_did_not_die_unless_that_is_known() -> None:
    failed = LoadFailed("fio failed", record="exit code 1")
    assert (str(failed), failed.record, failed.died) == ("fio failed", "exit code 1", False)
    assert (LoadFailed("x").record, LoadFailed("x", died=True).died, StendError("x").record) == ("", True, "")


def test_a_place_that_cannot_be_written_is_named_with_the_reason_of_the_host() -> None:
    error = errors.unwritable("runs/x", OSError(errno.ENOSPC, "No space left on device"))
    assert isinstance(error, StepFailed)
    assert str(error) == "runs/x cannot be written: No space left on device; name another with --into"
