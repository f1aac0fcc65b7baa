"""Several runs side by side: their shared workloads as a table and as bars."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from stend.charts import Picture
from stend.charts.parts import SCALE, Drawing, axis
from stend.charts.parts.marks import bars, category, series
from stend.charts.parts.theme import finished
from stend.findings.look.figures import Figures, answers
from stend.many.sides import array, changed
from stend.model.definition import Identity
from stend.model.record import Run
from stend.report.parts import Table
from stend.words import FIRST, Language

PART = re.compile(r" (?=[A-Z\d-]*\d)(?=[\d-]*[A-Z])[A-Z\d-]{10,}$")
"""A part number at the end of a model: `HGST Ultrastar SN150 HUSPR3216AHP301`."""
MOST_BARS = 8
MOST_ROWS = 40
MOST_TITLED, TITLED = 4, 3
"""Drives that a title names at most, and those it names of more."""
Cells = dict[tuple[str, str], Figures]


def compare(runs: Sequence[Run], words: Language) -> tuple[Picture | Table, ...]:
    """Return bars and a table of shared workloads, or nothing for a single run or without shared workloads."""
    names = labels(runs, (), words)
    cells_of = [{(row.test, row.workload.label): row for row in answers(run)} for run in runs]
    shared = [key for key in cells_of[0] if all(key in cells for cells in cells_of)] if len(runs) > 1 else []
    if not shared:
        return ()
    pictures = []
    for figure, random in (("iops", True), ("throughput", False)):
        keys = [key for key in shared if key[1].startswith("RND") == random][:MOST_BARS]
        if keys:
            pictures.append(_bars(keys, cells_of, names, figure, words))
    titles = {test.name: words.title(test.name, test.title) for run in runs for test in run.plan.tests}
    head = (words("column.workload"), *(f"{name}: {unit}" for name in names for unit in ("IOPS", words("column.mean"))))
    rows = []
    for test, label in shared[:MOST_ROWS]:
        figures = [cells[test, label] for cells in cells_of]
        texts = ((words.show(row.iops, "rate"), words.show(row.value("mean"), "lat")) for row in figures)
        rows.append((f"{titles[test]}: {words.show(label, 'load')}", *chain.from_iterable(texts)))
    return *pictures, Table(words("compare.table"), head, tuple(rows), tuple(range(1, len(head))))


def labels(runs: Sequence[Run], names: Sequence[str] = (), words: Language | None = None) -> list[str]:
    """Return a name per run: the given one, else its model, of a file its name; layouts of one controller theirs.

    Equal models get the first fact that differs between all their runs, otherwise the first that differs between some
    and a number.
    """
    models = _layouts([run.plan.device for run in runs]) or _short([_model(run.plan.device) for run in runs])
    given = [*names[: len(runs)], *models[len(names) :]]
    facts = [*zip(*(_facts(run, words or Language(FIRST)) for run in runs), strict=True)]
    for fact in ((), *facts):
        if len({*(shown := _with(given, fact))}) == len(runs):
            return shown
    some = next((fact for fact in facts if len({*_with(given, fact)}) > len({*given})), [""] * len(runs))
    grouped = _with(given, some)
    numbers = [str(grouped[:n].count(name)) if grouped.count(name) > 1 else "" for n, name in enumerate(grouped, 1)]
    return _with(given, [", ".join(filter(None, parts)) for parts in zip(some, numbers, strict=True)])


def _with(names: Sequence[str], facts: Sequence[str]) -> list[str]:
    """Return the names, those that occur more than once with their fact."""
    several = {name for name, number in Counter(names).items() if number > 1}
    pairs = zip(names, facts or [""] * len(names), strict=True)
    return [f"{name} ({fact})" if fact and name in several else name for name, fact in pairs]


def _facts(run: Run, words: Language) -> Iterator[str]:
    """Yield what can distinguish runs of drives of one model: the user's label, the drive, the settings."""
    drive, profile = run.plan.device, run.plan.profile
    yield run.started[0].label
    yield array(drive.facts)
    yield words.show(drive.capacity_bytes, "gb")
    yield drive.firmware
    yield drive.serial
    yield ", ".join(changed(drive))
    yield words("together.range", pct=profile.active_range_pct / 100)
    yield profile.name


def titled(runs: Sequence[Run], names: Sequence[str], words: Language) -> str:
    """Return the names of the runs as a title: layouts after their model, of many runs their number."""
    drives = [run.plan.device for run in runs]
    if len(names) > MOST_TITLED:
        if len({_model(drive) for drive in drives}) == 1:
            one = len({(drive.serial, array(drive.facts)) for drive in drives}) == 1 and drives[0].serial
            return words(f"batched.title{'_runs' if one else ''}", model=_model(drives[0]), n=len(names))
        return words("together.titled", listed=" · ".join(names[:TITLED]), n=len(names) - TITLED)
    title = " · ".join(names)
    return f"{_model(drives[0])}: {title}" if list(names) == _layouts(drives) else title


def _layouts(drives: Sequence[Identity]) -> list[str]:
    """Return the layouts of several arrays of one controller, only the levels if nothing else differs; [] of others."""
    layouts = [array(drive.facts) for drive in drives]
    parts = [layout.partition(" × ") for layout in layouts]
    levels = [level for level, _, _ in parts] if len({rest for _, _, rest in parts}) == 1 else layouts
    alike = len(drives) > 1 and all(layouts) and len({_model(drive) for drive in drives}) == 1
    return levels if alike and len({*levels}) == len(levels) else []


def _model(drive: Identity) -> str:
    return (drive.serial if drive.kind == "file" else drive.model) or drive.target


def _short(models: Sequence[str]) -> list[str]:
    """Return models without the part number after their name, if there are several runs and models still differ."""
    shorter = [short if " " in (short := PART.sub("", model)) else model for model in models]
    return shorter if len(models) > 1 and len(set(shorter)) == len(set(models)) else list(models)


def _bars(
    keys: Sequence[tuple[str, str]], cells_of: Sequence[Cells], names: Sequence[str], figure: str, words: Language
) -> Picture:
    rows = [
        {"load": _name(key, keys, words), "drive": name, "value": cells[key].number(figure) * SCALE[figure]}
        for key in keys
        for name, cells in zip(names, cells_of, strict=True)
    ]
    order = [_name(key, keys, words) for key in keys]
    x = category("load", words("column.workload"), order)
    chart = bars(x, axis("value", words(f"axis.{figure}")), series("drive", words("compare.drive"), names))
    title = words(f"compare.{figure}")
    return finished("compare", Drawing(title, chart, {"rows": rows}, words("says.window_mean")), words, [])


def _name(key: tuple[str, str], keys: Sequence[tuple[str, str]], words: Language) -> str:
    """Return the load, with its test if another test has the same load, so that no two bars share a place."""
    load = words.show(key[1], "load")
    return f"{load} ({words.title(key[0], key[0])})" if sum(1 for _, of in keys if of == key[1]) > 1 else load
