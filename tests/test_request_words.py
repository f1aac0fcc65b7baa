"""A request's words are arguments of `stend run`: each field that is set has its option once, and no other has one."""

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
