"""Watts and wake-up latencies of drawn virtual drives, as the tests `power` and `wake` show them, against the models.

The truth comes from the parameters of each drive alone: the state after a rest, its watts, its exit latency, and the
energy of the bytes and commands of each load. Disks and arrays are read; drives of flash too, because what their
cleaning moves is no parameter. A statement counts as false if it is graded sure and contradicts the parameters.
"""

import os
import tempfile
import tomllib
from collections.abc import Iterator
from importlib import resources
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

import msgspec

from stend import findings, session, store
from stend.findings.look import woken
from stend.findings.look.figures import Figures, listed
from stend.findings.look.powered import rests
from stend.findings.look.woken import levels
from stend.model.record import Run
from stend.sim import load
from stend.sim.spec import Power, PowerState, Spec

DRIVES = int(os.environ.get("STEND_POWER_DRIVES", "60"))
WITHIN, BIN = 0.02, 0.016
"""Largest error, and the width of a bin of response times, in parts of a figure."""
KINDS = ("ideal", "small", "kc2000", "x25e-raid", "sas15k")
PROFILE = """title = "Short loads, rests as they are"
specification = "2.0.2"
device_class = "enterprise"
write_cache = "disabled"
minute_s = 2
second_s = 1
rounds = 1
"""
WAKES = 1.5
"""Times the usual response time from which a wake-up must be found."""


class Check(NamedTuple):
    """A figure, the truth of it, and the half width of the 95 % interval that the page states with it."""

    what: str
    found: float
    truth: float
    interval: float = 0.0

    @property
    def error(self) -> float:
        """Return the relative error."""
        return self.found / self.truth - 1 if self.truth else 0.0

    @property
    def fine(self) -> bool:
        """Return True if the stated interval is narrow enough to be judged by `WITHIN`."""
        return self.interval <= WITHIN * self.found


def drawn(number: int) -> tuple[str, Power]:
    """Return a kind and a power: up to three states, each deeper, later and slower to leave than the one before."""
    dice = Random(f"power {number}")
    kind = KINDS[number % len(KINDS)]
    turning = kind == "sas15k"
    idle_w = dice.uniform(3, 8) if turning else dice.uniform(0.3, 8)
    states, after_ms, watts, exit_ms = list[PowerState](), 0.0, idle_w, 0.0
    for _ in range(dice.choice((0, 1, 1, 2) if turning else (0, 1, 2, 3))):
        after_ms = max(after_ms, dice.choice((4000, 5000) if turning else (4, 30))) * dice.uniform(1.3, 6)
        watts *= dice.uniform(0.02, 0.5)
        exit_ms = after_ms * dice.uniform(0.1, 0.3) if turning else max(exit_ms, 0.02) + after_ms**0.5 * dice.random()
        states.append(PowerState(sleep_after_ms=after_ms, watts=watts, exit_ms=exit_ms, exit_w=idle_w * 1.5))
    return kind, Power(
        idle_w=idle_w,
        read_w=idle_w + dice.uniform(1, 8),
        write_w=idle_w + dice.uniform(1, 12),
        command_uj=0 if turning else dice.uniform(0, 10),
        states=tuple(states),
    )


def written(folder: Path, kind: str, power: Power) -> str:
    """Write the description of a drive, and return its target."""
    described = tomllib.loads((resources.files("stend.sim") / "profiles" / f"{kind}.toml").read_text())
    path = folder / "drive.toml"
    cool = {"kelvin_per_w": 0.5}  # a hot drive's statements are never sure
    path.write_bytes(msgspec.toml.encode(described | {"power": msgspec.to_builtins(power), "thermal": cool}))
    return f"sim:{path}"


def measured(folder: Path, target: str, profile: Path, tests: list[str]) -> Run:
    """Run tests, and return the run."""
    request = session.Request(tests, target, str(profile), seed=1, into=str(folder))
    with session.start(request) as running:
        for _ in running:
            pass
    return store.load(folder)


def state(power: Power, rest_s: float) -> PowerState | None:
    """Return the state after a rest."""
    return next((s for s in reversed(power.states) if s.sleep_after_ms <= rest_s * 1e3), None)


def resting_w(power: Power, begin_s: float, end_s: float) -> float:
    """Return the mean watts between two moments of a rest."""
    edges = [
        begin_s,
        *(s.sleep_after_ms / 1e3 for s in power.states if begin_s < s.sleep_after_ms / 1e3 < end_s),
        end_s,
    ]
    joules = 0.0
    for a, b in pairwise(edges):
        asleep = state(power, (a + b) / 2)
        joules += (b - a) * (asleep.watts if asleep else power.idle_w)
    return joules / (end_s - begin_s)


def loaded_w(spec: Spec, row: Figures) -> float | None:
    """Return the watts of a load by its bytes and commands; None if they do not determine them."""
    power, reads = spec.power, row.workload.read_pct == 100
    sleeps = row.workload.rate_iops and state(power, 1 / row.workload.rate_iops)
    if sleeps or (not reads and spec.kind != "ideal"):
        return None
    top_w = (power.read_w if reads else power.write_w) - power.idle_w
    if spec.kind == "disk":
        return power.idle_w + top_w if not row.workload.rate_iops and row.workload.random_pct else None
    busy = row.number("throughput") / 1e6 / (spec.host.read_mb_s if reads else spec.host.write_mb_s)
    return power.idle_w + min(top_w * min(busy, 1) + row.iops * power.command_uj / 1e6, top_w)


def exits(power: Power, gap_s: float, usual_s: float, reads: int) -> list[float]:
    """Return the exit latencies of reads that are due at even gaps: a long one shortens the next rest."""
    found, last_s = list[float](), 0.0
    for _ in range(reads):
        asleep = state(power, gap_s - last_s)
        found.append(asleep.exit_ms / 1e3 if asleep else 0.0)
        last_s = usual_s + found[-1]
    return found


def wakes(run: Run, power: Power, kind: str) -> tuple[list[Check], list[str]]:
    """Return the latencies after rests, and false statements of the test `wake`."""
    rows = [row for row in listed(run, "wake", "rests") if row.direction == "both" and row.tally.ios]
    usual_s = next(row.value("p50") or 0.0 for row in rows if not row.workload.rate_iops)
    checks, slept = list[Check](), dict[float, float]()
    every = woken.rests(run, "wake")[1]
    held = levels(every)
    for row in rows:
        if not (rate := row.workload.rate_iops):
            continue
        rest_s = 1 / rate
        exits_s = exits(power, rest_s, usual_s, row.tally.ios)
        slept[rest_s] = usual_s + median(exits_s)
        rest = next((rest for rest in every if abs(rest.rest_s / rest_s - 1) < 1e-3), None)
        if rest and rest.parts:
            light_s, deep_s = min(exits_s), max(exits_s)
            truth = rest.parts._replace(fast_s=usual_s + light_s, slow_s=usual_s + deep_s, slow=exits_s.count(deep_s))
            checks += [
                Check(f"wake after {rest_s:g} s, {what}", found, value)
                for what, found, value in zip(truth._fields, rest.parts, truth, strict=True)
            ]
        elif kind != "sas15k" or slept[rest_s] > 100 * usual_s:
            at = next(level for level in held if level.from_s * 0.999 <= rest_s <= level.to_s * 1.001)
            checks.append(Check(f"wake after {rest_s:g} s", at.median.mid_s, slept[rest_s], at.error_s))
    asleep_s = [rest_s for rest_s, first_s in sorted(slept.items()) if first_s > WAKES * usual_s]
    return checks, list(_false_wakes(run, slept, asleep_s))


def _false_wakes(run: Run, slept: dict[float, float], asleep_s: list[float]) -> Iterator[str]:
    for finding in (f for f in findings.find(run, {}) if f.name == "wake" and f.confidence == "high"):
        values = finding.values
        match finding.key:
            case "awake" | "awake_host" if asleep_s:
                yield f"called awake, asleep after {asleep_s[0]:g} s"
            case "sleeps" | "sleeps_soon":
                if not asleep_s or not values["from"] < asleep_s[0] * (1 - WITHIN) < values["to"]:
                    yield f"asleep from {values['from']:g} to {values['to']:g} s, in truth {asleep_s[:1]}"
                truth = min(slept.items(), key=lambda one: abs(one[0] - values["rest"]))[1]
                if abs(values["after_s"] / truth - 1) > 2 * WITHIN:
                    yield f"{values['after_s']:g} s after {values['rest']:g} s, in truth {truth:g}"
            case "deeper":
                before, after = (min(slept.items(), key=lambda one: abs(one[0] - values[k]))[1] for k in ("from", "to"))
                if after <= before * 1.3:
                    yield f"a deeper state between {values['from']:g} and {values['to']:g} s"


def watts(run: Run, spec: Spec) -> tuple[list[Check], list[str]]:
    """Return the watts at rest and under load, and false statements of the test `power`."""
    checks, false = list[Check](), list[str]()
    phases = ("loads-read", "loads-write", "rates")
    rows = [row for phase in phases for row in listed(run, "power", phase) if row.direction == "both" and row.power]
    for row in rows:
        if (truth := loaded_w(spec, row)) is not None:
            checks.append(Check(f"watts of {row.workload.label}", row.number("watts"), truth))
    idle = {rest.rest_s: rest for rest in rests(run, "power")}
    for rest_s, rest in idle.items():
        truth = resting_w(spec.power, rest_s, rest_s + rest.level.seconds)
        checks.append(Check(f"idle after {rest_s:g} s", rest.level.mean, truth))
    for finding in (f for f in findings.find(run, {}) if f.name == "power" and f.confidence == "high"):
        for at, value in (("rest", "watts"), ("first_rest", "first")) if finding.key.startswith("idle") else ():
            rest_s = finding.values[at]
            truth = resting_w(spec.power, rest_s, rest_s + idle[rest_s].level.seconds)
            if abs(finding.values[value] / truth - 1) > WITHIN:
                false.append(f"{finding.values[value]:g} W after {rest_s:g} s, in truth {truth:g}")
    return checks, false


def judged(number: int, top: Path) -> tuple[list[Check], list[str]]:
    """Draw a drive, run both tests, print a line, and return the figures and the false statements."""
    folder, profile = top / str(number), top / "short.toml"
    folder.mkdir()
    profile.write_text(PROFILE)
    kind, power = drawn(number)
    run = measured(folder / "run", written(folder, kind, power), profile, ["wake", "power"])
    checks, false = wakes(run, power, kind)
    more, also = watts(run, load(str(folder / "drive.toml")))
    checks, false = checks + more, false + also
    worst = max(checks, key=lambda check: abs(check.error))
    print(
        f"{number} {kind}, {len(power.states)} states: {len(checks)} figures, worst {worst.error:+.2%} "
        f"({worst.what}: {worst.found:.4g} of {worst.truth:.4g}); false: {'; '.join(false) or 'none'}",
        flush=True,
    )
    return checks, false


def summary(every: list[Check]) -> Iterator[str]:
    """Yield a line for each kind of figure."""
    for what in ("wake", "idle", "watts"):
        errors = sorted(abs(check.error) for check in every if check.what.startswith(what))
        within = sum(error <= WITHIN for error in errors) / max(len(errors), 1)
        yield (
            f"{what}: {len(errors)} figures, median {median(errors):.2%}, worst {errors[-1]:.2%}, "
            f"{within:.1%} within {WITHIN:.0%}"
        )
    wakes = [check for check in every if check.what.startswith("wake")]
    fine = [check for check in wakes if check.fine]
    held = sum(abs(check.found - check.truth) <= check.interval + BIN * check.truth for check in wakes)
    yield (
        f"wake: {len(fine)} figures with an interval within {WITHIN:.0%}, worst {max(abs(c.error) for c in fine):.2%}; "
        f"{held} of {len(wakes)} intervals hold the truth"
    )


def main() -> None:
    """Print a line for each drive, and the worst figures of all."""
    every, false = list[Check](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        for number in range(DRIVES):
            checks, wrong = judged(number, Path(name))
            every, false = every + checks, false + wrong
    print("\n".join(summary(every)))
    print(f"false statements graded sure: {len(false)} on {DRIVES} drives")


if __name__ == "__main__":
    main()
