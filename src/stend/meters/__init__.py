"""Meters of power that are read beside a load: one file per kind.

`--meter` selects one by `KIND`, `KIND:ADDRESS` or `KIND@SETTINGS:ADDRESS`. The settings, separated by commas, state
what only the operator knows: `drive` or `machine` (what the meter includes), the meter's error (`2%`), and the quantity
that a command prints, if it is not `watts`.

A meter never invents a value: a time without one stays without one, and a note states it.
"""

import math
import time
from contextlib import closing
from functools import cache
from importlib import import_module
from itertools import pairwise
from pkgutil import iter_modules
from statistics import fmean, stdev
from types import ModuleType
from typing import Any

from stend.base.errors import BadInput, StepFailed
from stend.base.text import did_you_mean, plain
from stend.devices import Device
from stend.meters._series import BLOCK_S
from stend.meters._types import Meter, Spec, Value
from stend.model.events import OWN
from stend.model.quantities import READINGS

__all__ = ["Meter", "Spec", "Value", "idle_noise", "kinds", "opened", "parse", "present", "refusal_in_order"]

MOST_SPEC = 1000
"""Characters of the specification of a meter."""


@cache
def kinds() -> list[str]:
    """Return the names of all kinds: the files of this package."""
    return sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_"))


def _module(kind: str) -> ModuleType:
    return import_module(f"{__name__}.{kind}")


def parse(text: str) -> Spec:
    """Split a specification into its parts. Raise BadInput for an unknown kind or setting, or a missing address."""
    head, _, address = text.partition(":")
    kind, _, settings = head.partition("@")
    if not text.isprintable() or len(text) > MOST_SPEC:
        raise BadInput(f"the meter {plain(text[:60])} is not one line of at most {MOST_SPEC} characters")
    if kind not in kinds():
        choices = "choose from " + ", ".join(kinds())
        raise BadInput(f"there is no meter {kind!r}{did_you_mean(kind, kinds(), choices)}")
    needed = getattr(_module(kind), "ADDRESS", "")
    if needed and not address.strip():
        raise BadInput(f"the meter {kind} needs an address: {kind}:{needed}")
    if address and not needed:
        raise BadInput(f"the meter {kind} has no address, but {text} gives one")
    scope, error, quantity = "", None, "watts"
    for setting in filter(None, settings.split(",")):
        if setting in ("drive", "machine"):
            scope = setting
        elif kind in ("cmd", OWN) and setting in READINGS:
            quantity = setting
        else:
            error = _error_pct(text, setting)
    return Spec(text, kind, address.strip(), scope, error, quantity)


def _error_pct(text: str, setting: str) -> float:
    try:
        value = float(setting.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not (setting.endswith("%") and 0 <= value <= 100):
        raise BadInput(f"{text}: the setting {setting} is not drive, machine or an error such as 2%")
    return value


def opened(spec: str, device: Device | None) -> Meter:
    """Return a meter that reads from now on. Without a device, return one outside the drive, to measure its noise.

    Errors: BadInput for an unknown kind, an address that does not fit, or a drive that does not report its power;
    Missing if a program or library is missing.
    """
    parsed = parse(spec)
    if device and device.identity.virtual and parsed.kind != OWN:
        raise BadInput(f"{device.identity.target} is virtual and has only the meter own, not {spec}")
    meter: Meter = _module(parsed.kind).opened(parsed, device)
    return meter


def idle_noise(spec: str, device: Device | None, seconds: float) -> dict[str, Any]:
    """Measure the noise of a meter while nothing uses the drive (`_noise`). Errors: those of `opened`, StepFailed."""
    with closing(opened(spec, device)) as meter:
        return noise(meter, seconds)


def refusal_in_order(spec: str) -> str:
    """Return why an order from another host may not select this meter, or an empty string.

    A command is code, and a file or an address makes this host read what the sender of the order chooses.
    """
    kind = parse(spec).kind
    allowed = [name for name in kinds() if getattr(_module(name), "IN_ORDERS", False)]
    return "" if kind in allowed else f"the meter {kind} is not allowed in a fleet, only {', '.join(allowed)}"


def present() -> list[tuple[str, str]]:
    """Return (specification, description) of the meters that this host has."""
    modules = map(_module, kinds())
    return [found for module in modules if hasattr(module, "present") for found in module.present()]


LEAST = 3
LOOK_S = 0.2


def noise(meter: Meter, seconds: float) -> dict[str, Any]:
    """Read a meter for some seconds, and return its facts and the scatter of its values in watts.

    `step_w` is the smallest difference of two values, None if values are means of several. Raise StepFailed if the
    meter gives fewer than three values.
    """
    meter.read()
    until, values = time.monotonic() + max(seconds, (LEAST + 1) * meter.facts.period_s), list[float]()
    while time.monotonic() < until:
        time.sleep(LOOK_S)
        values += [value.mean for value in meter.read()]
    if len(values) < LEAST:
        raise StepFailed(f"the meter {meter.facts.name} gave {len(values)} values; at least {LEAST} are needed")
    steps = [after - before for before, after in pairwise(sorted({round(value, 9) for value in values}))]
    return {
        "spec": meter.facts.spec,
        "name": meter.facts.name,
        "scope": meter.facts.scope,
        "period_s": meter.facts.period_s,
        "values": len(values),
        "mean_w": fmean(values),
        "deviation_w": stdev(values),
        "least_w": min(values),
        "most_w": max(values),
        "step_w": min(steps) if steps and meter.facts.period_s >= BLOCK_S else None,
        "notes": meter.words(),
    }
