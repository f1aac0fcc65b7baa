"""Deviations of a run and the certainty of its figures, as sentences of page one."""

from collections.abc import Iterator

from stend.base.text import small
from stend.findings import look
from stend.findings.look import inspected, steady
from stend.report.parts import departures
from stend.report.parts.method import departed, methods_of
from stend.report.parts.summary import titles_of
from stend.report.story.page_one import Review, sentence, unlike_real, use_titles

MOST_DEVIATIONS = 4


def certainty(review: Review) -> Iterator[str]:
    """Yield the deviations of the operator, the tests that deviate from PTS or are not steady, and what is certain."""
    run, words = review.run, review.words
    yield from (sentence(words.translated(text)) for text in run.plan.deviations[:MOST_DEVIATIONS])
    titles = titles_of(run, words)
    departing = [titles[name] for name, of in (departures.departures(run) or {}).items() if of]
    if departing:
        spec, section = run.plan.profile.specification, words("page.method")
        yield words("story.departures", n=len(departing), spec=spec, tests=", ".join(departing), section=section)
    unset = [sentence(words.translated(note.text)) for note in departed(run)[:1]]
    yield from unset
    if not (departing or unset or run.plan.deviations):
        yield words("story.no_deviation")
    unmet = dict.fromkeys(titles[j.where.test] for j in run.unmet)
    if unmet:
        yield words("story.unmet", tests=", ".join(unmet))
    wide = steady.widest(run)
    sought = [(test.name, phase.name) for test in run.plan.tests for phase, _ in look.judged_phases(test)]
    if sought and all((judged := look.last_judged(run, *place)) and judged.steady for place in sought):
        early = dict.fromkeys(titles[f.test] for f in review.findings if (f.name, f.key) == ("steady_state", "early"))
        settled = words("story.met" if wide else "story.steady")
        yield words("story.early", tests=", ".join(early)) if early else settled
    if wide:
        tests = dict.fromkeys(titles[name] for name in wide)
        yield words("story.wide", range=max(wide.values()), tests=", ".join(tests))
    if any(test.name in inspected.TESTS for test in run.plan.tests):
        yield words("story.inspection")
    elif methods := methods_of(run, words):
        partly = words("story.partly") if len(methods) > 1 else ""
        yield words("story.method_own", methods=", ".join(f"{partly}{method}" for method in methods))
    known = any(use.key != "unknown" for use in review.verdict.uses)
    yield from _scale(review) if known and not review.verdict.standing else ()
    yield words("story.one_model" if run.plan.device.virtual else "story.one_sample")
    far = [one.times for one in unlike_real(review).values()]
    yield from [words("story.misfits", times=max(far))] if far else []
    if run.plan.device.scale > 1:
        yield words("column.note_scaled", scale=run.plan.device.scale)


def _scale(review: Review) -> Iterator[str]:
    """Yield the scale that an array is judged by, and the uses that a drive of this interface is not judged for."""
    words = review.words
    if review.kind == "array":
        yield words("story.scale_array")
    if unjudged := review.verdict.unjudged(review.kind):
        yield words("story.unjudged", port=review.run.plan.device.family, uses=small(use_titles(unjudged, words)))
