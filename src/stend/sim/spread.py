"""Draw how drives of a model differ, and runs of one drive: `?unit=7&run=3&spread=1`.

A time or rate is multiplied by exp(N(0, s)) with a normal N. `UNIT` has s by parameter for a unit of the model, `RUN`
has s for all times of a run together. Bad blocks of a unit take an exponential share of the spare space. The room of a
run is some kelvin warmer or colder. `spread` multiplies every s and mean: 1 is as stated, 0 (the default) means no
differences. The same name, seed, unit and run give the same drive on every machine.
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
"""Part -> parameter -> s of the parameter's logarithm from unit to unit."""
RUN = 0.005
"""s of the logarithm of all times of a run together; rates fall as times rise."""
TIMES = ("_us", "_ms")
BAD_PCT = 0.5
"""Mean of the exponential distribution of a unit's bad blocks, percent of its user capacity."""
MOST_BAD = 0.25
"""Largest share of the spare space in bad blocks: the maker rejects units with more."""
ROOM_K = 2.0
"""Standard deviation of the room temperature from run to run, in kelvin."""


def varied(spec: Drive) -> Drive:
    """Return the `Spec` of its unit and run, or the same `Spec` if `spread` is 0."""
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
    """Return the changed parameters of a part. Those that are times or rates also get the factor of the run."""
    return {
        field: getattr(part, field)
        * factor
        * (slower if field.endswith(TIMES) else 1 / slower if "mb_s" in field else 1)
        for field, factor in factors.items()
    }


def _factor(dice: Random, wide: float) -> float:
    return dice.lognormvariate(0, wide)
