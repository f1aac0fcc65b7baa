"""Tables of a page of several drives state what their words mean."""

import pytest

from stend.findings.judgement import Mark, Verdict
from stend.findings.judgement.evidence import Known
from stend.report.story import together
from stend.words import Language
from tests.test_story import seen

EN = Language("en")


@pytest.mark.parametrize(("mark", "noted"), [("performance", True), ("yes", False)])
def test_a_use_that_is_fit_by_performance_only_is_explained(mark: Mark, noted: bool) -> None:
    (*_, uses) = together.tables({name: seen({"write": mark, "read": "no"}) for name in "AB"}, EN)
    assert (uses.note == EN("together.by_performance")) == noted


def test_the_two_drives_within_ten_percent_are_named_if_there_is_a_third() -> None:
    own = [seen({"write": "yes"})._replace(figures={"reads": reads}) for reads in (8e5, 7.9e5, 1e5)]
    own = [one._replace(verdict=Verdict("write", (), Known(one.figures))) for one in own]
    for names, best in (("AB", "at most 10% apart"), ("ABC", "A and B, at most 10% apart")):
        tables = list(together.tables(dict(zip(names, own, strict=False)), EN))
        assert tables[1].rows[0][-1] == best
