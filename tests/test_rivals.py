"""Drives beside a review: the published ones of its class, places among them, and the real drive of a model."""

import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from stend.base.units import GiB
from stend.charts.parts.sides import Side
from stend.model.definition import Identity
from stend.model.published import published
from stend.model.record import Run
from stend.report.story import rivals
from stend.words import Language, text
from tests.synthetic import Truth, made

MODEL = "HGST SN150"
PUBLISHED = published()["sn150"]["saturation"]["end"]  # a range


def model_run(**changes: Any) -> Run:
    run = made("iops", truth=Truth(model=MODEL), rounds=2, shorten=600, interval_s=10.0, **changes)
    plan = replace(run.plan, device=replace(run.plan.device, virtual=True), deviations=())
    run.started[0] = replace(run.started[0], plan=plan)
    return run


@pytest.mark.parametrize(
    ("interface", "kind", "device_class", "classes"),
    [
        ("NVMe 1.4", "flash", "enterprise", {"nvme-server"}),
        ("NVMe 1.4", "flash", "client", {"nvme-desktop"}),
        ("SATA 6 Gb/s", "flash", "enterprise", {"sata"}),
        ("SAS 12 Gb/s", "flash", "enterprise", {"sas"}),
        ("sas", "disk", "enterprise", {"hybrid"}),
        ("mSATA", "flash", "client", {"sata"}),
        ("PCIe", "flash", "enterprise", {"nvme-server"}),
        ("NVMe/TCP, 25 GbE", "flash", "enterprise", set()),
        ("md", "array", "enterprise", {"array"}),
        ("file", "flash", "enterprise", set()),
        ("zram", "flash", "client", set()),
        ("", "flash", "enterprise", set()),
    ],
)
def test_rivals_are_the_published_drives_of_its_class(
    interface: str, kind: str, device_class: str, classes: set[str]
) -> None:
    drive = Identity(kind="sim", target="sim:x", path="", capacity_bytes=1, interface=interface)
    own = {facts["about"]["class"] for facts in rivals.peers(drive, kind, device_class).values()}
    assert own == classes


@pytest.mark.parametrize(("rpm", "classes"), [(7200.0, set()), (15000.0, {"hybrid"})])
def test_a_disk_has_rivals_that_turn_about_as_fast(rpm: float, classes: set[str]) -> None:
    facts = {"rotation_rpm": rpm}
    drive = Identity(kind="sim", target="sim:x", path="", capacity_bytes=1, interface="SAS", facts=facts)
    assert {one["about"]["class"] for one in rivals.peers(drive, "disk", "enterprise").values()} == classes


@pytest.mark.parametrize(("transport", "classes"), [("pcie", {"nvme-server"}), ("tcp", set()), ("rdma", set())])
def test_a_drive_behind_a_network_has_no_local_rivals(transport: str, classes: set[str]) -> None:
    facts = {"transport": transport}
    drive = Identity(kind="nvme", target="x", path="", capacity_bytes=1, interface="nvme", facts=facts)
    assert {one["about"]["class"] for one in rivals.peers(drive, "flash", "enterprise").values()} == classes


def test_no_drive_is_its_own_rival() -> None:
    for name, facts in published().items():
        if "model" in facts.get("about", {}):
            drive = Identity(
                kind="nvme",
                target="x",
                path="",
                capacity_bytes=1,
                interface="nvme",
                model=f"MAKER {facts['about']['model']} X",
            )
            assert name not in rivals.peers(drive, "flash", "enterprise")


@pytest.mark.parametrize(
    ("about", "year"),
    [
        ({"source": "True System, 17 February 2016"}, "2016"),
        ({"source": "a test", "date": datetime.date(2024, 5, 6)}, "2024"),
        ({"source": "our own 2016 figures"}, ""),
    ],
)
def test_a_rival_has_the_year_of_its_publication(about: dict[str, Any], year: str) -> None:
    rival = rivals.published_rival(Side("Old", facts={"about": about}))
    assert rival.year == year
    assert rival.dated(Language("en")) == (f"Old by figures of {year}" if year else "Old")


def test_published_drives_are_named_in_the_units_of_the_language() -> None:
    (side,) = rivals.in_words([rivals.side("published:sn150")], Language("ru"))
    assert side.name.replace("\u00a0", " ") == "HGST Ultrastar SN150 1,6 ТБ"
    assert side.facts["about"]["title"] == "HGST Ultrastar SN150 1.6 TB"


def test_figures_within_a_tenth_share_a_place() -> None:
    assert rivals.place(193e-6, [188e-6], less_is_better=True) == rivals.Place(1, 2, joint=True)
    assert rivals.place(193e-6, [150e-6], less_is_better=True) == rivals.Place(2, 2)
    assert rivals.place(193e-6, [188e-6], less_is_better=True).text(Language("en")) == "about the same as"
    assert rivals.place(193e-6, [150e-6], less_is_better=True).text(Language("en")) == "worse than"
    joint = rivals.place(134e3, [56e3, 130e3], less_is_better=False)
    assert joint.text(Language("en")) == "first of three, level with another drive"


@pytest.mark.parametrize(
    ("value", "times", "real"),
    [
        (PUBLISHED[0] / 2, 2.0, PUBLISHED[0]),
        (PUBLISHED[0] / 1.2, None, 0.0),
        (sum(PUBLISHED) / 2, None, 0.0),
        (PUBLISHED[1] * 1.2, None, 0.0),
        (PUBLISHED[1] * 3, 3.0, PUBLISHED[1]),
    ],
)
def test_a_model_is_compared_with_the_nearer_end_of_a_published_range(
    value: float, times: float | None, real: float
) -> None:
    found = rivals.misfits(model_run(), {"writes": value, "database": 1.0, "reads": 0.0})
    assert [(one.figure, one.model, one.real) for one in found] == ([("writes", value, real)] if times else [])
    assert [one.times for one in found] == ([pytest.approx(times)] if times else [])


def test_the_largest_distance_comes_first() -> None:
    found = rivals.misfits(model_run(), {"writes": PUBLISHED[1] * 2, "reads": 1.0, "read_wait": 1.0})
    assert [one.figure for one in found] == ["reads", "read_wait", "writes"]


def test_a_run_on_a_part_of_its_drive_has_no_published_rivals() -> None:
    whole, part, limited = model_run(), model_run(active_range_pct=50), model_run(range_limit_bytes=GiB)
    for run in (whole, part, limited):
        device = replace(run.plan.device, interface="sata")
        run.started[0] = replace(run.started[0], plan=replace(run.plan, device=device))
    assert rivals.reference([whole])
    assert not rivals.reference([part])
    assert not rivals.reference([whole, part])
    assert not rivals.reference([limited])
    far = {"writes": PUBLISHED[1] * 3}
    assert [len(rivals.misfits(run, far)) for run in (whole, limited)] == [1, 0]
    assert [len(rivals.originals([run], [], Language("en"))) for run in (whole, limited)] == [1, 0]


@pytest.mark.parametrize(
    ("published_with", "measured_with", "alike"),
    [
        (256, 32, False),
        (256, 127, False),
        (256, 128, True),
        (768, 128, True),
        (32, 16, True),
        (33, 16, False),
        (0, 1, True),
    ],
)
def test_a_rate_is_compared_only_with_one_of_about_as_many_outstanding_ios(
    published_with: int, measured_with: int, *, alike: bool
) -> None:
    """SN150 reads 310,000 IOPS with 32 outstanding IOs and 725,000 with 256: a run with 32 is not slower for that."""
    run = made("iops", threads=1, depth=measured_with, rounds=2, shorten=600, interval_s=10.0)
    rival = rivals.Rival("Other", {"reads": 725e3, "read_wait": 1e-4}, outstanding=published_with)
    assert set(rival.beside(run).figures) == ({"reads", "read_wait"} if alike else {"read_wait"})


def test_a_run_with_changed_settings_is_not_compared_with_the_real_drive() -> None:
    usual, changed = model_run(), model_run()
    plan = replace(changed.plan, deviations=(text("threads: 1 instead of 4"),))
    changed.started[0] = replace(changed.started[0], plan=plan)
    assert rivals.misfits(usual, {"writes": PUBLISHED[1] * 2})
    assert not rivals.misfits(changed, {"writes": PUBLISHED[1] * 2})
