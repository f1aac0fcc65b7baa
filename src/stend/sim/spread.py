"""No two drives of a model are alike, nor two runs of one: `?unit=7&run=3&spread=1` draws how they differ.

A time or rate is multiplied by exp(N(0, s)), N being normal: `UNIT` has s by parameter for a unit of the model, `RUN`
that of all times of a run together. A unit's bad blocks take an exponential share of the spare space, a run's room is
some kelvin warmer or colder. `spread` multiplies every s and mean: 1 is as stated, 0 (the default) none at all. The
same name, seed, unit and run are the same drive again, whichever machine draws it.
"""

from random import Random
from typing import Any, TypeVar

import msgspec

Drive = TypeVar("Drive", bound=msgspec.Struct)
UNIT: dict[str, dict[str, float]] = {
    "flash": {"read_us": 0.02, "program_us": 0.02, "erase_us": 0.02},
    "disk": {"outer_mb_s": 0.01, "inner_mb_s": 0.01, "settle_ms": 0.02, "full_seek_ms": 0.02},
    "array": {"read_us": 0.02, "write_us": 0.02},
    "host": dict.fromkeys(("read_command_us", "write_command_us", "read_answer_us", "write_answer_us"), 0.01),
    "thermal": {"kelvin_per_w": 0.05},
}
"""Part -> parameter -> s of its logarithm, from unit to unit."""
RUN = 0.005
"""s of the logarithm of all times of a run together; rates fall as times rise."""
TIMES = ("_us", "_ms")
BAD_PCT = 0.5
"""Mean of the exponential distribution of what bad blocks take of a unit, percent of its user capacity."""
MOST_BAD = 0.25
"""No more than this share of the spare space, or the unit is not sold."""
ROOM_K = 2.0
"""Standard deviation of a room's temperature from run to run, in kelvin."""


def varied(spec: Drive) -> Drive:
    """The `Spec` of that unit in that run; the same where there is no spread."""
    given: Any = spec
    return _drawn(given) if given.spread else spec


def _drawn(spec: Any) -> Any:
    of = f"{spec.name} {spec.seed} {spec.unit}"
    unit, run = Random(of), Random(f"{of} {spec.run}")  # noqa: S311 drives, not secrets
    changed: dict[str, Any] = {"seed": run.getrandbits(61)}
    slower = _factor(run, RUN * spec.spread)
    for name, widths in UNIT.items():
        part = getattr(spec, name)
        factors = {field: _factor(unit, wide * spec.spread) for field, wide in widths.items()}
        if part is not None:
            changed[name] = msgspec.structs.replace(part, **_parameters(part, factors, slower))
    if spec.flash is not None:
        bad = min(unit.expovariate(1.0) * BAD_PCT * spec.spread, MOST_BAD * spec.flash.spare_pct)
        changed["flash"] = msgspec.structs.replace(changed["flash"], spare_pct=spec.flash.spare_pct - bad)
    warmer = run.gauss(0, ROOM_K * spec.spread)
    changed["thermal"] = msgspec.structs.replace(changed["thermal"], ambient_c=spec.thermal.ambient_c + warmer)
    return msgspec.structs.replace(spec, **changed)


def _parameters(part: Any, factors: dict[str, float], slower: float) -> dict[str, float]:
    """A part's own parameters; where a unit's is a time or a rate, the run changes it too."""
    return {
        field: getattr(part, field)
        * factor
        * (slower if field.endswith(TIMES) else 1 / slower if "mb_s" in field else 1)
        for field, factor in factors.items()
    }


def _factor(dice: Random, wide: float) -> float:
    return dice.lognormvariate(0, wide)
