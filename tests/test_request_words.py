"""A request's words are arguments of `stend run`: each field that is set has its option once, and no other has one."""

import re
from pathlib import Path

import msgspec
import pytest

from stend.session.request import OPTIONS, Request

VALUES = {"overwrite": ("/a", "/b"), "target": "/dev/x"}


@pytest.mark.parametrize("field", [*OPTIONS, "quick", "verify", ""])
def test_what_is_set_is_an_option_and_nothing_else(field: str) -> None:
    switch = field in ("quick", "verify")
    value = True if switch else VALUES.get(field, 7)
    least = Request(["iops", "latency"], "sim:small")
    words = (msgspec.structs.replace(least, **{field: value}) if field else least).words
    options, tests = words[: words.index("--")], words[words.index("--") + 1 :]
    assert tests == ["iops", "latency"]
    more = [f"--{field}"] if switch else [f"{OPTIONS[field]}={v}" for v in VALUES.get(field, (7,))] if field else []
    if field == "target":
        assert options == ["--target=/dev/x"]
    else:
        assert sorted(options) == sorted(["--target=sim:small", *more])


@pytest.mark.parametrize(
    ("request_", "command"),
    [
        (Request(["iops"], "x"), ["run", "--target=x", "--", "iops"]),
        (Request(["inspect"], "x", survey_minutes=0), ["inspect", "--whole", "--", "x"]),
        (Request(["inspect"], "x", survey_minutes=2.5), ["inspect", "--minutes=2.5", "--", "x"]),
        (Request(["inspect"], "x", in_use=True, quick=True), ["inspect", "--in-use", "--quick", "--", "x"]),
        (
            Request(["inspect"], "x", survey_minutes=1, seed=7, into="r", label="l", tested_by="t", meter="m"),
            ["inspect", "--minutes=1", "--seed=7", "--into=r", "--label=l", "--tested-by=t", "--meter=m", "--", "x"],
        ),
    ],
)
def test_an_inspection_with_its_own_options_is_a_command_of_its_own(request_: Request, command: list[str]) -> None:
    assert request_.command == command


@pytest.mark.parametrize(
    ("request_", "tests"),
    [
        (Request(["iops"], "x"), None),
        (Request(["replay"], "x", trace="t", speed=2.0), {"replay": {"trace": "t", "speed": 2.0}}),
        (Request(["headroom"], "x", trace="t", limit_ms=5.0), {"headroom": {"trace": "t", "limit_ms": 5.0}}),
        (
            Request(["replay", "headroom"], "x", trace="t", speed=2.0),
            {"replay": {"trace": "t", "speed": 2.0}, "headroom": {"trace": "t"}},
        ),
        (Request(["suite.toml"], "x", fit="cut"), {"replay": {"fit": "cut"}, "headroom": {"fit": "cut"}}),
        (Request(["inspect"], "x", survey_minutes=0), {"inspect": {"survey_minutes": 0}}),
    ],
)
def test_settings_of_a_test_that_plays_a_trace_are_changes_of_that_test(
    request_: Request, tests: dict[str, dict[str, object]] | None
) -> None:
    """A file of a suite may have either test."""
    assert request_.changes.get("tests") == tests
    asked = msgspec.structs.replace(request_, depth=8, minute_s=0.5)
    assert {name: value for name, value in asked.changes.items() if value is not None and name != "tests"} == {
        "depth": 8,
        "minute_s": 0.5,
    }


def test_a_request_is_stored_without_what_belongs_to_one_moment() -> None:
    """The manifest of a run has no folder; a file of several runs has one. Neither has a permission to destroy data."""
    asked = Request(["iops"], "x", destroy="S1", overwrite=("/a",), into="r", in_use=True, depth=8)
    assert asked.manifest == {"tests": ["iops"], "target": "x", "quick": False, "depth": 8}
    assert asked.stored == {"tests": ["iops"], "target": "x", "quick": False, "depth": 8, "into": "r", "in_use": True}
    assert asked.texts == {"label": "", "tested_by": ""}
    assert Request(["iops"], "x", label="l").texts == {"label": "l", "tested_by": ""}


def test_a_seed_is_drawn_only_for_a_request_without_one() -> None:
    assert Request(["iops"], "x").seeded(7).seed == 7
    assert Request(["iops"], "x", seed=0).seeded(7).seed == 0


@pytest.mark.parametrize(("create", "size"), [(None, 0), ("", 0), ("1MiB", 1 << 20), ("2 GB", 2 * 10**9)])
def test_a_file_is_created_of_the_size_that_is_asked_for(create: str | None, size: int) -> None:
    assert Request(["iops"], "x", create=create).create_bytes == size


def test_a_run_folder_is_named_by_its_moment_drive_and_tests() -> None:
    assert Request(["iops"], "x", into="here").folder == Path("here")
    named = Request(["iops", "my/suite.toml"], "/dev/disk/nvme:1").folder
    assert re.fullmatch(r"runs/\d{8}-\d{6}-nvme-1-iops-suite", str(named))
    long = Request(["iops"], "x" * 300).folder.name
    assert long == long[:16] + "x" * 100
    assert Request(["iops"], "é" * 80).folder.name[16:] == "é" * 50, "100 bytes"
