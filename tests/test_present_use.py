"""The use of a drive is that of the kernel, or else that of a program; without both it is free."""

from types import SimpleNamespace

import pytest

from stend.gate import refusals


@pytest.mark.parametrize("held", [None, "is open for writing in dd"])
@pytest.mark.parametrize("used", [None, "is mounted"])
def test_the_first_use_is_stated(monkeypatch: pytest.MonkeyPatch, used: str | None, held: str | None) -> None:
    uses = SimpleNamespace(layers=lambda path: [path], of=lambda layers: used)
    monkeypatch.setattr(refusals, "Uses", lambda kernel: uses)
    monkeypatch.setattr(refusals, "_held", lambda layers, uses: held)
    assert refusals.present_use("/dev/x") == (used or held or "")
