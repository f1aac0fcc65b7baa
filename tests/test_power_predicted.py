"""Predictions for `wake` and `power` on drives and settings of no other test, written down before they were run.

They follow from the parts of the drives: a platter that keeps turning has no state to leave, a drive that is kept awake
has none either, and a drive without power states draws the same watts however long it rests.
"""

from pathlib import Path

import msgspec

from stend import findings, session, store
from stend.findings.look.figures import figures
from stend.many.compare.differences import compared
from stend.many.sides import outcome, side
from stend.model.record import Run


def ran(into: Path, test: str, target: str, **more: object) -> Run:
    with session.start(session.Request([test], f"sim:{target}", seed=7, into=str(into), **more)) as running:  # type: ignore[arg-type]
        for _ in running:
            pass
    return store.load(into)


def keys(run: Run, name: str) -> list[str]:
    return [finding.key for finding in findings.find(run) if finding.name == name]


def test_a_disk_that_keeps_turning_is_never_asleep(tmp_path: Path) -> None:
    """sas15k has no power states: a read after a minute waits for arm and platter, as any other read does."""
    found = keys(ran(tmp_path / "run", "wake", "sas15k"), "wake")
    assert "awake" in found
    assert not {"sleeps", "sleeps_soon", "deeper"} & {*found}


def test_a_drive_that_is_kept_awake_has_no_wake_up_latency(tmp_path: Path) -> None:
    """kc2000 sleeps as found; with power saving off its first reads take as long as others."""
    found = keys(ran(tmp_path / "found", "wake", "kc2000"), "wake")
    off = keys(ran(tmp_path / "off", "wake", "kc2000", power_saving="off"), "wake")
    assert {"sleeps", "sleeps_soon"} & {*found}
    assert "awake" in off


def test_a_drive_without_power_states_draws_the_same_after_each_rest(tmp_path: Path) -> None:
    """Ideal has no power states: the lowest power at rest is that of the first rest."""
    found = keys(ran(tmp_path / "run", "power", "ideal", quick=True), "power")
    assert "idle_level" in found
    assert not {"idle", "idle_active"} & {*found}


def test_watts_of_a_drive_and_of_a_machine_are_not_compared(tmp_path: Path) -> None:
    """The same run, once with its meter on the drive and once as if on the machine: rates compare, watts do not."""
    run = ran(tmp_path / "a", "fresh", "ideal", quick=True, meter="own")
    other = ran(tmp_path / "b", "fresh", "ideal", quick=True, meter="own")
    meters = [msgspec.structs.replace(meter, scope="machine") for meter in other.started[0].meters]
    other.started[0] = msgspec.structs.replace(other.started[0], meters=tuple(meters))
    first, second = (side(name, [outcome(name, one, {})]) for name, one in (("a", run), ("b", other)))
    verdicts = {(d.quantity, d.verdict == "not comparable") for d in compared(first, second).differences}
    assert ("watts", True) in verdicts
    assert ("watts", False) not in verdicts
    assert any(quantity in ("iops", "throughput") and not refused for quantity, refused in verdicts)


def test_a_drive_that_draws_nothing_has_no_efficiency(tmp_path: Path) -> None:
    """No energy is no infinite work per watt: the figure is absent."""
    run = ran(tmp_path / "run", "fresh", "ideal?power.idle_w=0&power.read_w=0&power.write_w=0", quick=True, meter="own")
    held = [row for row in figures(run) if row.power]
    assert held
    assert all(row.value("iops_per_watt") is None for row in held)
