"""The power states that a drive reports beside the wake-up latency that was measured after rests."""

from collections.abc import Iterator, Mapping
from typing import Any

from stend.findings.look.figures import Figures
from stend.findings.look.woken import TEST, Level, levels, quantile, rests
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.report.parts import Table
from stend.words import Language

COLUMNS = ("state", "watts", "after", "entry", "exit", "measured")
NONE = "–"


def states(run: Run, test: PlannedTest, words: Language) -> Iterator[Table]:
    """Yield one table with a row per power state of Identify, or nothing for another test or a drive without states."""
    reported = run.plan.device.facts.get("power_states") or ()
    if test.name != TEST or not reported:
        return
    awake, every = rests(run, test.name)
    held = levels([rest for rest in every if not rest.late])
    entered = sorted(state["after_ms"] for state in reported if state.get("after_ms"))
    rows = tuple(_row(state, entered, awake, held, words) for state in reported)
    head = tuple(words(f"states.{name}") for name in COLUMNS)
    saving = run.plan.device.facts.get("power_saving_set") == "off"
    note = words("states.off" if saving else "states.note")
    yield Table(words("states.title"), head, rows, tuple(range(1, len(head))), note)


def _row(
    state: Mapping[str, Any], entered: list[float], awake: Figures | None, held: list[Level], words: Language
) -> tuple[str, ...]:
    after_ms, level = state.get("after_ms"), None
    if after_ms:
        until_ms = next((later for later in entered if later > after_ms), float("inf"))
        inside = (one for one in held if after_ms < one.from_s * 1e3 and one.to_s * 1e3 <= until_ms)
        level = max(inside, key=lambda one: one.reads, default=None)
    name = words("states.idle" if state.get("idle") else "states.active", n=state["state"])
    wake = NONE
    if level and awake:
        wake_s = level.median.mid_s - quantile(awake.tally, 0.5).mid_s
        wake = words("states.wake", wake_s=wake_s, error_s=level.error_s, n=level.reads)
    return (
        name,
        words.show(state["watts"], "watts") if state.get("watts") else NONE,
        words.show(after_ms / 1e3, "lat") if after_ms else NONE,
        *(words.show(state[key] / 1e3, "lat") if state.get(key) else NONE for key in ("entry_ms", "exit_ms")),
        wake,
    )
