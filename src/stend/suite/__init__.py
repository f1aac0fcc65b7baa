"""The tests: one file each, holding TEST; found by the file's name. What several share is in files named `_...`.

The suites: one file each in `suites/`, a study (which tests, by which profile, with which settings) that comes along.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from types import ModuleType

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.model.definition import Profile, Step, Study, Test
from stend.model.traced import Traced


def names() -> list[str]:
    """Every test's name, as typed: `write-saturation`."""
    return list(_names(*__path__))


@cache
def _names(*folders: str) -> tuple[str, ...]:
    files = (module.name for module in pkgutil.iter_modules(folders))
    return tuple(sorted(name.replace("_", "-") for name in files if not name.startswith("_")))


def suites() -> list[str]:
    """Every suite's name, as typed: `review-nvme`."""
    return sorted(Path(file.name).stem for file in (resources.files(__name__) / "suites").iterdir())


def load(name: str) -> Test:
    """The test of that name; BadInput with all names otherwise."""
    if name not in names():
        raise BadInput(
            f"there is no test or suite {name!r}; `stend tests` lists them: {', '.join([*names(), *suites()])}"
        )
    test: Test = module(name).TEST
    return test


def module(name: str) -> ModuleType:
    """The file of a test."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def study(name: str) -> Study | None:
    """The suite of that name, or the study in that TOML file; None if it is neither. BadInput if it is broken."""
    if name in suites():
        text = (resources.files(__name__) / "suites" / f"{name}.toml").read_bytes()
    elif name.endswith(".toml"):
        text = untrusted.read(Path(name), "the study")
    else:
        return None
    return untrusted.toml(text, Study, f"the study {name}")


def expand(asked: tuple[str, ...]) -> tuple[str, ...]:
    """Names of tests, suites and study files -> test names in order, each once."""
    flat: list[str] = []
    for word in asked:
        found = study(word)
        flat += found.tests if found else (word,)
    for name in flat:
        load(name)
    return tuple(dict.fromkeys(flat))


def chooser(test: str, name: str) -> Callable[..., tuple[Step, ...]]:
    """The function of a test's file that makes a round from the results so far."""
    function: Callable[..., tuple[Step, ...]] = getattr(module(test), name)
    return function


def traced(profile: Profile) -> Traced | None:
    """What is known of the trace that a test plays, by its settings; None for one that plays none."""
    if "trace" not in profile.options:
        return None
    from stend.trace import playable

    return playable.told(profile.options["trace"])
