"""What functions of a run return: `python -m tests.functions` writes tests/goldens/functions.json anew.

Every public function of the packages below whose parameters have known annotations is called with each run: the test,
its phases, records, loads and so on are the arguments. Runs are those of each test on drives with drawn parameters,
some with the telemetry of a drive in trouble. The golden file has a digest of what each function returned for a test;
of charts only their numbers count. `python -m tests.functions TEST FUNCTION` prints all of it.
"""

import inspect
import io
import json
import pkgutil
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from rich.console import Console, ConsoleRenderable

from stend import suite
from stend.base.units import GiB
from stend.charts.beside import Side
from stend.findings import look
from stend.findings.look.figures import figures
from stend.findings.look.grounds import Ground
from stend.live.course import Course
from stend.live.now import now
from stend.live.state import State
from stend.many.sides import outcome
from stend.model.definition import Hold
from stend.model.events import Event, Telemetry
from stend.model.record import Run
from stend.publish.figures import rows
from stend.publish.samples import Sample
from stend.words import Language
from tests import pictures
from tests.answers import digest, plain, still
from tests.synthetic import Truth, events

FILE = Path(__file__).parent / "goldens/functions.json"
PACKAGES = (
    "model", "findings", "runner", "suite", "charts", "planning", "api", "session", "live", "engines", "many", "cli",
    "publish",
)  # fmt: skip
"""Packages of stend whose functions are called."""
PICTURES = "stend.charts"
"""A package of functions whose texts do not count."""
LEFT_OUT = (
    "findings.names", "findings.heat.course", "charts.of", "engines.fio", "session.apart", "live.composer",
    "model.quantities.shape", "publish.data", "publish.html", "publish.figures.change_data",
    "publish.figures.chart_data", "publish.figures.first_chart",
)  # fmt: skip
"""Functions that return what others return too, or what is the same for every run."""
MOST = 6
"""Calls of a function for each run."""
PARTS = 3
"""So many tests of one package, each cheap enough to be in the record of benchmarks/reached.py."""
LARGE = ("block-sweep", "composite", "demand-intensity", "inspect", "iops", "profiles", "rwsw-demand-intensity")
"""Tests whose runs take longer: only one drive runs them."""


class Function(NamedTuple):
    name: str
    call: Callable[..., Any]
    parameters: tuple[str, ...]


def truth(rng: random.Random, test: str) -> Truth:
    """A drive that may have a cache, a tail, noise, a fall of any depth; a disk has no trims."""
    disk = rng.random() < 0.3 and test != "trim"
    return Truth(
        capacity_bytes=rng.choice((4, 8, 16)) * GiB,
        read_iops=10 ** rng.uniform(2.5, 6),
        half_depth=rng.choice((1, 4, 24, 90)),
        read_bps=10 ** rng.uniform(8, 9.8),
        write_bps=10 ** rng.uniform(7.8, 9.5),
        fresh_iops=10 ** rng.uniform(2.5, 5.7),
        steady_iops=10 ** rng.uniform(2.3, 5),
        pool_fills=rng.choice((0.3, 1.2, 2.5)),
        slc=((GiB, 2.1e9), (3 * GiB, 0.7e9), (float("inf"), 10 ** rng.uniform(7.5, 8.7))),
        recovery_bps=10 ** rng.uniform(6, 9),
        cache_bytes=rng.choice((0, GiB)),
        cache_speedup=rng.choice((1, 1.3, 8)),
        keeps_writes=rng.random() < 0.5,
        write_back=rng.random() < 0.3,
        noise=rng.choice((0.0, 0.01, 0.09)),
        tail_every_s=rng.choice((0, 0, 7)),
        outer_bps=2.2e8 if disk else 0,
        inner_bps=1.2e8 if disk else 0,
        flush_s=rng.choice((2e-5, 7e-4, 8e-3)),
    )


def troubled(every: list[Event]) -> Iterator[Event]:
    """The events of a run whose drive reports heat, throttling, errors and another link."""
    number = 0
    for event in every:
        if not isinstance(event, Telemetry):
            yield event
            continue
        number += 1
        values = {"temperature_c": 52 + 6 * min(number, 4), "media_errors": number // 3, "crc_errors": number // 5}
        values |= {"throttle_s": 30 * max(number - 3, 0), "critical_warning": 2 * (number in (4, 5))}
        yield msgspec.structs.replace(event, values=values | {"link": "8.0 GT/s x4" if number < 3 else "5.0 GT/s x4"})


@cache
def runs(test: str) -> tuple[Run, ...]:
    """The runs of a test."""
    rng, changes = random.Random(test), {"interval_s": 10.0, "shorten": 60, "rounds": 5}
    profiles = ("enterprise-2.0.2",) if test in LARGE else ("enterprise-2.0.2", "client-2.0.2")
    first, *more = (events([test], truth(rng, test), profile=profile, **changes) for profile in profiles)
    return _run([*troubled(first)]), *map(_run, more)


COURSES: dict[int, list[Course]] = {}
"""Of each run: after a third and two thirds of its events, and at its end."""


def _run(every: list[Event]) -> Run:
    run = Run(every)
    COURSES[id(run)] = [Course(every[: len(every) * part // 3]) for part in (1, 2, 3)]
    return run


def _sample(run: Run) -> Sample:
    return Sample(Path("a"), "0", run, {}, pictures.SHEET, outcome("0", run, {}), (), ())


@cache
def functions(package: str) -> dict[str, Function]:
    """The functions of a package that can be called, by name."""
    home, found = import_module(f"stend.{package}"), dict[str, Function]()
    for name in ["", *sorted(one.name for one in pkgutil.walk_packages(home.__path__, "."))]:
        module = import_module(f"stend.{package}{name}")
        for word, call in sorted(vars(module).items()):
            whole = f"{package}{name}.{word}"
            public = word[0] != "_" and getattr(call, "__module__", "") == module.__name__ and _is_ours(call)
            if public and not whole.startswith(LEFT_OUT) and (kinds := _kinds(call)):
                found[whole] = Function(whole, call, kinds)
    return found


def _is_ours(call: Any) -> bool:
    return inspect.isfunction(inspect.unwrap(call)) if callable(call) else False


def _kinds(call: Callable[..., Any]) -> tuple[str, ...]:
    """The kinds of arguments of a function; none if one of its parameters is not known."""
    given = [one for one in inspect.signature(call).parameters.values() if one.default is one.empty]
    kinds = [kind_of(one.name, one.annotation) for one in given if one.kind is not one.VAR_POSITIONAL]
    return tuple(kinds) if all(kind in KINDS for kind in kinds) else ()


def kind_of(name: str, annotation: Any) -> str:
    word = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return f"{name}: {word}" if word in ("str", "int", "bool", "Sequence", "Iterable", "dict") else word


KINDS: dict[str, Callable[[Run], list[Any]]] = {
    "Run": lambda run: [run],
    "PlannedTest": lambda run: [*run.plan.tests],
    "test: str": lambda run: [run.plan.tests[0].name],
    "phase: str": lambda run: [phase.name for phase in run.plan.tests[0].phases],
    "Phase": lambda run: [*run.plan.tests[0].phases],
    "Plan": lambda run: [run.plan],
    "Profile": lambda run: [run.plan.tests[0].profile],
    "Identity": lambda run: [run.plan.device],
    "Language": lambda run: [Language("en")],
    "sheet: dict": lambda run: [pictures.SHEET],
    "Result": lambda run: [*run.results[:2], *run.results[-2:]],
    "results: Sequence": lambda run: [run.results],
    "Counts": lambda run: [one.counts for one in (*run.results[:3], run.results[-1])],
    "Tally": lambda run: [
        way for one in (run.results[0], run.results[-1]) for way in (one.counts.read, one.counts.both)
    ],
    "Workload": lambda run: [*dict.fromkeys(one.step.workload for one in run.results if isinstance(one.step, Hold))],
    "Ground": lambda run: [Ground(run, one, look.records(run, one.name)) for one in run.plan.tests],
    "Figures": lambda run: [*figures(run)[:3], *figures(run)[-3:]],
    "records: Sequence": lambda run: [look.records(run, run.plan.tests[0].name)],
    "Record": lambda run: look.records(run, run.plan.tests[0].name)[-2:],
    "Telemetry": lambda run: [*run.present[1]][:4],
    "Judged": lambda run: [*run.judged][-2:],
    "verdicts: Sequence": lambda run: [one.verdicts for one in run.judged][-3:],
    "Course": lambda run: COURSES[id(run)],
    "State": lambda _: [State("running", "running (process 1)")],
    "runs: Iterable": lambda run: [[now("a", one, State("elsewhere", "")) for one in COURSES[id(run)]]],
    "name: str": lambda _: ["a"],
    "Sample": lambda run: [_sample(run)],
    "Review": lambda run: [_sample(run).review(Language("ru"), ())],
    "Side": lambda run: [Side("a", run)],
    "Row": lambda run: [*rows(_sample(run))][:3],
    "wide: bool": lambda _: [True, False],
    "width: int": lambda _: [67],
    "most: int": lambda _: [24],
    "quantity: str": lambda run: ["iops", "watts"],
}
"""What the arguments of a kind are, given a run."""


def returned(test: str, function: Function) -> Iterator[Any]:
    """What a function returns for the runs of a test; an argument that it was not made for counts as no answer."""
    for run in runs(test):
        for given in islice(product(*(KINDS[kind](run) for kind in function.parameters)), MOST):
            try:
                value = function.call(*given)
                value = list(value) if isinstance(value, Iterator) else value
            except Exception:
                continue
            yield with_properties(value, texts=not function.call.__module__.startswith(PICTURES))


def with_properties(value: Any, *, texts: bool) -> Any:
    """A value as JSON holds it, of objects of ours also what their properties return."""
    if isinstance(value, ConsoleRenderable):
        console = Console(width=80, file=io.StringIO(), record=True, force_terminal=True, _environ={"TERM": "xterm"})
        console.print(value)
        return console.export_text(styles=True)
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [with_properties(one, texts=texts) for one in value]
    told = plain(value)
    if type(value).__module__.startswith("stend.") and not isinstance(value, Run):
        every = inspect.getmembers(type(value), lambda one: isinstance(one, property | cached_property))
        told = [told, [plain(getattr(value, name)) for name, _ in every if name[0] != "_"]]
    return told if texts else numbers(told)


def numbers(told: Any) -> Any:
    """A value without its texts and its layout."""
    if isinstance(told, list):
        return [one for one in map(numbers, told) if one not in (None, [])]
    if isinstance(told, dict):
        return numbers([one for key, one in told.items() if key != "config"])
    return told if isinstance(told, float | int) else None


def parted(told: dict[str, Any], part: int) -> dict[str, Any]:
    return {name: one for name, one in told.items() if len(name) % PARTS == part}


def answers(test: str, chosen: dict[str, Function]) -> dict[str, str]:
    """The digest of each of the functions that returns something for this test."""
    told = dict[str, str]()
    for name, function in chosen.items():
        with still():  # each begins at the same moment, whichever were called before
            every = list(returned(test, function))
        if any(one not in (None, [], {}, "", False, [[], []]) for one in every):
            told[name] = digest(every)
    return told


def main() -> None:
    if words := sys.argv[1:]:
        function = functions(words[1].partition(".")[0])[words[1]]
        print(json.dumps(list(returned(words[0], function)), indent=1, ensure_ascii=False))
        return
    told = {
        test: {package: answers(test, functions(package)) for package in PACKAGES} for test in sorted(suite.names())
    }
    FILE.write_text(json.dumps(told, indent=0) + "\n")


if __name__ == "__main__":
    main()
