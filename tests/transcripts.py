"""What a test does, as a person would write it down to hold it against its clause.

`python -m tests.transcripts` writes all of them anew to tests/goldens/suite; read the difference before committing it.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import msgspec

from stend import suite
from stend.base.units import binary, duration
from stend.model.definition import Bytes, Hold, Idle, Phase, Plan, Seconds, Steady, Step, Workload
from stend.model.events import Judged, Result
from stend.model.record import Run
from stend.planning import plan as planning
from stend.planning.describe import composition, rule_words
from stend.runner.loop import run
from tests.still import IDENTITY, StillDevice, StillEngine

FOLDER = Path(__file__).parent / "goldens" / "suite"
REVIEWED = ("iops", "throughput", "latency", "write-saturation", "idle-recovery")
INTERVAL_S, QUICK_S = 60, 5
"""Of samples: a minute shows all that a plan of whole minutes does."""
INTERFACES = {"review-sata": "SATA 6 Gbit/s"}
"""Of the drive that a suite is told on, where its profile has something to say of them."""


def subjects() -> dict[str, tuple[str, str | None]]:
    """Name of the golden file -> (test or suite, profile)."""
    usual = {name: (name, "review" if suite.load(name).clause == "review" else None) for name in suite.names()}
    reviews = {f"{name}.review": (name, "review") for name in REVIEWED}
    older = {f"{name}.enterprise-1.1": (name, "enterprise-1.1") for name in ("iops", "write-saturation")}
    return usual | reviews | older | {f"suite.{name}": (name, None) for name in suite.suites()}


def transcript(asked: str, profile: str | None = None) -> str:
    """The whole story of a run on a drive that is always steady."""
    tests, chosen, told = planning.gather([asked], profile, {})
    drive = msgspec.structs.replace(IDENTITY, interface=INTERFACES.get(asked, IDENTITY.interface))
    plan = planning.draw(tests, chosen, drive, deviations=told)
    engine, past, starts = (
        StillEngine(_rate, QUICK_S if plan.profile.quick else INTERVAL_S),
        Run(),
        dict[tuple[str, str], int](),
    )
    seen = 0
    for event in run(plan, StillDevice(engine.log), engine, seed=1, at=0.0, past=past):
        if isinstance(event, Result):
            place = (event.where.test, event.where.phase)
            starts[place] = starts.get(place, 0) + sum(line.startswith("start") for line in engine.log[seen:])
            seen = len(engine.log)
    return "\n".join([*_head(plan), *_body(past, starts)]) + "\n"


def _rate(workload: Workload, t: float) -> float:
    """Always the same, and more with more outstanding, so that demand has its Max, Mid and Min."""
    return 100 * workload.outstanding / (workload.outstanding + 8)


def _head(plan: Plan) -> Iterator[str]:
    yield f"{plan.profile.title}; write cache {plan.profile.write_cache}, range {plan.profile.active_range_pct:g} %"
    yield from (f"deviation: {text}" for text in plan.deviations)
    yield from (f"note: {text}" for text in plan.notes)


def _body(past: Run, starts: dict[tuple[str, str], int]) -> Iterator[str]:
    name, mix = "", ""
    for test, phase in past.phases():
        if test.name != name:
            name = test.name
            yield from ("", f"{test.title} ({test.clause})")
            yield from (f"  {place}: as {source} left it" for place, source in test.shared.items())
        ends = next(j for j in past.judged if (j.where.test, j.where.phase) == (name, phase.name) and j.ended_by)
        told = [_ended(ends), _limits(phase), _starts(starts.get((name, phase.name), 0))]
        yield f"  {phase.name}" + "".join(f"; {text}" for text in told if text)
        mixed = next((s.workload for s in phase.round if isinstance(s, Hold) and s.workload.mixed), None)
        if mixed and composition(mixed) != mix:
            mix = composition(mixed)
            yield f"    MIX is {mix}"
        rounds = groupby(past.of(name, phase.name), key=lambda result: result.where.round)
        steps = (_steps(tuple(result.step for result in results)) for _, results in rounds)
        for lines, same in groupby(steps):
            count = len(list(same))
            yield from ([f"    {count} rounds of"] if count > 1 else [])
            yield from (f"    {'  ' if count > 1 else ''}{line}" for line in lines)


def _ended(judged: Judged) -> str:
    tracked = ", ".join(f"{v.label} in {v.quantity}" for v in judged.verdicts)
    ended_by = judged.ended_by.removeprefix("all done")
    return f"until {ended_by} in {tracked}" if judged.steady else f"until {ended_by}" if ended_by else ""


def _limits(phase: Phase) -> str:
    limits = [rule_words(rule) for rule in phase.until if not isinstance(rule, Steady)]
    return f"or at the latest {', '.join([f'{phase.rounds} rounds', *limits])}" if phase.until else ""


def _starts(count: int) -> str:
    return {0: "", 1: "load started once"}.get(count, f"load started {count} times")


def _steps(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """Steps in words: the same workload again as amounts added up, neighbours that differ in one word as its list."""
    rows: list[list[list[str]]] = []
    for (label, amounts), same in groupby(_loads(steps)):
        words = [*label.split(), amounts] if amounts else [label]
        for _ in same:
            if rows and _joins(rows[-1], words):
                place = _differs(rows[-1], words)
                rows[-1][place].append(words[place])
            else:
                rows.append([[word] for word in words])
    return tuple(" ".join(map(_listed, row)) for row in rows)


def _loads(steps: tuple[Step, ...]) -> Iterator[tuple[str, str]]:
    """(workload, how long) where one load is held for several steps running, (step, "") for the others."""
    for workload, same in groupby(steps, key=lambda step: step.workload if isinstance(step, Hold) else step):
        held = list(same)
        if not isinstance(workload, Workload):
            yield from ((_rest(step), "") for step in held)
            continue
        place = ""
        if workload.range_bytes != IDENTITY.capacity_bytes:
            place = f"at {workload.start_bytes >> 20}+{workload.range_bytes >> 20} MiB "
        amounts = [(much, len(list(again))) for much, again in groupby(map(_amount, held))]
        yield workload.label, place + "for " + " + ".join(f"{n} x {much}" if n > 1 else much for much, n in amounts)


def _rest(step: Step) -> str:
    return f"rest {duration(step.seconds)}" if isinstance(step, Idle) else "purge"


def _amount(step: Step) -> str:
    match step:
        case Hold(amount=Seconds(seconds=seconds)):
            return duration(seconds)
        case Hold(amount=Bytes(bytes=size)):
            return binary(size)
        case _:
            return ""


def _differs(row: list[list[str]], words: list[str]) -> int:
    return next(i for i, (had, word) in enumerate(zip(row, words, strict=True)) if had[-1] != word)


def _joins(row: list[list[str]], words: list[str]) -> bool:
    if len(row) != len(words):
        return False
    different = [i for i, (had, word) in enumerate(zip(row, words, strict=True)) if had[-1] != word]
    lists = [i for i, had in enumerate(row) if len(had) > 1]
    return len(different) == 1 and lists in ([], different)


def _listed(words: list[str]) -> str:
    if len(words) > 16:
        return f"{words[0]}, {words[1]}, ... {words[-1]} ({len(words)} of them)"
    return ",".join(words)


def main() -> None:
    """Write all transcripts, once all of them are made, and remove those of tests that are gone."""
    texts = {f"{name}.txt": transcript(asked, profile) for name, (asked, profile) in subjects().items()}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
