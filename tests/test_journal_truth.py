"""What the journal test finds on drawn virtual drives is what their parameters say: the cost of a flush, the buffer."""

import random
from typing import Any, NamedTuple

import msgspec
import pytest

from stend.base.units import MiB
from stend.devices.virtual import VirtualDevice
from stend.findings import find
from stend.model.record import Run
from stend.sim import Spec, load
from stend.sim.spec import Tail
from tests.rehearsal import rehearsed
from tests.stand import few

pytestmark = pytest.mark.slow
DRAWS = few(40)
WITHIN = 0.05
PAGE = 4096
SHORT: dict[str, Any] = {"threads_ladder": [1, 4], "blocks_kib": [4]}
PROTECTED_EACH = 5
"""Each fifth drive has power-loss protection."""


class Drawn(NamedTuple):
    """A drive, what a flush costs on it while its dies have no other work, and the bytes of its volatile buffer."""

    spec: Spec
    flush_s: float
    buffer_bytes: int


def drawn(number: int) -> Drawn:
    """A flash drive whose link is at least half as fast again as its flash: a stream then fills the buffer.

    The buffer takes 30 times as long to drain as a single write, so that its flush is mostly draining.
    """
    dice = random.Random(f"journal {number}")
    base = load("small")
    assert base.flash
    pages = dice.choice([4, 8, 16])
    dies, program_us = dice.choice([4, 8]), dice.uniform(300, 2500)
    flash_mb_s = dies * pages * PAGE / program_us
    transfer_us, flush_us = dice.uniform(2, 8), dice.choice([0, dice.uniform(0.1, 0.3) * program_us])
    medium_us = transfer_us * pages + program_us + flush_us
    flash = msgspec.structs.replace(
        base.flash,
        dies=dies,
        channels=dies,
        program_us=program_us,
        transfer_us=transfer_us,
        unit_bytes=pages * PAGE,
        buffer_bytes=round(min(dice.uniform(30, 60) * flash_mb_s * medium_us, 28 * MiB)) // PAGE * PAGE,
        spare_pct=dice.uniform(20, 40),
        tail=Tail(),
    )
    link_mb_s = max(flash_mb_s * dice.uniform(3, 6), 500)
    host = msgspec.structs.replace(
        base.host, write_mb_s=link_mb_s, write_answer_us=dice.uniform(5, 20), flush_us=flush_us
    )
    protected = number % PROTECTED_EACH == 0
    spec = msgspec.structs.replace(
        base, flash=flash, host=host, capacity_bytes=256 * MiB, protected=protected, seed=number + 1
    )
    command_us = host.write_command_us + host.write_answer_us
    return Drawn(spec, (command_us + (0 if protected else medium_us)) * 1e-6, 0 if protected else flash.buffer_bytes)


def ran(spec: Spec) -> Run:
    """The journal test, with short minutes."""
    events = rehearsed(
        VirtualDevice(f"sim:{spec.name}", spec), "journal", minute_s=10.0, second_s=1.0, tests={"journal": SHORT}
    )
    return Run(list(events))


@pytest.mark.parametrize("number", DRAWS)
def test_the_cost_of_a_flush_and_the_buffer_are_what_the_parameters_say(number: int) -> None:
    spec, flush_s, buffer_bytes = drawn(number)
    found = {f.key: f for f in find(ran(spec)) if f.name == "journal"}
    if spec.protected:
        assert found["free"].values["flush_s"] == pytest.approx(flush_s, rel=WITHIN)
        assert not {"costs", "buffer", "at_least"} & found.keys()
        return
    assert found["costs"].values["flush_s"] == pytest.approx(flush_s, rel=WITHIN)
    assert found["buffer"].values["size"] == pytest.approx(buffer_bytes, rel=WITHIN)


@pytest.mark.parametrize("number", DRAWS)
def test_what_is_said_of_any_buffer_is_true(number: int) -> None:
    """Buffers of a single write to ten times a burst, links slower than the flash, flushes that mostly write maps."""
    dice = random.Random(f"any buffer {number}")
    spec, *_ = drawn(number)
    assert spec.flash
    buffer_bytes = round(2 ** dice.uniform(17, 28)) // PAGE * PAGE
    flash = msgspec.structs.replace(spec.flash, buffer_bytes=buffer_bytes)
    least = 2 * flash.unit_bytes
    host = msgspec.structs.replace(
        spec.host, write_mb_s=spec.host.write_mb_s * dice.uniform(0.1, 1), flush_us=dice.uniform(0, 10_000)
    )
    found = ran(msgspec.structs.replace(spec, flash=flash, host=host, protected=False))
    truth = max(buffer_bytes, least)
    for finding in (f for f in find(found) if f.name == "journal"):
        values = finding.values
        match finding.key:
            case "buffer":
                assert values["size"] == pytest.approx(truth, rel=WITHIN)
            case "between":
                assert values["least"] * (1 - WITHIN) <= truth <= values["most"] * (1 + WITHIN)
            case "at_most":
                assert truth <= values["most"] * (1 + WITHIN)
            case "at_least":
                assert values["size"] <= truth * (1 + WITHIN)
            case "free" | "free_protected" | "through_flash":
                raise AssertionError(finding)
