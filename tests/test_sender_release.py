"""A sender that is ready waits until its load exists, and the schedule starts when it is let go."""

import os
from types import SimpleNamespace

import pytest

from stend.base.errors import LoadFailed
from stend.engines.replay import memory
from stend.engines.replay.load import SenderLoad


class Waiting(SimpleNamespace):
    """A sender that begins at `begins_ns` once it is released; 0 if it never does."""

    alive, died = True, False

    def __init__(self, begins_ns: int) -> None:
        place = memory.made()
        super().__init__(begins_ns=begins_ns, shared=memory.mapped(place))
        os.close(place)

    def release(self) -> None:
        self.shared.at[memory.BEGAN] = self.begins_ns

    def last_words(self) -> str:
        return ""

    def end(self) -> None:
        self.alive = False


@pytest.mark.parametrize("begins_ns", [1, 2_500_000_000])
def test_a_load_begins_when_its_sender_is_released(begins_ns: int) -> None:
    sender = Waiting(begins_ns)
    load = SenderLoad(sender, "load", interval_s=1.0, silence_s=0.0, paced=False)  # type: ignore[arg-type]
    assert load.began == load.ended == begins_ns * 1e-9


def test_one_that_is_released_and_never_begins_has_failed() -> None:
    sender = Waiting(0)
    with pytest.raises(LoadFailed):
        SenderLoad(sender, "load", interval_s=1.0, silence_s=0.0, paced=False)  # type: ignore[arg-type]
    assert not sender.alive
