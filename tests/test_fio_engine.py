"""The engine of loads: io_uring where the kernel allows it, else libaio, else a sentence with both."""

import pytest

from stend.base import fio_features
from stend.base.errors import Missing

KNOWN = ("io_uring", "libaio", "psync")


@pytest.mark.parametrize("works", [True, False])
@pytest.mark.parametrize("number", range(8))
def test_the_first_engine_that_is_there_and_works(monkeypatch: pytest.MonkeyPatch, number: int, works: bool) -> None:
    there = [name for at, name in enumerate(KNOWN) if number >> at & 1]
    monkeypatch.setattr(fio_features, "_output", lambda *_: "\n".join(["Available IO engines:", *there]))
    monkeypatch.setattr(fio_features, "io_uring_works", lambda: works)
    best = [name for name in there if name == "libaio" or (name == "io_uring" and works)]
    if best:
        assert fio_features._ioengine("fio") == best[0]
    else:
        with pytest.raises(Missing, match=r"io_uring.*libaio"):
            fio_features._ioengine("fio")
