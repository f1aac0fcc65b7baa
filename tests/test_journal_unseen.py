"""Verdicts of the use "journal" on drives that nothing was tuned with, written down before they were run.

A drive that ignores flushes and one with power-loss protection look equal in a run. Neither is fit without its sheet.
"""

from typing import Any, NamedTuple

import msgspec
import pytest

from stend.base.units import GiB
from stend.devices.virtual import VirtualDevice
from stend.findings import Finding, find
from stend.findings.judgement import concluded
from stend.model.record import Run
from stend.sim import Spec, load
from stend.sim.spec import Accidents
from tests.rehearsal import rehearsed

pytestmark = pytest.mark.slow
SETTINGS: dict[str, Any] = {"threads_ladder": [1, 4], "blocks_kib": [4], "bursts": [1, 64]}
PROTECTED, DENIED = ({"power_loss_protection": stated, "endurance_dwpd": 3.0} for stated in (True, False))


class Answer(NamedTuple):
    """The mark of the use, the reason why there is none, and what is found of a flush and of one writer's rate."""

    mark: str
    standing: str
    flush: Finding
    rate: float


def flash(*, program_us: float, flush_us: float, answer_us: float, **changed: Any) -> Spec:
    """Return a drive of 16 GiB of these times; one of 128 IOs is simulated."""
    base = load("small")
    assert base.flash
    return msgspec.structs.replace(
        base,
        capacity_bytes=16 * GiB,
        scale=128,
        flash=msgspec.structs.replace(base.flash, dies=16, channels=8, program_us=program_us, spare_pct=11),
        host=msgspec.structs.replace(base.host, flush_us=flush_us, write_answer_us=answer_us),
        **changed,
    )


def answer(spec: Spec, sheet: dict[str, Any], **how: Any) -> Answer:
    """Run the test and judge it."""
    run = Run(list(rehearsed(VirtualDevice(f"sim:{spec.name}", spec), "journal", tests={"journal": SETTINGS}, **how)))
    found = list(find(run, sheet))
    (use,) = (use for use in concluded(run, sheet, found).uses if use.use == "journal")
    said = {finding.key: finding for finding in found if finding.name == "journal"}
    (flush,) = (said[key] for key in said if key == "costs" or key.startswith(("free", "through", "uneven", "unknown")))
    rate = said.get("rate") or said["rate_mean"]
    return Answer(use.mark, use.because[0].key if use.because else "", flush, float(rate.values["iops"]))


def test_a_desktop_drive_that_programs_a_page_for_each_commit_is_not_fit() -> None:
    """A flush programs a page and writes the map: 1.9 + 0.4 ms, thus at most 435 commits per second."""
    found = answer(flash(program_us=1900, flush_us=400, answer_us=9, protected=False), {})
    assert found.flush.key == "costs"
    assert found.flush.values["flush_s"] == pytest.approx(2.33e-3, rel=0.05)
    assert found.rate < 435
    assert found.mark == "no"


@pytest.mark.parametrize(
    ("sheet", "key", "mark"),
    [({}, "free", "performance"), (PROTECTED, "free_protected", "yes"), (DENIED, "free_unprotected", "no")],
)
@pytest.mark.parametrize("lies", [False, True])
def test_protection_and_ignored_flushes_differ_by_the_sheet_alone(
    lies: bool, sheet: dict[str, Any], key: str, mark: str
) -> None:
    """A write and a flush take 15 us of the link and the answer each, thus about 30,000 commits per second."""
    accidents = Accidents(lies_about_flush=lies)
    found = answer(flash(program_us=800, flush_us=0, answer_us=12, protected=not lies, accidents=accidents), sheet)
    assert found.flush.key == key
    assert 20_000 < found.rate < 40_000
    assert found.mark == mark


def test_a_disk_commits_once_per_turn_and_is_not_fit() -> None:
    """15,000 turns per minute: at most 250 commits per second. It has no trims, which a journal does not need.

    Its flush was predicted to cost time. It does not: without a write cache the write waited for the platter.
    """
    found = answer(load("sas15k"), {})
    assert found.rate < 251
    assert found.flush.key == "through"
    assert found.flush.values["write_s"] == pytest.approx(60 / 15_000, rel=0.05)
    assert found.mark == "no"


def test_a_raid_volume_whose_controller_answers_within_a_millisecond_is_not_fit() -> None:
    """More than 10,000 commits were predicted, by its protected cache. But its controller takes 1.1 ms per command.

    A flush then takes as long as a write, and one writer reaches half of 1 / 1.1 ms.
    """
    found = answer(load("x25e-raid"), {}, rounds=1)
    assert found.flush.key == "free"
    assert found.rate == pytest.approx(0.5 / 1.09e-3, rel=0.05)
    assert found.mark == "no"


def test_a_quick_run_has_no_verdict() -> None:
    found = answer(load("kc2000"), {}, quick=True)
    assert found.mark == "can't tell"
    assert found.standing == "shortened"
