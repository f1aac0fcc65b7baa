"""Judges of what is stated about written drives: SLC caches, saturations, and the reasons for "can't tell"."""

import math
from itertools import pairwise
from typing import Any

from stend.findings import Finding
from tests.drives.course import ABOUT, NEAR, Course, between, near
from tests.drives.law import LIKELY, SURE, UNKNOWN, Played
from tests.drives.opinion import Judge, Opinion
from tests.drives.reasons import because, settled

STEP = 1.25
"""A step that everybody calls one: down by a fifth."""
SEEN = 5
"""Samples of the first level below which nobody can tell a level from a start."""
FILLS = 2.0
"""Capacities after which a random load has met every block."""


def slc_cache(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge a statement about sequential writes over the whole drive."""
    course, drive = Course(one, str(finding.values["state"])), one.drive
    own = Opinion(finding, text, tells=tells(course), most=SURE)
    levels = [course.levels(at)[0] for at in range(course.reached + 1)]
    reached = course.reached
    if course.rested:
        levels, reached = levels[-1:], course.reached
    first_at = reached if course.rested else 0
    values = finding.values
    own.test("first", lambda v: course.is_level(v, first_at) or course.early(v), (levels[0], course.first))
    own.test("last", lambda v: course.is_level(v, reached) or course.late(v), (levels[-1], course.rate(0.95, 1)))
    own.test("steps", lambda v: v in counts(levels), [len(levels)])
    places = [written for _, written in course.crossed]
    own.number("size", *places[:1], within=own.within)
    if "size" in values:
        own.number("share", values["size"] / drive.capacity, within=0.02)
    if "size" in values and "steps" in values:
        own.fact("cache", drive.form in ("levels", "late heat", "slight"), f"no cache: {drive.form}")
    own.test("rates", lambda v: alike(v, course, 0), levels)
    own.test("rest", lambda v: alike(v, course, 1), levels[1:])
    own.test("ends", lambda v: len(v) < len(places) or (len(v) == len(places) and all(map(near, v, places))), places)
    own.test("least", lambda v: hidden(v, course), places[:1])
    own.test("scatter", lambda v: between(v, 0, 3 * drive.noise + 0.02))
    own.test("samples", lambda v: v <= len(course.table), [len(course.table)])
    paused(own, course)
    if finding.key == "gradual":
        own.fact("gradual", drive.form == "gradual", drive.form)
    own.facts = {"place", "end"} & ({"place"} if "size" in values else set()) | ends(finding)
    own.most = max(ceiling(own.facts, course), LIKELY if values.get("disturbed") else UNKNOWN)
    because(own, course)
    return own.close()


def ends(finding: Finding) -> set[str]:
    """Return {"end"} where the finding states the last level as one."""
    return {"end"} if finding.key not in ("because", "short") and {"last", "end"} & set(finding.values) else set()


def counts(levels: list[float], less: int = 0) -> set[int]:
    """Return how many levels may be counted: neighbours that differ by less than a third may be one."""
    clear = sum(1 for high, low in pairwise(levels) if high > low * 4 / 3)
    return set(range(clear + 1 - less, len(levels) + 1 - less))


def alike(values: list[float], course: Course, first: int) -> bool:
    """Return whether rates are those of the levels from `first` on, some of them perhaps joined."""
    if len(values) == course.reached + 1 - first:
        return all(course.is_level(value, at) for at, value in enumerate(values, first))
    return all(between(value, min(rates(course)), max(rates(course))) for value in values)


def rates(course: Course) -> list[float]:
    """Return the rates of all levels that were reached."""
    return [rate for at in range(course.reached + 1) for rate in course.levels(at)]


def hidden(least: float, course: Course) -> bool:
    """Return whether no step by a fifth lies where a cache of `least` or more would show."""
    if course.rested:
        return True
    drive = course.played.drive
    if course.reached < len(drive.levels) - 1:
        return least >= course.written * (1 - NEAR)
    for at, (_, written) in enumerate(course.crossed):
        falls = course.levels(at)[0] > STEP * 1.02 * course.levels(at + 1)[0]
        if falls and written >= least and drive.form not in ("gradual",):
            return False
    return True


def tells(course: Course) -> frozenset[str]:
    """Return the facts that a careful expert states of this phase."""
    drive = course.played.drive
    if course.rested:
        return frozenset({"end"}) if drive.tells else frozenset()
    known = set(drive.tells)
    if not course.crossed or course.samples_before(course.crossed[0][0]) < SEEN:
        known -= {"place"}
    if course.reached < len(drive.levels) - 1:
        known -= {"end"}
    return frozenset(known)


def ceiling(facts: set[str], course: Course) -> int:
    """Return the highest confidence that the record allows for these facts."""
    drive = course.played.drive
    if course.rested:
        return SURE
    most = [drive.place] if "place" in facts else []
    most += [drive.end] if "end" in facts else []
    return min(most, default=SURE)


def saturation(finding: Finding, one: Played, text: str) -> Opinion | None:
    """Judge a statement about random writes that were never paused."""
    course, drive, values = Course(one, "saturate"), one.drive, finding.values
    if not course.records:
        return None
    own = Opinion(finding, text, tells=tells(course))
    in_first = bool(course.crossed) and course.crossed[0][0] < course.records[0].counts.seconds * 1.5
    left = bool(course.crossed) and course.crossed[0][0] < course.records[0].counts.seconds * 0.9
    about = own.within > NEAR
    own.test(
        "start",
        lambda v: (
            (not left and near(v, course.first, own.within))
            or ((in_first or about) and course.is_level(v, 0, own.within))
        ),
        (course.first,),
    )
    own.test("last", course.late, (course.rate(0.95, 1),))
    own.test("end", lambda v: ended(v, course), course.levels(course.reached))
    if own.shows("ratio"):
        own.number("ratio", values["start"] / values.get("end", values["last"]), within=0.03)
    own.test("levels", lambda v: stairs(v, course), [w for _, w in course.crossed])
    place(own, course)
    own.number("bytes", course.written)
    own.number("seconds", course.seconds, within=0.02)
    own.test("level", lambda v: course.is_level(v, 0, own.within) or course.early(v), course.levels(0))
    own.test("settled", lambda v: not v or settled(course))
    own.test("hours", lambda v: not v or course.seconds >= 3600)
    own.number("fills", course.written / drive.capacity)
    own.test("scatter", lambda v: between(v, 0, 3 * drive.noise + 0.05))
    paused(own, course)
    if finding.key == "flat":
        steep = [at for at in range(len(course.crossed)) if course.levels(at)[0] > STEP * course.levels(at + 1)[0]]
        own.fact("no knee", not steep, "the rate falls")
    if finding.key == "falling":
        own.fact("falling", drive.form == "falling" or not settled(course), f"{drive.form}, settled")
    if finding.key == "declines":
        own.fact("declines", drive.form == "falling", drive.form)
    shown = {name for name in values if own.shows(name)}
    own.facts = ({"place"} if {"knee_s", "knee_bytes", "levels"} & shown else set()) | ({"end"} & shown)
    own.most = ceiling(own.facts, course)
    if "end" in own.facts and course.written < FILLS * drive.capacity * 0.97:
        own.most = UNKNOWN
    because(own, course)
    return own.close()


def paused(own: Opinion, course: Course) -> None:
    """Judge when a pause began and how long it was."""
    drive = course.played.drive
    at, long = drive.pause if drive.pause[1] else only_dip(course)
    step = 2 * float(course.table[:, 0].max()) if len(course.table) else 0.0
    own.test("pause_at", lambda v: abs(v - at) <= 0.05 * at + step, (at,))
    own.test("pause_s", lambda v: abs(v - long) <= 0.1 * long + step, (long,))
    share = drive.pause_share or (drive.shape(at + long / 2) if long else 1.0)
    own.number("pause_rate", share * drive.levels[0].rate)
    own.fact("stands still", own.finding.key != "paused" or share < 0.1, f"it runs at {share}")


def only_dip(course: Course) -> tuple[float, float]:
    """Return when the only stretch below half of the rate began and how long it was; never, where there are several."""
    shape = course.played.drive.shape
    low = [second for second in range(int(course.seconds)) if shape(second + 0.5) < 0.5]
    whole = bool(low) and low[-1] - low[0] == len(low) - 1
    return (low[0], len(low)) if whole else (math.inf, 0.0)


def stairs(values: tuple[Any, ...], course: Course) -> bool:
    """Return whether each level is stated with its rate and its end."""
    left = list(enumerate(course.crossed))
    for stated in values:
        level, within = stated.values, ABOUT if stated.values.get("about") else NEAR
        met = [(at, place) for at, place in left if stands(level, course, at, place, within)]
        if not met:
            return False
        left = [(at, place) for at, place in left if at > met[0][0]]
    return len(values) in counts([course.levels(at)[0] for at in range(course.reached + 1)], 1)


def stands(level: dict[str, Any], course: Course, at: int, place: tuple[float, float], within: float) -> bool:
    """Return whether a stated level is the one of this number, with the place where it ends."""
    seconds, written = place
    later = written + course.fall(at)[0]
    rate = course.is_level(level["rate"], at, within) or (at == 0 and near(level["rate"], course.first))
    right = between(level["s"], seconds, course.seconds_at(later), within)
    return rate and right and between(level["bytes"], written, later, within)


def ended(value: float, course: Course) -> bool:
    """Return whether a value is the last level; of a drive without one, the rate at the end."""
    loose = course.played.drive.form != "levels" or course.played.drive.end < SURE
    return course.is_level(value, course.reached) or (loose and course.late(value))


def place(own: Opinion, course: Course) -> None:
    """Judge when and after how many bytes the first level ended, and when the last one was reached."""
    drive, within = course.played.drive, own.within
    if not course.crossed:
        begun, half = shaped(course)
        truth_s, truth_bytes = (begun[0], half[0]), (begun[1], half[1])
    else:
        seconds, written = course.crossed[0]
        later = written + course.fall(0)[0]
        truth_s, truth_bytes = (seconds, course.seconds_at(later)), (written, later)
    own.test("knee_s", lambda v: between(v, *truth_s, within) if truth_s[0] else False, truth_s)
    own.test("near", lambda v: v == 0.1)  # how near to its last level the rate has come then
    own.test("knee_bytes", lambda v: between(v, *truth_bytes, within) if truth_bytes[0] else False, truth_bytes)
    if course.crossed:
        seconds, written = course.crossed[-1]
        low = next(s for at, (s, _) in enumerate(course.crossed) if low_enough(course, at + 1))
        done = course.seconds_at(written + course.fall(len(course.crossed) - 1)[1])
        slack = ABOUT if drive.noise > 0.1 or drive.end < SURE else within
        step = 2 * course.table[-1, 0]
        own.test("settled_s", lambda v: low * (1 - slack) <= v <= done * (1 + slack) + step, (seconds, done))
    else:
        own.test("settled_s", lambda v: 0 < v <= course.seconds)


def low_enough(course: Course, at: int) -> bool:
    """Return whether a level is at the last one, or below it."""
    return course.levels(at)[0] <= (1 + ABOUT) * course.levels(course.reached)[0]


def shaped(course: Course) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return between which (seconds, bytes) a rate without levels leaves its first tenth and passes half its fall."""
    rates = course.table[:, 1] / course.table[:, 0] / course.unit
    low, high, last = course.first * 0.9, course.first, course.rate(0.98, 1)
    half = min((high * max(last, 1)) ** 0.5, low)
    found = []
    for bound in (low, half):
        below = (rates < bound).nonzero()[0]
        at = int(below[0]) if len(below) else 0
        found.append((float(course.table[:at, 0].sum()), float(course.table[:at, 1].sum())))
    return found[0], found[1]


JUDGES: dict[str, Judge] = {"slc_cache": slc_cache, "saturation": saturation}
