"""What findings say of drawn virtual flash drives is what their parameters say: cache, knee, levels, recovery."""

import random
from itertools import takewhile
from typing import Any

import msgspec
import pytest

from stend.base.units import GB
from stend.devices.virtual import VirtualDevice
from stend.model.events import Ended, Result
from stend.model.record import Run
from stend.sim import Spec, load
from stend.sim.flash import layout
from stend.sim.spec import Flash, Tail
from tests.closed_forms import greedy
from tests.rehearsal import rehearsed, said
from tests.stand import few

pytestmark = pytest.mark.slow
DRAWS = few(32)
WITHIN = 0.05
PAGE = 4096
MANY = 10**5
"""Pages of a superblock for the closed form: so many that one more is nothing."""
BURST_S, RESTS_S = 5, [5, 10, 15, 25, 50]
ENDED = Ended(t=0.0, outcome="stopped")


def ran(spec: Spec, test: str, **settings: Any) -> Run:
    """Up to what the finding needs."""
    interval_s = 1.0 if test == "slc-cache" else float(BURST_S)  # a cache ends within moments
    events = rehearsed(VirtualDevice(f"sim:{spec.name}", spec), test, interval_s=interval_s, tests={test: settings})
    kept = {"purge", "fresh"} if test == "slc-cache" else set()
    return Run(
        [*takewhile(lambda e: not (kept and isinstance(e, Result) and e.where.phase not in kept), events), ENDED]
    )


def drawn(name: str, number: int, capacity_bytes: int, scale: int, **flash: Any) -> tuple[Spec, Flash]:
    """A drive like the named one with other parameters."""
    spec = load(name)
    changed = msgspec.structs.replace(spec.flash or Flash(**flash), **flash)
    capacity = capacity_bytes // PAGE * PAGE
    return msgspec.structs.replace(spec, flash=changed, capacity_bytes=capacity, scale=scale, seed=number + 1), changed


@pytest.mark.parametrize("number", DRAWS)
def test_the_size_of_the_cache_is_what_the_parameters_say(number: int) -> None:
    dice = random.Random(f"slc {number}")
    base = load("kc2000")
    assert base.flash
    assert base.flash.slc
    slc = msgspec.structs.replace(
        base.flash.slc,
        share_pct=dice.uniform(12, 55),
        program_us=dice.uniform(540, 700),
        fold_pct=dice.choice([0, dice.uniform(5, 18)]),
    )
    spec, flash = drawn("kc2000", number, base.capacity_bytes, base.scale, slc=slc, program_us=dice.uniform(1500, 2400))
    physical = spec.capacity_bytes * (1 + flash.spare_pct / 100)
    truth = slc.share_pct / 100 * physical / slc.levels
    assert said(ran(spec, "slc-cache"), "slc_cache").values["size"] == pytest.approx(truth, rel=WITHIN)


def saturates(number: int) -> tuple[Spec, float]:
    """A drive whose first cleaning shows: its flash is no faster than its link; and the link's rate in IOPS."""
    dice = random.Random(f"knee {number}")
    base = load("sn150")
    link = base.host.write_mb_s * 1e6 / PAGE
    slowest = base.flash.dies * base.flash.unit_bytes / PAGE / link * 1e6 if base.flash else 0
    capacity = round(dice.uniform(200, 800) * GB)
    changed = {"spare_pct": dice.uniform(8, 45), "program_us": slowest * dice.uniform(0.85, 0.95), "superblocks": 1000}
    spec, _ = drawn("sn150", number, capacity, 256, tail=Tail(), **changed)
    return spec, link


@pytest.mark.parametrize("number", DRAWS)
def test_the_knee_comes_when_the_spare_space_is_used_up(number: int) -> None:
    spec, link = saturates(number)
    flash = spec.flash
    assert flash
    pool = spec.capacity_bytes * (1 + flash.spare_pct / 100)
    steady = 1 / greedy(1 + flash.spare_pct / 100, MANY)
    minutes = round(8 * spec.capacity_bytes / (link * PAGE * (0.3 + 0.7 * steady)) / 60)
    knee = said(ran(spec, "write-saturation", minutes=minutes), "saturation")
    assert knee.key in ("knee", "unsettled"), "the knee is known also where the end is not"
    assert knee.values["start"] == pytest.approx(link, rel=WITHIN)
    assert knee.values["knee_bytes"] == pytest.approx(pool, rel=WITHIN)
    assert knee.values["knee_s"] == pytest.approx(pool / link / PAGE, rel=WITHIN)


def rests(number: int) -> tuple[Spec, float]:
    """A drive that cleans while idle; how long a rest it needs for nine tenths of its fresh rate (0: none brings them).

    Its dies never rest during a burst: of `flash` pages that they program, `host` are new and the others are moved for
    the room that the rest before did not make: flash = host + (host - cleaned) * (amplification - 1). That is good to
    about a fifth, so that no drive is drawn whose need lies near a rest of the test.
    """
    dice = random.Random(f"rest {number}")
    capacity, spare_pct = round(dice.uniform(100, 200) * GB), dice.uniform(9, 14)
    plain = {"gather_bytes": 0, "tail": Tail(), "pause_every_writes": 0, "move_us": 0, "lanes": 1}
    usual = {"program_us": 2150, "idle_free_pct": 6}
    spec, flash = drawn("saber1000", number, capacity, 64, spare_pct=spare_pct, **plain, **usual)
    pages = flash.dies * flash.unit_bytes / PAGE / (flash.program_us + flash.read_us) * 1e6
    more = greedy(1 + spare_pct / 100, layout(flash, capacity, spec.scale)[1]) - 1
    cleaned = (1 + more) * 0.9 * BURST_S / spec.host.write_command_us * 1e6 - BURST_S * pages
    whole = cleaned / pages  # with all of the dies' time
    gaps = [(max(1.25 * low, whole), 0.8 * high) for low, high in zip([0, *RESTS_S], [*RESTS_S, 100], strict=True)]
    needed = dice.uniform(*dice.choice([(low, high) for low, high in gaps if low < high]))
    cleaning_pct = 100 * whole / needed if number % 8 else 0
    changed = msgspec.structs.replace(flash, idle_cleaning_pct=cleaning_pct)
    return msgspec.structs.replace(spec, flash=changed), needed if cleaning_pct else 0


@pytest.mark.parametrize("number", DRAWS)
def test_the_rest_that_brings_a_drive_back_is_as_long_as_its_cleaning_takes(number: int) -> None:
    spec, needed = rests(number)
    minutes = round(2.5 * spec.capacity_bytes / (25_000 * PAGE) / 60)
    run = ran(spec, "idle-recovery", after="saturation", saturation_minutes=minutes, repeats=60)
    found = said(run, "idle_recovery")
    assert found.key == ("none" if not needed else "partly" if needed > RESTS_S[-1] else "recovers")
    assert found.values.get("needed") == next((rest for rest in RESTS_S if rest > needed > 0), None)
