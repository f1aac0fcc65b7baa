"""A run that was cut off anywhere has its findings and its page: what was not measured yet is not asked."""

import msgspec
import pytest

from stend import findings, suite
from stend.base.units import GiB
from stend.findings import look
from stend.findings.judgement.evidence import evidence
from stend.findings.look import headline
from stend.findings.look.figures import figures
from stend.model.events import Ended, Event, Result
from stend.model.record import Run
from stend.report import html
from stend.report.parts.made import page
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, events


@pytest.mark.parametrize("test", suite.names())
def test_a_run_that_was_cut_off_anywhere_has_its_findings_and_its_page(test: str) -> None:
    every = events([test], Truth(), interval_s=10.0, shorten=60, rounds=3)
    results = [place for place, event in enumerate(every) if isinstance(event, Result)]
    for last in sorted({*results[:3], results[len(results) // 3], results[len(results) // 2]}):
        run = cut(every, last)
        for finding in findings.find(run):
            assert all(finding_said(finding, Language(lang)) for lang in LANGUAGES)
    assert html.rendered(page([(None, cut(every, results[0]), {})], "en", "review")).rstrip().endswith("</html>")


def cut(every: list[Event], before: int) -> Run:
    """The run as it is when somebody stops it before that result."""
    result = every[before]
    assert isinstance(result, Result)
    return Run([*every[:before], Ended(t=result.t, outcome="stopped")])


def test_a_saturation_that_was_cut_off_has_no_saturated_figure_and_names_its_last_fifth() -> None:
    every = events(["write-saturation"], Truth(capacity_bytes=64 * GiB), interval_s=10.0)
    held = [place for place, event in enumerate(every) if isinstance(event, Result) and event.where.phase == "saturate"]
    run = cut(every, held[10])
    row = figures(run)[-1]
    assert (row.state, row.window) == ("phase", "last")
    assert sum(result.counts.write.bytes for result in run.results) > 64 * GiB  # its length alone would do
    known = evidence(run, {}, ()).figures
    assert "ended" in known
    assert known.keys().isdisjoint({"writes", "sat_s", "write_tail", "ended_share"})
    test = run.plan.tests[0]
    assert len(look.records(run, test.name, "saturate")) == 10
    assert len(look.last_records(run, test, "saturate")) == 2
    assert look.last_records(cut(every, held[3]), test, "saturate")[-1].end_s > 0
    assert len(look.last_records(cut(every, held[1]), test, "saturate")) == 1


@pytest.mark.parametrize(("trims", "states"), [(1 << 30, True), (0, False)])
def test_a_shingled_disk_slows_down_once_it_is_full_and_other_disks_do_not(trims: int, states: bool) -> None:
    """What ends at 2 % of the capacity shows no lasting rate of a disk that has trims, as only shingled ones do."""
    every = events(["write-saturation"], Truth(capacity_bytes=640 * GiB), interval_s=10.0)
    held = [place for place, event in enumerate(every) if isinstance(event, Result) and event.where.phase == "saturate"]
    run = cut(every, held[2])
    device = msgspec.structs.replace(run.plan.device, rotational=True, facts={"trim_max_bytes": trims} if trims else {})
    started = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=device))
    known = evidence(Run([started, *run.results]), {}, ()).figures
    assert "ended" in known
    assert ("ended_share" in known) == states


@pytest.mark.parametrize("rotational", [False, True])
def test_a_disk_has_no_spare_flash_that_is_used_up_later(rotational: bool) -> None:
    course = events(["write-saturation"], Truth(capacity_bytes=1200 * GiB), interval_s=10.0)
    run = Run(course)
    device = msgspec.structs.replace(run.plan.device, rotational=rotational, facts={})
    started = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=device))
    known = evidence(Run([started, *course[1:]]), {}, ()).figures
    assert "sat_s" in known
    assert ("sat_fills" in known) != rotational


@pytest.mark.parametrize(("capacity", "state"), [(8, "phase"), (64, "fresh")])
def test_a_first_record_that_wrote_the_whole_drive_is_not_of_a_fresh_one(capacity: int, state: str) -> None:
    run = Run(events(["write-saturation"], Truth(capacity_bytes=capacity * GiB, fresh_iops=100_000), interval_s=10.0))
    first = figures(run)[0]
    assert (first.window, first.state) == ("first", state)
    level = headline.level([row for row in figures(run) if row.direction == "both"], "write_fresh")
    assert (level is not None) == (state == "fresh")
