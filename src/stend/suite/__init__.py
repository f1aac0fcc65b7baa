"""The tests: one file each, holding TEST; found by the file's name. What several share is in files named `_...`."""

import importlib
import pkgutil
from types import ModuleType

from stend.definition import Test
from stend.errors import BadInput

SUITES: dict[str, tuple[str, ...]] = {}


def names() -> list[str]:
    """Every test's name, as typed: `write-saturation`."""
    files = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.replace("_", "-") for name in files if not name.startswith("_"))


def load(name: str) -> Test:
    """The test of that name; BadInput with the nearest names otherwise."""
    if name not in names():
        raise BadInput(f"there is no test {name!r}; `stend tests` lists them: {', '.join(names())}")
    test: Test = module(name).TEST
    return test


def module(name: str) -> ModuleType:
    """The file of a test."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def expand(asked: tuple[str, ...]) -> tuple[str, ...]:
    """Test and suite names -> test names in order, each once."""
    flat = [name for word in asked for name in SUITES.get(word, (word,))]
    for name in flat:
        load(name)
    return tuple(dict.fromkeys(flat))
