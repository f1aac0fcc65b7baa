"""Values are frozen, in every package: no reader of a record or a plan can change it for the others."""

import dataclasses
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

import stend

HOME = Path(stend.__file__).parent
CHANGING = {"stend.capture.running.Captured", "stend.devices.purging.table._Search"}
"""Those that are filled while work goes on."""


def classes(package: str) -> list[type]:
    """Classes that the modules of a package define."""
    found = []
    for path in sorted((HOME / package).rglob("*.py") if package else HOME.glob("*.py")):
        parts = path.relative_to(HOME.parent).with_suffix("").parts
        if parts[-1] in ("__main__", "render_process", "sender"):
            continue
        module = import_module(".".join(parts).removesuffix(".__init__"))
        found += [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__]
    return found


@pytest.mark.parametrize("package", [path.name for path in sorted(HOME.iterdir()) if (path / "__init__.py").exists()])
def test_values_are_frozen(package: str) -> None:
    pytest.importorskip("numba")
    pytest.importorskip("distributed")
    changing = set()
    for one in classes(package):
        if issubclass(one, msgspec.Struct):
            frozen = one.__struct_config__.frozen
        elif dataclasses.is_dataclass(one):
            frozen = vars(one)["__dataclass_params__"].frozen
        else:
            continue
        if not frozen:
            changing.add(f"{one.__module__}.{one.__qualname__}")
    assert changing == {name for name in CHANGING if name.startswith(f"stend.{package}.")}
