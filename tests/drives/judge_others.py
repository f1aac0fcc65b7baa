"""Judges of heat, claims, tails, limits of the link, and verification by the steady-state rule."""

from itertools import pairwise
from typing import Any

import numpy as np

from stend.findings import Finding
from tests.drives.course import Course, between, near
from tests.drives.judge_writes import ceiling
from tests.drives.law import LIKELY, SURE, UNKNOWN, Played
from tests.drives.opinion import Judge, Opinion
from tests.drives.reasons import because, struck

PHASES = {
    "slc-cache": "fresh", "write-saturation": "saturate", "idle-recovery": "saturate", "lba-profile": "read",
    "cold-warm": "cold", "hot-range": "mix-100", "latency-curve": "curve-100-4k",
}  # fmt: skip


def course_of(one: Played) -> Course:
    """Return the main phase of the drive's test."""
    return Course(one, PHASES[one.drive.test])


def thermal(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge a statement about heat by all that the drive told."""
    drive, own = one.drive, Opinion(finding, text)
    looks = [look.values for look in one.run.telemetry]
    heats = [float(v) for look in looks for key, v in look.items() if key.startswith("temperature")]
    sound = [heat for heat in heats if -40 < heat < 150 and heat]
    top = max(sound, default=0.0)
    slow = drive.throttled_s < one.player.since()

    def near(told: str) -> bool:
        return bool(sound) and abs(float(told.split(maxsplit=1)[0].replace("\u2212", "-")) - top) <= 1.5

    own.test("top", near, (top,))
    own.test("up_to", lambda v: near(v.values["top"]) if v else not sound, (top,))
    own.test("limit", lambda v: 40 <= v <= 110)
    own.test("spans", lambda v: v >= 1)
    own.test("seconds", lambda v: spent(v, one))
    own.test("counted", lambda v: v == max(float(look.get("throttle_s", 0)) for look in looks))
    own.fact("heat", finding.key not in ("counted", "throttled") or slow, "nothing says that it throttled")
    own.test("minute", lambda v: struck(course_of(one), {"minute": v}))
    own.fact("heat", finding.key != "warned" or drive.event == "critical 0x02", "it gave no such warning")
    own.fact(
        "heat", finding.key not in ("hot", "cool", "warm") or not slow, "the drive says that it slowed down for heat"
    )
    own.fact("heat", finding.key not in ("cool", "warm") or top < 70, f"a sensor had {top} degrees")
    own.fact("heat", finding.key != "hot" or top >= 65, f"no sensor had more than {top} degrees")
    if finding.key in ("cool", "warm"):
        own.facts, own.most = {"heat"}, SURE if sound else UNKNOWN
    because(own, course_of(one))
    return own.close()


def spent(seconds: float, one: Played) -> bool:
    """Return whether the time of throttling is true but for the looks at both ends."""
    looks, since = [look.t for look in one.run.telemetry], one.drive.throttled_s
    gap = max((b - a for a, b in pairwise(looks)), default=0.0)
    true = one.player.since() - since
    return 0.9 * true - gap <= seconds <= true + 2 * gap + 5


def claims(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge what is stated about a claim of lasting random writes."""
    drive, course, values, own = one.drive, course_of(one), finding.values, Opinion(finding, text)
    claimed = drive.sheet["claimed"]["rand_write_4k"]
    own.number("claimed", claimed, within=0.01)
    last = course.levels(len(drive.levels) - 1)[0]
    for name in ("value", "beside"):
        own.test(name, lambda v: course.late(v) or near(v, course.first) or course.is_level(v, course.reached))
    if "value" in values:
        own.number("share", values["value"][0] / claimed, within=0.02)
    if finding.key in ("missed", "only_fresh", "near_fresh"):
        own.fact("claim", last < claimed, f"it is kept: {last:,.0f}")
    if finding.key.startswith("holds"):
        own.fact("claim", last > claimed, f"it is not kept: {last:,.0f}")
    if finding.key == "only_fresh":
        own.fact("fresh", course.first > claimed * 0.97, f"fresh {course.first:,.0f}")
    own.number("off", 1 - (course.first if finding.key == "near_fresh" else last) / claimed, within=0.2)
    if finding.key not in ("because", "unmeasured"):
        own.facts, own.most = {"claim"}, ceiling({"end"}, course)
        if course.written < 1.94 * drive.capacity:
            own.most = UNKNOWN
        if own.most == LIKELY and (finding.key.startswith("holds") or drive.undisturbed):
            own.most = SURE
    if drive.end == SURE and course.written > 2 * drive.capacity and drive.tells:
        own.tells = frozenset({"claim"})
    because(own, course)
    return own.close()


def tail(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge a statement about response times by the records."""
    course, own = course_of(one), Opinion(finding, text)
    most = max(r.counts.max_s for r in course.records)
    if finding.key != "beat" or one.drive.law is not None:
        own.number("longest", most, within=0.02)
    period = one.drive.period_s
    own.number("period", period)
    own.judged.add("longest")
    if "mean" in finding.values:
        last = course.records[-int(finding.values["records"]) :]
        mean = sum(r.counts.mean_s * r.counts.ios for r in last) / sum(r.counts.ios for r in last)
        own.number("mean", mean, within=0.05)
    own.test("tail", lambda v: tail_of(v, one, finding.values))
    own.fact("beat", finding.key != "beat" or period > 0, "nothing keeps time")
    because(own, course)
    return own.close()


def tail_of(value: float, one: Played, values: dict[str, Any]) -> bool:
    """Return whether the 99.99th percentile is that of the drive's mixture."""
    if one.drive.law is None:
        return bool(0 < value <= values["longest"] * 1.02)
    truth: float = one.drive.law.tail(values["mean"])
    return near(value, truth, 0.05 + 5 * one.drive.noise)


def limits(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge which rate was the most, and whether the link was the limit."""
    course, drive, own = course_of(one), one.drive, Opinion(finding, text)
    most = max(r.counts.bytes_per_s for r in course.records)
    peak = float((course.table[:, 1] / course.table[:, 0]).max())
    own.test("rate", lambda v: between(v, most, peak), (most, peak))
    own.test("link", lambda v: v is None or v > 0)
    own.test("busy", lambda v: 0 <= v <= 1)
    own.test("threads", lambda v: v >= 1)
    if finding.key == "link":
        own.fact("link", drive.cap < drive.levels[0].rate, "the drive is slower than its link")
    because(own, course)
    return own.close()


def steady_state(finding: Finding, one: Played, text: str) -> Opinion | None:
    """Judge what is stated of the rule by its window, and that only a level that is kept is called steady."""
    if one.drive.test != "write-saturation" or finding.key == "all":
        return None
    own, course, drive = Opinion(finding, text), course_of(one), one.drive
    verdict = next((v for j in reversed(one.run.judged) if j.where.phase == "saturate" for v in j.verdicts), None)
    if verdict is not None:
        y, x = np.array(verdict.values), np.array(verdict.rounds)
        slope = abs(float(np.polyfit(x, y, 1)[0])) * float(np.ptp(x)) / float(y.mean())
        own.number("excursion", float(np.ptp(y) / y.mean()), within=0.02)
        own.test("slope", lambda v: abs(v - slope) <= 0.02 * slope + 1e-6, (slope,))
        own.number("round", verdict.rounds[-1], within=0)
    own.judged |= {"allowed", "slope_allowed", "round", "rounds", "window"}
    if finding.key in ("reached", "fits"):
        own.facts, own.most = {"end"}, ceiling({"end"}, course)
        if course.written < 1.94 * drive.capacity:
            own.most = UNKNOWN
    because(own, course)
    return own.close()


JUDGES: dict[str, Judge] = {
    "thermal": thermal,
    "claims": claims,
    "tail": tail,
    "limits": limits,
    "steady_state": steady_state,
}
