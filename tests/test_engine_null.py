"""The engines without hardware keep the rules of all engines; the null engine costs next to nothing."""

from collections.abc import Iterator

import pytest

from stend.base import fio_features
from stend.base.units import KiB, MiB
from stend.devices import find
from stend.engines import Engine
from stend.engines.null import NullEngine
from stend.engines.simulated import SimulatedEngine
from stend.session import engine
from tests.engine_rules import FILL, RANDOM, EngineRules, finished, held


class TestNull(EngineRules):
    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        made = NullEngine()
        yield made
        made.close()


class TestSimulated(EngineRules):
    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        made = SimulatedEngine(find("sim:small").sim.drive)  # type: ignore[attr-defined]
        yield made
        made.close()


def test_it_is_as_fast_as_it_was_told_to_be() -> None:
    total = held(NullEngine(iops=1000).start(RANDOM, seed=1), 5)
    assert total.iops == 1000
    assert total.both.mean_s == pytest.approx(RANDOM.outstanding / 1000, rel=0.05)


def test_a_limit_that_is_no_whole_number_of_blocks_is_kept_too() -> None:
    load = NullEngine().start(FILL, seed=1, limit_bytes=5 * MiB + 100 * KiB)
    assert finished(load).write.bytes == 5 * MiB + 100 * KiB


def test_an_interval_is_the_same_object_each_time() -> None:
    load = NullEngine().start(RANDOM, seed=1)
    assert load.next() is load.next()


@pytest.mark.parametrize(
    ("target", "probed"), [("sim:small", 0), ("null", 0), ("null:1GiB", 0), ("/dev/sdx", 1), ("drive.bin", 1)]
)
def test_only_targets_that_fio_loads_need_fio(target: str, probed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    called = list[bool]()
    monkeypatch.setattr(fio_features, "probe", lambda: called.append(True))
    engine.can_load(target)
    assert len(called) == probed
