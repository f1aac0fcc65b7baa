"""Judges of rests, caches, zones and depths, each by the law of its drive."""

from collections.abc import Callable

from stend.findings import Finding
from stend.model.definition import Hold, Workload
from tests.drives.answers import Cached, Deep, Rests, Zoned
from tests.drives.course import between, near
from tests.drives.law import SURE, Played
from tests.drives.opinion import Judge, Opinion

POSITIONS = 128
"""Of the profile of the range."""

RESTS = (5, 10, 15, 25, 50)


def idle_recovery(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge which rests bring back how much."""
    law, values, own = one.drive.law, finding.values, Opinion(finding, text, tells=one.drive.tells)
    assert isinstance(law, Rests)
    levels = {rest: law.after(rest) for rest in RESTS}
    fresh = max(r.counts.iops for r in one.run.of(one.drive.test, "saturate"))
    best = max(levels.values())
    before = law.fast if not one.drive.tells else law.slow
    own.test("before", lambda v: near(v, before) or not one.drive.tells, (before,))
    own.test("befores", lambda v: all(near(rate, before) for rate in v.values()) or not one.drive.tells, (before,))
    own.test("least", lambda v: near(v, before) or not one.drive.tells, (before,))
    own.number("fresh", fresh)
    own.test("best", lambda v: near(v, best) or not one.drive.tells, (best,))
    own.test("best_rest", lambda v: near(levels.get(int(v), 0), best), RESTS[-1:])
    own.test("low", lambda v: (near(v, best) and v <= values["best"]) or not one.drive.tells, (best,))
    own.test("high", lambda v: (near(v, best) and v >= values["best"]) or not one.drive.tells, (best,))
    if "gain" in values:
        own.number("gain", values["best"] / values["before"], within=0.02)
    own.test("levels", lambda v: all(near(rate, levels[int(rest)]) for rest, rate in v.items()), levels.values())
    own.number("longest", RESTS[-1])
    back = [rest for rest in RESTS if levels[rest] >= 0.9 * fresh]
    close = [rest for rest in RESTS if 0.86 <= levels[rest] / fresh < 0.94]
    own.test("needed", lambda v: v in back[:1] or v in close, back[:1])
    own.fact("recovers", finding.key != "recovers" or bool(back or close), "no rest is enough")
    own.fact("partly", finding.key != "partly" or not back or bool(close), "a rest is enough")
    own.fact("none", finding.key != "none" or best < 1.15 * law.slow, "rests bring something back")
    if finding.key not in ("because", "short"):
        own.facts, own.most = {"end"}, one.drive.end
    own.judged |= {"because", "disturbed"}
    return own.close()


def cache_policy(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge the policy of a cache, and how much faster it makes reads."""
    law, own = one.drive.law, Opinion(finding, text, tells=one.drive.tells)
    assert isinstance(law, Cached)
    if finding.key != "short":
        known = law.KEEPS[law.policy] if finding.key == "keeps" else finding.key == law.policy
        own.fact("policy", known, f"it is {law.policy}")
        own.facts = {"end"}
    loads = [load for load in loads_of(one, "warm-reads") if load.read_pct == 100]
    own.judged |= {"written", "range"}
    if finding.key not in ("short", "because", "unwarmed"):
        least = min(load.outstanding for load in loads)
        own.number("depth", least, within=0.0)
        loads = [load for load in loads if load.outstanding == least]
    gains = [law.rate(load, 1.0).iops / law.rate(load, 0.0).iops for load in loads]
    writes = gains if law.KEEPS[law.policy] else [1.0]
    own.test("gain", lambda v: between(v, min(gains), max(gains), 0.05), gains)
    own.test("gain_writes", lambda v: between(v, min(writes), max(writes), 0.05), writes)
    hits = law.share(loads[0])
    own.test("hits", lambda v: abs(v - hits) < 0.05, (hits,))
    own.test("hits_writes", lambda v: abs(v - hits * law.KEEPS[law.policy]) < 0.05, (hits,))
    if finding.key in ("back", "keeps"):
        warm = loads_of(one, "warm-up-writes")[0]
        media = [law.rate(load, 0.0).iops for load in loads_of(one, "cold") if load.read_pct == 100]
        held = [law.rate(warm, 1.0).iops / rate for rate in media]
        own.test("held", lambda v: between(v, min(held), max(held), 0.25), held)
    own.judged.add("held")
    return own.close()


def hot_range(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge how a part of the drive becomes faster by use."""
    law, values, own = one.drive.law, finding.values, Opinion(finding, text, tells=one.drive.tells)
    assert isinstance(law, Cached)
    load = loads_of(one, f"mix-{str(values['mix']).partition('/')[0]}")[0]
    cold, end = law.rate(load, 0.0).iops, law.rate(load, 1.0).iops
    keeps = load.read_pct or law.KEEPS[law.policy]
    gain = end / cold if keeps else 1.0
    own.number("gain", gain, within=0.05)
    own.number("range", load.range_bytes, within=0.001)
    share = law.share(load)
    own.test("hits", lambda v: abs(v - share) < 0.05, (share,))
    own.number("size", share * load.range_bytes)
    warm = warmed(lambda part: law.rate(load, part).iops, cold + 0.9 * (end - cold)) * law.fill_s
    own.test("warm_s", lambda v: between(v, warm, warm, 0.15) or abs(v - warm) < 150, (warm,))
    own.fact("holds", finding.key != "holds" or share > 0.85, f"it holds {share:.0%}")
    own.fact("part", finding.key != "part" or 0 < share < 0.97, f"it holds {share:.0%}")
    own.fact("none", finding.key != "none" or near(gain, 1, 0.1), f"{gain:.2f} times")
    own.facts = {"end"}
    return own.close()


def warmed(rate: Callable[[float], float], wanted: float) -> float:
    """Return how warm a part is when its rate reaches the wanted one."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if rate(middle) < wanted else (low, middle)
    return high


def loads_of(one: Played, phase: str) -> list[Workload]:
    """Return the loads of a phase."""
    steps = [r.step for r in one.run.of(one.drive.test, phase)]
    return list(dict.fromkeys(step.workload for step in steps if isinstance(step, Hold)))


def zones(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge the rates at both ends of the range."""
    law, own = one.drive.law, Opinion(finding, text, tells=one.drive.tells)
    assert isinstance(law, Zoned)
    own.test("outer", lambda v: near(v, law.outer, 0.06), (law.outer,))
    own.test("inner", lambda v: near(v, law.inner, 0.06), (law.inner,))
    own.number("ratio", law.outer / law.inner)
    zoned = law.outer > 1.1 * law.inner
    own.fact("zones", finding.key != "zoned" or zoned, "it has none")
    own.fact("even", finding.key != "even" or not zoned, "it has zones")
    own.fact("even", finding.key != "even" or law.spot[0] > 1 or own.most < SURE, "one spot is slow")
    own.fact("spot", finding.key not in ("spot", "slower") or law.spot[0] < 1, "no spot is slow")
    begin, end = law.spot
    own.test("low_from", lambda v: abs(v - begin) < 1.01 / POSITIONS, (begin,))
    own.test("low_to", lambda v: abs(v - end) < 1.01 / POSITIONS, (end,))
    own.number("low", law.slow * law.outer)
    if finding.key in ("zoned", "even", "spot"):
        own.facts = {"end"}
    return own.close()


def depth_scaling(finding: Finding, one: Played, text: str) -> Opinion | None:
    """Judge how much more IOs at once bring."""
    values, own = finding.values, Opinion(finding, text, tells=one.drive.tells)
    iops = depths(one)
    own.test("deep", lambda v: v == max(iops), (max(iops),))
    own.test("single", lambda v: v == min(iops), (min(iops),))
    own.number("gain", iops[int(values["deep"])] / iops[int(values["single"])], within=0.05)
    most = max(iops.values())
    fits = [depth for depth, rate in iops.items() if rate >= 0.97 * most]
    own.test("enough", lambda v: iops[int(v)] >= 0.93 * most and v <= min(fits), (min(fits),))
    own.facts = {"end"}
    return own.close()


def depths(one: Played) -> dict[int, float]:
    """Return the true IOPS by the operations outstanding."""
    law = one.drive.law
    if isinstance(law, Deep):
        return {load.outstanding: law.iops(load.outstanding) for load in loads_of(one, "curve-100-4k")}
    loads = [load for load in loads_of(one, "cold") if load.read_pct == 100]
    return {load.outstanding: law.rate(load, 0.0).iops for load in loads}


def response_limit(finding: Finding, one: Played, text: str) -> Opinion:
    """Judge up to which load the response time stays low."""
    own, iops = Opinion(finding, text, tells=one.drive.tells), depths(one)
    waits = {depth: depth / rate for depth, rate in iops.items()}
    single = waits[min(waits)]
    fits = [depth for depth, wait in waits.items() if wait <= 1.95 * single]
    near_fits = [depth for depth, wait in waits.items() if 1.95 * single < wait <= 2.05 * single]
    own.test("outstanding", lambda v: v in near_fits or near(iops[int(v)], iops[max(fits)], 0.05), (max(fits),))
    own.test("iops", lambda v: any(near(v, iops[d], 0.03) for d in [*fits[-1:], *near_fits]), (iops[max(fits)],))
    own.number("unloaded", single, within=0.03)
    most = max(iops.values())
    own.number("most", most, within=0.03)
    tops = [waits[depth] for depth, rate in iops.items() if rate > 0.97 * most]
    own.test("most_s", lambda v: between(v, min(tops), max(tops), 0.05), tops)
    own.facts = {"end"}
    return own.close()


JUDGES: dict[str, Judge] = {
    "idle_recovery": idle_recovery, "cache_policy": cache_policy, "hot_range": hot_range, "zones": zones,
    "depth_scaling": depth_scaling, "response_limit": response_limit,
}  # fmt: skip
