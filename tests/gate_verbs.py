"""Every verb that writes, asked for a target: what the gate's table is multiplied with, here and in the lab."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from stend import devices, store
from stend.cli import main
from stend.devices import Device
from stend.model.events import Event, Started
from stend.planning import plan as planning

REFUSED = 3
B = TypeVar("B", bound=Callable[..., Any])


def needs(*words: str) -> Callable[[B], B]:
    """What a situation needs of its host, besides loop devices (tests/needs.py)."""

    def told(build: B) -> B:
        build.needs = words  # type: ignore[attr-defined]
        return build

    return told


def each(builders: Iterable[B]) -> list[Any]:
    """Situations as parameters of a test, each with its name and what it needs."""
    marked = ((build, pytest.mark.needs(*getattr(build, "needs", ()))) for build in builders)
    return [pytest.param(build, marks=mark, id=build.__name__) for build, mark in marked]


def refused(target: str, name: str | None, folder: Path, *, keep_off: str = "") -> list[str]:
    """The verbs that refused to write to it; `name` is one that would be believed, `folder` a place for runs.

    `keep_off` is the folder of a run that must not be written over: verbs without one are not asked then.
    """
    named = ["--target", target, *(["--destroy-data", name] if name else [])]
    into = keep_off or str(folder / "run")
    asked = {"run": ["run", "iops", "--quick", *named, "--into", into]}
    if not keep_off:
        began = cut_off(devices.find(target), folder / "began")
        asked["purge"] = ["purge", *named]
        asked["provision"] = ["provision", *named, "--capacity", "50%"]
        asked["resume"] = ["resume", str(began), *named[2:]]
    done = [verb for verb, words in asked.items() if main(words) == REFUSED]
    assert done == list(asked), f"only {done} refused"
    assert not (Path(into) / "events.jsonl").exists()
    return done


def cut_off(device: Device, folder: Path) -> Path:
    """The folder of a run on this very drive that was cut off just after it began."""
    while folder.exists():
        folder = folder.with_name(folder.name + "-")
    names, profile, told = planning.gather(["latency"], None, {}, quick=True)
    plan = planning.draw(names, profile, device.identity, deviations=told)
    store.create(folder, {"target": device.identity.target, "tests": names}, {})

    def events() -> Iterator[Event]:
        yield Started(at=time.time(), version="0", plan=plan, seed=1)

    with closing(store.append(folder, (event for event in events()))) as written:
        assert list(written)
    return folder
