"""Profiles that lose much of their rate as the queue grows are counted, and the worst is named."""

import pytest

from stend.model.definition import Workload
from stend.sentences import finding_said
from stend.words import Language
from tests.synthetic import made
from tests.test_cause import causes
from tests.test_findings_truth import ran

PROFILES = [phase.name for phase in made("profiles", profile="review", shorten=60).plan.tests[0].phases]


@pytest.mark.parametrize(
    ("copy", "web", "key"), [(0.9, 1.0, ""), (0.5, 1.0, "falls_profile"), (0.5, 0.4, "falls_profiles")]
)
def test_profiles_that_lose_a_third_with_depth_are_counted_and_the_worst_is_named(
    copy: float, web: float, key: str
) -> None:
    """`copy` and `web` are the shares of the highest rate at the most outstanding IOs."""

    def iops(load: Workload) -> float:
        share = copy if load.read_pct == 50 else web if load.read_pct == 100 else 1.0
        return 4000.0 if load.outstanding < 100 else 4000.0 * share

    found = causes(ran(iops, "profiles"))
    assert ("falls_beyond" in causes(ran(iops, "profiles", interface="SATA 6 Gbit/s"))) is bool(key)
    assert [name for name in found if name.startswith("falls_profile")] == ([key] if key else [])
    if key:
        values = found[key].values
        assert values["least"] / values["most"] == pytest.approx(min(copy, web), rel=0.05)
        assert values["of"] == len(set(PROFILES) - {"purge", "precondition"})
        assert values["at"] < 100 <= values["deep"]
        assert finding_said(found[key], Language("en")).startswith(f"{values['n']} of " if values["n"] > 1 else "Of ")
