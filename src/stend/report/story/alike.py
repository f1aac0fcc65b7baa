"""Profiles of several drives with one number of outstanding IOs, because rates and response times grow with it."""

from collections.abc import Mapping

from stend.findings.judgement import judge
from stend.findings.look import headline
from stend.findings.look.figures import Figures, listed
from stend.report.story.page_one import Review

PROFILES = ("server", "database")
"""Figures of evidence that are the rates of a profile. `NAME_wait` and `NAME_depth` are its response time and depth."""


def alike(reviews: Mapping[str, Review]) -> dict[str, Review]:
    """Return the reviews with the figures of each profile at the deepest of their depths, if all have that."""
    known = dict(reviews)
    for figure in PROFILES:
        rows = {name: row for name, own in known.items() if (row := own.verdict.known.rows.get(figure))}
        ladders = [listed(known[name].run, row.test, row.phase) for name, row in rows.items()]
        for name, row in zip(rows, headline.busy_alike(ladders), strict=True):
            known[name] = _at(known[name], figure, row) if row else known[name]
    return known


def _at(review: Review, figure: str, row: Figures) -> Review:
    """Return a review whose figures of a profile are those of this row; the reasons too, unless a mark changes."""
    of_row = {figure: row.iops, f"{figure}_wait": row.number("mean"), f"{figure}_depth": row.workload.outstanding}
    known = review.verdict.known
    known = known._replace(figures=known.figures | of_row, rows={**known.rows, figure: row, f"{figure}_wait": row})
    uses = () if review.verdict.standing else judge(known, review.kind)
    kept = [use.mark for use in uses] == [use.mark for use in review.verdict.uses]
    verdict = review.verdict._replace(known=known, uses=uses if kept else review.verdict.uses)
    return review._replace(figures=known.figures, verdict=verdict)
