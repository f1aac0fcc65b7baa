"""Contradictions between the logs of an inspected drive, and the counters that speak against it.

A contradiction is reported, not explained: a drive that lost its counters and one that was sold as new look alike.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from stend.findings import Finding, Sheet, look
from stend.findings.look.inspected import TESTS, counts
from stend.findings.look.link import capable_of
from stend.model.record import Run

DISTURBED = ()
"""No conclusion here depends on the load."""
SLACK_H, SLACK = 24, 0.02
"""Hours, and share of the larger value, by which two logs may differ: they count at different moments."""
MOST_HOURS = 40 * 365 * 24
"""No drive is older than 40 years. A larger value does not count hours."""
FASTEST = {"sata": 600e6, "sas": 2.4e9, "nvme": 32e9, "usb": 2.5e9}
"""Bytes per second that no link of this kind exceeds: SATA 6 Gb/s, SAS 24 Gb/s, PCIe 5 x8, USB 20 Gb/s."""
WORN, LEAST_CYCLES = 3, 5.0
"""From this wear (percent) on, the drive must have been written at least `LEAST_CYCLES` times per 100 % of wear."""
HIGH_WEAR = 80
COUNTS = ("uncorrectable", "pending", "media_errors", "reallocated", "grown_defects", "crc_errors")
SMART = "SMART"
WARNINGS = {
    0x01: "warning_spare",
    0x02: "warning_temperature",
    0x04: "warning_unreliable",
    0x08: "warning_read_only",
    0x10: "warning_backup",
}
"""Bits of NVMe's critical warning (NVMe base 2.0, figure 207), and their keys."""
KINDS = {
    "zoned": "kind_zoned",
    "actuators": "kind_actuators",
    "protection": "kind_protection",
    "fdp": "kind_fdp",
    "smr_hint": "kind_smr_hint",
}
"""Facts of drives that other tests must know, and their keys."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield contradictions, then what speaks against the drive, then what could not be read."""
    for test in look.tests(run, *TESTS):
        passport: Mapping[str, Any] = run.plan.device.facts.get("passport", {})
        for key, values, con in (*_contradictions(run, passport), *_health(run, passport), *_remarks(run, passport)):
            yield Finding(key=key, test=test.name, values=values, side="con" if con else "")


Rows = Iterator[tuple[str, dict[str, Any], bool]]


def _contradictions(run: Run, passport: Mapping[str, Any]) -> Rows:
    every = counts(passport, "hours")
    hours = {name: value for name, value in every.items() if value <= MOST_HOURS}
    for name in every.keys() - hours.keys():
        yield "absurd_hours", {"log": name, "hours": every[name]}, True
    smart = hours.get(SMART)
    others = {name: value for name, value in hours.items() if name != SMART}
    if smart is not None and others:
        name, most = max(others.items(), key=lambda item: item[1])
        if most > smart + max(SLACK_H, SLACK * most):
            yield "hours", {"smart": smart, "log": name, "hours": most}, True
    written = counts(passport, "written_bytes")
    most_bytes = max(written.values(), default=0)
    fastest = FASTEST.get(run.plan.device.bus)
    if smart is not None and fastest and most_bytes > (smart + 1) * 3600 * fastest:
        yield "too_fast", {"written": most_bytes, "hours": smart, "rate": most_bytes / ((smart + 1) * 3600)}, True
    yield from _wear(run, passport, written.get(SMART))
    yield from _dates(run, passport, smart)
    serials = passport.get("serials")
    named = {str(word) for word in serials.values()} if isinstance(serials, dict) else set()
    if len(named) > 1:
        yield "serials", {"serials": ", ".join(sorted(named))}, True
    events = counts(passport, "counts")
    if events.get("unsafe_shutdowns", 0) > events.get("power_cycles", MOST_HOURS) + 1:
        yield "shutdowns", {"unsafe": events["unsafe_shutdowns"], "cycles": events["power_cycles"]}, True


def _wear(run: Run, passport: Mapping[str, Any], written: int | None) -> Rows:
    wear = max(counts(passport, "wear_pct").values(), default=None)
    if wear is not None and written is not None and wear >= WORN:
        cycles = written / run.plan.device.capacity_bytes / (wear / 100)
        if cycles < LEAST_CYCLES:
            yield "wear", {"wear": wear, "written": written, "capacity": run.plan.device.capacity_bytes}, True
    spare = counts(passport, "spare")
    if wear == 0 and "pct" in spare and spare["pct"] < 100:
        yield "spare_unworn", {"spare": spare["pct"]}, True


def _dates(run: Run, passport: Mapping[str, Any], smart: int | None) -> Rows:
    made = counts({"made": {k: int(v) for k, v in _made(passport).items() if str(v).isdigit()}}, "made")
    year, week = made.get("year", 0), made.get("week", 1)
    if smart is None or not 1990 <= year <= 2100 or not 0 <= week <= 53:
        return
    since = datetime(year, 1, 1, tzinfo=UTC).timestamp() + max(week - 1, 0) * 7 * 86_400
    age_h = (run.started[0].at - since) / 3600
    if 0 < age_h < smart - max(SLACK_H, SLACK * smart):
        yield "older", {"hours": smart, "year": year, "week": week}, True


def _made(passport: Mapping[str, Any]) -> dict[str, Any]:
    part = passport.get("made")
    return part if isinstance(part, dict) else {}


def _health(run: Run, passport: Mapping[str, Any]) -> Rows:
    if passport.get("health_passed") is False:
        yield "failing", {}, True
    spare = counts(passport, "spare")
    few = "pct" in spare and spare["pct"] < spare.get("threshold_pct", 0)
    yield from _warnings(passport.get("critical_warning"), spare_known=few)
    if failed := passport.get("self_tests_failed"):
        yield "self_test", {"failed": failed}, True
    if few:
        yield "spare", {"spare": spare["pct"], "threshold": spare["threshold_pct"]}, True
    wear = max(counts(passport, "wear_pct").values(), default=0)
    if wear >= HIGH_WEAR:
        yield "worn", {"wear": wear}, True
    events = counts(passport, "counts")
    yield from ((name, {"count": events[name]}, True) for name in COUNTS if events.get(name))
    native = run.plan.device.native_bytes
    if native:
        yield "hidden", {"capacity": run.plan.device.capacity_bytes, "native": native}, True
    now, most = str(run.plan.device.facts.get("link", "")), capable_of(run.plan.device)
    if now and most and now != most:
        yield "link", {"now": now, "most": most}, True


def _warnings(bits: object, *, spare_known: bool) -> Rows:
    """Yield each bit of the critical warning, but not that of the spare blocks if their share is reported.

    Bits that the standard does not define are one row.
    """
    if not isinstance(bits, int):
        return
    named: Rows = ((key, {}, True) for bit, key in WARNINGS.items() if bits & bit)
    yield from (row for row in named if not (spare_known and row[0] == "warning_spare"))
    if other := bits & ~sum(WARNINGS):
        yield "warning", {"bits": f"{other:#x}"}, True


def _remarks(run: Run, passport: Mapping[str, Any]) -> Rows:
    hours, written = counts(passport, "hours"), counts(passport, "written_bytes")
    if SMART in hours and hours[SMART] <= MOST_HOURS:
        yield "age", {"hours": hours[SMART]}, False
    if SMART in written:
        times = written[SMART] / run.plan.device.capacity_bytes
        yield "written", {"written": written[SMART], "times": times}, False
    facts = run.plan.device.facts
    yield from ((key, {"value": str(facts[name])}, False) for name, key in KINDS.items() if facts.get(name))
    unread = passport.get("unread")
    if isinstance(unread, list) and unread:
        yield "unread", {"logs": "; ".join(map(str, unread))}, False
    elif not hours and not run.plan.device.virtual and run.plan.device.kind not in ("file", "block", "md"):
        yield "no_hours", {}, False
