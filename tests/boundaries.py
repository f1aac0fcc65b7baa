"""What functions of plain values return at their limits: `python -m tests.boundaries` writes goldens/boundaries.json.

For every module-level function of stend with parameters of plain types, the arguments are the numbers in its source and
in the constants that it names, each also just below and just above, and the texts in its module. The golden file lists
arguments and results; a result that is longer than a line has its digest there. Read the difference before committing.
"""

import ast
import inspect
import json
import random
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_args
from unittest import mock

from benchmarks.reached import modules

from stend.base.errors import StendError
from stend.words import Language
from tests.answers import digest, plain, still

FILE = Path(__file__).parent / "goldens/boundaries.json"
LEFT_OUT = (
    "base.extras", "base.jit", "base.render", "base.fio_features", "base.process.", "base.programs", "base.sysfs.fd",
    "cli._complete", "cli._options", "cli._print", "cli._runs._several", "cli.application", "cli.schema",
    "devices.create", "devices._readable", "devices.file.", "devices.telling.evidence", "devices.telling.tools",
    "devices.telling.nvme_cli._major", "engines.replay.memory", "engines.replay.kernel", "engines.replay.aio", "fleet.",
    "gate.", "host.", "imports.folder._named", "live.composer", "live.hooks._impossible",
    "live.serv", "many.batch.acceptance._settled",
    "many.batch.groups.", "many.batch.odd.", "many.statistics.r", "many.sweep.pool", "meters.own._",
    "model.bins.bin_index",
    "model.estimate.fresh_seconds", "report.", "session.", "sim.named", "sim.requests.ledger", "suite.module",
    "suite._names", "trace.described._unit", "trace.folding._empty", "words.",
)  # fmt: skip
"""Functions that look at this host, start something or take long, and modules whose words other tests pin."""
KEPT = ("words.numbers.", "report.parts.batched._p", "report.parts.versus._p", "gate.mounts.unescaped", "gate.use.")
"""Of these the ones that are called all the same."""
TOUCHING = {"path", "node", "target", "controller", "folder", "pid", "fd", "place", "stem", "spec", "fio", "source"}
"""Parameters that name something of this host."""
NUMBERS = (
    0,
    1,
    2,
    3,
    7.25,
    10,
    64,
    99.5,
    123.456,
    987.654,
    1000,
    2745.6,
    4096,
    98765.4,
    1e6,
    9.87e8,
    0.98765,
    0.0123456,
)
"""Those of every function; below 5,000 where a function may count so far."""
TEXTS = ("", "x", "4K", "128 kib", "8.0 GT/s", "NVMe PCIe 3.0 x4", "a\tb\u200b", "12.5%", "2026-11-20 12:00", "\\040")
SERIES = (
    (), (5.0,), (1.0, 2.0, 3.0, 4.0), (100.0,) * 12 + (20.0,) * 12, (9.0, 1.0, 9.5, 1.2, 9.1, 0.9),
    (50.0, 49.0, 51.0, 50.5, 10.0, 10.1, 9.9, 10.0, 10.0, 10.0), (0.01, 0.04, 0.2, 0.04, 0.9),
    tuple(1000.0 / n for n in range(1, 40)), (0.0, 0.0, 0.0, 1.0),
)  # fmt: skip
MOST = 30
"""Calls of a function."""
LINE = 100
"""Characters of a result that is listed."""


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """Every function that is called, by name."""
    found = dict[str, Callable[..., Any]]()
    for name in sorted(modules()):
        if name == "stend" or name.endswith("__main__"):
            continue
        for word, call in vars(import_module(name)).items():
            whole = f"{name}.{word}".removeprefix("stend.")
            if getattr(call, "__module__", "") != name or (whole.startswith(LEFT_OUT) and not whole.startswith(KEPT)):
                continue
            returns = inspect.isfunction(inspect.unwrap(call)) and inspect.signature(call).return_annotation is not None
            if returns and all(map(_candidates, _parameters(call))):
                found[whole] = call
    return {name: call for name, call in found.items() if _parameters(call)}


def _parameters(call: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(call).parameters.values())


def _candidates(given: inspect.Parameter) -> str:
    """The kind of a parameter, empty for one that cannot be made up."""
    kind = given.annotation if isinstance(given.annotation, str) else getattr(given.annotation, "__name__", "")
    if given.name in TOUCHING or given.kind is given.VAR_KEYWORD:
        return ""
    if get_args(given.annotation) == (float,):
        return "series"
    if type(None) in get_args(given.annotation):
        kind = next(one.__name__ for one in get_args(given.annotation) if hasattr(one, "__name__"))
    return kind if kind in ("float", "int", "str", "bool", "Format", "Language", "bytes") else ""


def _limits(call: Callable[..., Any]) -> Iterator[float]:
    """The numbers in the source of a function and in the constants of its module that it names."""
    function = inspect.unwrap(call)
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        match node:
            case ast.Constant(value=int() | float() as number):
                yield number
            case ast.Name(id=name):
                yield from _numbers(function.__globals__.get(name))


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, tuple | list):
        for one in value:
            yield from _numbers(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _texts(call: Callable[..., Any], parameter: str) -> Iterator[str]:
    """Texts in the constants of its module, such as the keys of a table; only SHAPES for a parameter `shape`."""
    if isinstance(table := inspect.unwrap(call).__globals__.get(f"{parameter.upper()}S"), dict | tuple):
        yield from map(str, table)
        return
    for name, value in inspect.unwrap(call).__globals__.items():
        if name not in ("__builtins__", "__path__") and isinstance(value, dict | tuple | list | set | frozenset):
            yield from (one for one in sorted(map(str, value)) if len(one) < 40)


def _values(kind: str, call: Callable[..., Any], parameter: str) -> Sequence[Any]:
    limits = [one for one in dict.fromkeys(_limits(call)) if abs(one) < 1e15]
    match kind:
        case "float":
            return [*(one * by for one in limits for by in (1, 1 - 1e-6, 1 + 1e-6)), *NUMBERS]
        case "int":
            whole = [int(one) for one in limits if one <= 4096]
            return [
                *(one + by for one in whole for by in (0, -1, 1) if one + by >= 0),
                *(int(one) for one in NUMBERS if one < 5000),
            ]
        case "bool":
            return [True, False]
        case "series":
            return SERIES
        case "str" | "bytes":
            own = list(dict.fromkeys(_texts(call, parameter)))
            return own if f"{parameter.upper()}S" in inspect.unwrap(call).__globals__ else [*TEXTS, *own[:12]]
    return ["en", "ru"] if kind == "Format" else ["en"]


def arguments(name: str) -> Iterator[list[Any]]:
    """Arguments of a function: each limit at least once, in drawn combinations."""
    call = functions()[name]
    kinds = [_candidates(one) for one in _parameters(call)]
    values, rng = (
        [
            list(dict.fromkeys(_values(kind, call, one.name)))
            for kind, one in zip(kinds, _parameters(call), strict=True)
        ],
        random.Random(name),
    )
    for every in values[1:]:
        rng.shuffle(every)
    for number in range(MOST):
        yield [every[number] if number < len(every) else rng.choice(every) for every in values]


def returned(name: str, given: Sequence[Any]) -> Any:
    """What a function returns, or the kind of its refusal."""
    module, _, word = name.rpartition(".")
    call = getattr(import_module(f"stend.{module}"), word)
    parameters = _parameters(call)
    made = [_made(_candidates(one), value) for one, value in zip(parameters, given, strict=True)]
    named = {one.name: value for one, value in zip(parameters, made, strict=True) if one.kind is one.KEYWORD_ONLY}
    try:
        value = call(*made[: len(made) - len(named)], **named)
        told = plain(list(value) if isinstance(value, Iterator) else value)
    except StendError as error:
        return f"raises {type(error).__name__}"
    return told if len(json.dumps(told)) <= LINE else digest([told])


def _made(kind: str, value: Any) -> Any:
    made: dict[str, Callable[[Any], Any]] = {
        "Format": lambda lang: Language(lang).format_of,
        "Language": Language,
        "bytes": lambda text: text.encode(),
        "series": list,
    }
    return made.get(kind, lambda same: same)(value)


@contextmanager
def closed() -> Iterator[None]:
    """No file is opened and nothing is started."""
    with ExitStack() as stack:
        for name in ("builtins.open", "os.open", "subprocess.Popen", "socket.socket", "os.kill"):
            stack.enter_context(mock.patch(name, side_effect=PermissionError))
        stack.enter_context(still())
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("error")
        yield


def table(name: str) -> list[list[Any]]:
    """Arguments and results of a function; those that it was not made for are left out."""
    rows = []
    for given in arguments(name):
        with closed():
            try:
                row = [given, returned(name, given)]
            except Exception:
                continue
        rows += [row] if row not in rows else []
    return rows


def main() -> None:
    names = sys.argv[1:] or [*functions()]
    tables = {name: table(name) for name in names}
    told = {name: rows for name, rows in tables.items() if len({json.dumps(result) for _, result in rows}) > 1}
    if sys.argv[1:]:
        print(json.dumps(told, indent=1, ensure_ascii=False))
        return
    lines = [f"{json.dumps(name)}: {json.dumps(rows, ensure_ascii=False)}" for name, rows in told.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
