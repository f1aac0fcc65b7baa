"""The conformance audit: each clause is called met or deviated by what was really done."""

from typing import Any

import pytest
from msgspec.structs import replace

from stend.devices.purging.purge import purged
from stend.devices.purging.table import lesser
from stend.model.events import Ended, Result, Sample
from stend.model.record import Run
from stend.report.parts.audit import audit
from stend.report.parts.method import _method
from stend.report.parts.tables import matrix
from stend.words import Language, Sentence, text
from tests.still import StillDevice, StillEngine
from tests.synthetic import made
from tests.test_run import drawn, play

ENGLISH = Language("en")
SHORT = {"minute_s": 1}


def answers(run: Run) -> dict[str, list[str]]:
    """What the audit answers to each thing that is asked, in its own keys."""
    (table,) = audit(run, ENGLISH)
    asked = {ENGLISH(f"audit.{key}"): key for key in KEYS}
    said = {ENGLISH(f"audit.{key}"): key for key in ("met", "deviated", "not_applicable", "not_claimed")}
    found: dict[str, list[str]] = {}
    for question, answer, _ in table.rows:
        found.setdefault(asked[str(question)], []).append(said[str(answer)])
    marked = {n for n, row in enumerate(table.rows) if said[str(row[1])] == "deviated"}
    assert set(table.marks) == marked
    return found


KEYS = ("purge", "cache", "range", "fill", "pattern", "minute", "order", "rule", "limit", "steady", "gaps", "window")


def ran(test: str = "iops", engine: StillEngine | None = None, **changes: Any) -> Run:
    return Run(play(drawn(test, **(SHORT | changes)), engine or StillEngine()))


def test_a_run_by_the_clauses_meets_them() -> None:
    run = ran(minute_s=60)
    found = answers(run)
    assert found["steady"] == ["met"]
    for key in ("purge", "range", "fill", "pattern", "minute", "order", "rule", "limit", "gaps", "window"):
        assert found[key] == ["met"], key
    assert found["cache"] == ["not_claimed"]


def test_an_unsteady_run_deviates() -> None:
    found = answers(ran(engine=StillEngine(lambda w, t: 1000 * (1 + (t // 7) % 3))))
    assert found["steady"] == ["deviated"]
    assert found["minute"] == ["deviated"]


def test_a_search_that_ended_before_its_first_window_has_no_figures_of_one() -> None:
    run = ran(minute_s=60, rounds=3)
    assert answers(run)["window"] == ["deviated"]
    (table,) = audit(run, ENGLISH)
    assert table.rows[-1][2] == "rounds: ended in round 3, a window has 5 rounds"
    titles = [table.title for test in run.plan.tests for table in matrix(run, test, ENGLISH)]
    assert titles == ["All mixes and block sizes, rounds: IOPS, average"]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"active_range_pct": 50.0}, "range"),
        ({"range_limit_bytes": 1 << 26}, "range"),
        ({"rounds": 5}, "limit"),
        ({"steady": "fit-90-110"}, "rule"),
    ],
)
def test_what_the_operator_changed_deviates(changes: dict[str, Any], key: str) -> None:
    assert "deviated" in answers(ran(**changes))[key]


def test_a_changed_setting_of_another_test_is_no_deviation_of_this_one() -> None:
    run = ran(minute_s=60)
    begun = run.started[0]
    words = (text("latency: rounds 9 instead of 25"), text("latency: active range in percent 50 instead of 100"))
    run.started[0] = replace(begun, plan=replace(begun.plan, deviations=words))
    assert run.plan.deviations == words
    assert (answers(run)["limit"], answers(run)["range"]) == (["met"], ["met"])


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_zeros_instead_of_a_purge_are_no_purge_of_the_clause(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drive has a purge of its own only the first time."""
    zeroed = purged(lesser("purge_zeroed"), Sentence("purge_zeros"))
    methods = [zeroed, Sentence("purge_nothing")]
    monkeypatch.setattr(StillDevice, "purge", lambda self: methods.pop())
    run, words = ran("throughput", minute_s=60), Language(lang)
    (table,) = audit(run, words)
    assert table.rows[0][1] == words("audit.not_claimed")
    assert words.translated(Sentence("purge_zeroed")) in str(table.rows[0][2])


class Slow(StillEngine):
    """Its host needs two seconds between loads."""

    def start(self, *words: object, **more: object):  # type: ignore[no-untyped-def]
        self.clock += 2
        return super().start(*words, **more)  # type: ignore[arg-type]


def test_pauses_between_records_are_bounded_but_for_where_rests_are_the_test() -> None:
    assert answers(ran(engine=Slow()))["gaps"] == ["deviated"]
    assert answers(ran("idle-recovery", engine=Slow()))["gaps"] == ["not_applicable"]


def test_a_saturation_that_ends_after_four_capacities_meets_its_clause() -> None:
    restless = StillEngine(lambda w, t: 1000 * (1 + (t // 7) % 3))
    run = ran("write-saturation", engine=restless, minute_s=60)
    assert run.saturated
    assert answers(run)["steady"] == ["met"]


def test_two_fills_wrote_twice_the_capacity_each() -> None:
    """Throughput fills the drive before each of its two block sizes."""
    run = made("throughput", rounds=2, shorten=600, interval_s=10.0)
    (table,) = audit(run, ENGLISH)
    written = 4 * run.plan.device.capacity_bytes / 1e12
    asked = ENGLISH("audit.fill")
    (detail,) = [str(row[2]) for row in table.rows if str(row[0]) == asked]
    assert detail.replace("\u00a0", " ") == f"{written:.2f} TB written, 2 x capacity per fill"


def test_a_fill_that_was_cut_off_has_the_bytes_that_were_written_until_then() -> None:
    """Half of the samples of the fill, and no step that ended."""
    events = play(drawn("iops", **SHORT), StillEngine())
    samples = [n for n, event in enumerate(events) if isinstance(event, Sample)]
    first = next(n for n, event in enumerate(events) if isinstance(event, Result) and event.counts.write.bytes)
    cut = [n for n in samples if n < first]
    until = events[: cut[len(cut) // 2]]
    run = Run([*until, Ended(t=until[-1].t, outcome="stopped")])  # type: ignore[union-attr]
    written = sum(event.counts.write.bytes for event in until if isinstance(event, Sample))
    assert written > 0
    assert not any(result.counts.write.bytes for result in run.results)
    assert run.unfinished.write.bytes == written
    (table,) = audit(run, ENGLISH)
    (fill,) = (row for row in table.rows if row[0] == ENGLISH("audit.fill"))
    moved = dict(_method(run, ENGLISH))[ENGLISH("method.moved")]
    for shown in (str(fill[2]), moved):
        assert ENGLISH.show(written, "gb") in shown
    assert Run(events).unfinished.ios == 0


def test_the_bytes_of_a_run_are_those_of_the_loads_beside_too() -> None:
    run = made("neighbours")
    own = sum(result.counts.write.bytes for result in run.results)
    beside = sum(load.counts.write.bytes for result in run.results for load in result.beside)
    assert beside > 0.01 * own
    assert ENGLISH.show(own + beside, "gb") in dict(_method(run, ENGLISH))[ENGLISH("method.moved")]
