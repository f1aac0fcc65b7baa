"""The engine of virtual drives keeps the rules of all engines, and needs no fio."""

from collections.abc import Iterator

import pytest

from stend.base import fio_features
from stend.devices import find
from stend.engines import Engine
from stend.engines.simulated import SimulatedEngine
from stend.session import engine
from tests.engine_rules import EngineRules


class TestSimulated(EngineRules):
    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        made = SimulatedEngine(find("sim:small").sim.drive)  # type: ignore[attr-defined]
        yield made
        made.close()


@pytest.mark.parametrize(
    ("target", "probed"), [("sim:small", 0), ("null", 0), ("null:1GiB", 0), ("/dev/sdx", 1), ("drive.bin", 1)]
)
def test_only_targets_that_fio_loads_need_fio(target: str, probed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    called = list[bool]()
    monkeypatch.setattr(fio_features, "probe", lambda: called.append(True))
    engine.can_load(target)
    assert len(called) == probed
