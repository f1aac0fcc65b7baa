"""Find the tests and the suites. A test is a module with TEST, named after the test. Modules named `_...` are shared.

A suite is a TOML file in `suites/`: a study (which tests, with which profile and settings) that stend ships.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.base.text import did_you_mean
from stend.model.definition import Profile, Step, Study, Test
from stend.model.traced import Traced
from stend.words import Sentence


def names() -> list[str]:
    """Return the names of all tests as on the command line: `write-saturation`."""
    return list(_names(*__path__))


@cache
def _names(*folders: str) -> tuple[str, ...]:
    files = (module.name for module in pkgutil.iter_modules(folders))
    return tuple(sorted(name.replace("_", "-") for name in files if not name.startswith("_")))


def suites() -> list[str]:
    """Return the names of all suites as on the command line: `review-nvme`."""
    return sorted(Path(file.name).stem for file in (resources.files(__name__) / "suites").iterdir())


def load(name: str) -> Test:
    """Return the test of that name. Raise BadInput, which suggests a similar name, if it does not exist."""
    if name not in names():
        parts = name.replace(",", " ").split()
        several = f"write separate words: {' '.join(parts)}" if len(parts) > 1 else ""
        meant = f"; {several}" if several else did_you_mean(name, [*names(), *suites()], "`stend tests` lists them")
        raise BadInput(f"there is no test or suite {name!r}{meant}")
    test: Test = module(name).TEST
    return test


def module(name: str) -> ModuleType:
    """Return the module of a test."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def study(name: str) -> Study | None:
    """Return the suite of that name or the study in that TOML file, or None if it is neither.

    Raise BadInput if it is broken.
    """
    if name in suites():
        text = (resources.files(__name__) / "suites" / f"{name}.toml").read_bytes()
    elif name.endswith(".toml"):
        text = untrusted.read(Path(name), "the study")
    else:
        return None
    fields = untrusted.toml(text, dict[str, Any], f"the study {name}")
    if "specification" in fields:
        raise BadInput(f"{name} is a profile, not a study; name it with --profile {name}")
    return untrusted.converted(fields, Study, f"the study {name}")


def expand(selection: tuple[str, ...]) -> tuple[str, ...]:
    """Return the test names that tests, suites and study files name, in order and each once.

    Raise BadInput for a name that does not exist.
    """
    flat: list[str] = []
    for name in selection:
        named = study(name)
        flat += named.tests if named else (name,)
    for name in flat:
        load(name)
    return tuple(dict.fromkeys(flat))


def chooser(test: str, name: str) -> Callable[..., tuple[Step, ...]]:
    """Return the function in a test's module that makes a round from the results so far."""
    function: Callable[..., tuple[Step, ...]] = getattr(module(test), name)
    return function


def traced(profile: Profile) -> Traced | None:
    """Return the summary of the trace in a test's settings, or None if the test plays no trace."""
    if "trace" not in profile.options:
        return None
    from stend.trace import playable

    return playable.summarise(profile.options["trace"])


def trace_notes(profile: Profile) -> tuple[Sentence, ...]:
    """Return the notes of the trace that a test plays."""
    from stend.trace import playable

    return playable.notes(profile.options["trace"])
