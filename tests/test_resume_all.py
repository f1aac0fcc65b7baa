"""`stend resume --all`: one run after another, each to its end, and the exit code of the worst."""

from itertools import permutations
from pathlib import Path

import pytest

from stend.base.errors import BadInput, StepFailed
from stend.cli import _all

ENDS: dict[str, int | BadInput | StepFailed] = {
    "complete": 0,
    "not steady": 0,
    "lost": BadInput("its drive is gone"),
    "broken": StepFailed("an IO error"),
}


@pytest.mark.parametrize("order", [order for n in range(4) for order in permutations(ENDS, n)])
def test_every_run_is_resumed_and_the_worst_exit_code_returned(
    order: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def resumed(folder: Path, stop: object) -> int:
        end = ENDS[folder.name]
        if not isinstance(end, int):
            raise end
        return end

    monkeypatch.setattr(_all, "_cut_off", lambda top: [top / name for name in order])
    monkeypatch.setattr(_all, "_resumed", resumed)
    ends = [ENDS[name] for name in order]
    codes = [end if isinstance(end, int) else end.exit_code for end in ends]
    assert _all.go_on(Path("top")) == max(codes, default=0)
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [f"top/{name}: resuming" for name in order]
    failed = [f"stend: top/{name}: {ENDS[name]}" for name in order if isinstance(ENDS[name], Exception)]
    assert shown.err.splitlines() == failed
