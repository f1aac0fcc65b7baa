"""Parse the target of a virtual drive: a name or a file, with options."""

from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.base.text import did_you_mean
from stend.base.units import binary
from stend.sim.spec import Accidents, Array, Lies, Spec
from stend.sim.spread import varied

OPTIONS = (
    "capacity_bytes",
    "interface",
    "logical_bytes",
    "physical_bytes",
    "firmware",
    "protected",
    "serial",
    "seed",
    "scale",
    "unit",
    "run",
    "spread",
    "pace",
    *Accidents.__struct_fields__,
    *Lies.__struct_fields__,
)


OF_ALL: dict[str, Any] = {"thermal": {}, "power": {}}
"""Parts that every virtual drive has. A description may leave them out."""
OF_FLASH: dict[str, Any] = {"tail": {}}
"""Parts that every `flash` has."""


def profiles() -> list[str]:
    """Return the names of the virtual drives that stend ships."""
    folder = resources.files("stend.sim") / "profiles"
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".toml"))


def load(text: str) -> Spec:
    """Return the Spec of `NAME` or `FILE.toml`, either with options: `NAME?seed=7&dies_at_s=40`.

    A parameter of a part is set as `PART.PARAMETER`: `x25e-raid?array.level=10`. An array of another level or number of
    members has the capacity of the same members, unless `capacity_bytes` is given. Raise BadInput, which lists the
    choices, for an unknown name, option or parameter.
    """
    name, _, query = text.partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    parameters = {key: given.pop(key) for key in list(given) if "." in key}
    described = _described(name)
    values = {"name": Path(name).stem, **_changed(name, described, parameters), **_options(name, given, described)}
    spec = untrusted.converted(values, Spec, f"the virtual drive {name}", strict=False)
    if spec.array:
        usual = untrusted.converted(described["array"], Array, f"the virtual drive {name}", strict=False)
        members = max(spec.array.data_members, 1), max(usual.data_members, 1)
        capacity = spec.capacity_bytes * members[0] // members[1]
        before, after = _cache(usual), _cache(spec.array)
        states = spec.interface.endswith(before) and "interface" not in given
        spec = msgspec.structs.replace(
            spec,
            capacity_bytes=spec.capacity_bytes if "capacity_bytes" in given else capacity,
            model=spec.model.replace(f"{usual.members} x ", f"{spec.array.members} x "),
            interface=spec.interface.removesuffix(before) + after if states else spec.interface,
        )
    return varied(spec)


def _cache(array: Array) -> str:
    """Return the cache of an array as its interface names it."""
    return f", {binary(array.cache_bytes)} cache" if array.cache_bytes else ""


def _described(name: str) -> dict[str, Any]:
    if name in profiles():
        data = (resources.files("stend.sim") / "profiles" / f"{name}.toml").read_bytes()
    elif not name.endswith(".toml"):
        known = f"there are {', '.join(profiles())}, and files *.toml"
        raise BadInput(f"there is no virtual drive {name!r}{did_you_mean(name, profiles(), known)}")
    else:
        data = untrusted.read(Path(name), "the virtual drive")
    return untrusted.toml(data, dict[str, Any], f"the virtual drive {name}")


def _changed(name: str, described: dict[str, Any], parameters: dict[str, str]) -> dict[str, Any]:
    """Return the description with some parameters of its parts replaced, which may be parts that it leaves out."""
    described = OF_ALL | described
    changed = described | ({"flash": OF_FLASH | described["flash"]} if isinstance(described.get("flash"), dict) else {})
    for key, value in parameters.items():
        part, _, inner = key.partition(".")
        if not isinstance(changed.get(part), dict) or part in ("sources", "accidents", "lies"):
            parts = [f"{key}.*" for key, inner in described.items() if isinstance(inner, dict) and key != "sources"]
            raise BadInput(f"sim:{name} has no parameter {key!r}; it takes {', '.join(parts)}")
        changed[part] = _within(changed[part], inner, value, f"sim:{name} has no parameter {key!r}")
    return changed


def _within(part: dict[str, Any], key: str, value: str, missing: str) -> dict[str, Any]:
    """Return the part with a parameter replaced, or one of a part within it: `slc.share_pct`."""
    inner, dot, more = key.partition(".")
    if not dot:
        return part | {inner: value}
    if not isinstance(part.get(inner), dict):
        raise BadInput(f"{missing}; it has no part {inner!r}")
    return part | {inner: _within(part[inner], more, value, missing)}


def _options(name: str, given: dict[str, str], described: dict[str, Any]) -> dict[str, Any]:
    """Return the options as values of a Spec. The faults of the description stay unless an option sets them."""
    unknown = sorted(set(given) - set(OPTIONS))
    if unknown:
        takes = f"it takes {', '.join(OPTIONS)}"
        raise BadInput(f"sim:{name} has no option {unknown[0]!r}{did_you_mean(unknown[0], OPTIONS, takes)}")
    accidents = {key: value for key, value in given.items() if key in Accidents.__struct_fields__}
    lies = {key: value for key, value in given.items() if key in Lies.__struct_fields__}
    other = {key: value for key, value in given.items() if key not in accidents | lies}
    parts = {"accidents": accidents, "lies": lies}
    written = {part: described[part] for part in parts if part in described}
    return other | parts | {part: was | parts[part] if isinstance(was, dict) else was for part, was in written.items()}
