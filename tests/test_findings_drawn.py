"""Findings about drives of known truth: a quick part of `python -m benchmarks.findings` by a fixed seed."""

from functools import cache

import pytest

from stend.model.definition import Hold
from tests.drives.judge import Statement, drawn, statements
from tests.drives.kinds import KINDS

SEED = 33
pytestmark = pytest.mark.together


@cache
def found(kind: str) -> tuple[Statement, ...]:
    """Return what is stated of one drive of a kind."""
    return tuple(statements(kind, SEED, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_of_every_statement_about_a_drawn_drive_is_true(kind: str) -> None:
    assert [(one.verdict, one.text, one.wrong) for one in found(kind) if one.false] == []
    assert [name for one in found(kind) for name in one.unjudged] == []


def test_findings_tell_what_a_careful_expert_can_tell() -> None:
    every = [one for kind in KINDS for one in found(kind)]
    silent = [one.text for one in every if one.tellable]
    told = [one for one in every if one.verdict in ("right", "partly right")]
    assert len(silent) <= 0.05 * (len(told) + len(silent)), silent


@pytest.mark.parametrize("kind", ["cache", "knee"])
def test_the_same_seed_draws_the_same_drive(kind: str) -> None:
    def loads(seed: int) -> list[tuple[int, float]]:
        return [(r.counts.ios, r.t) for r in drawn(kind, seed, 0).run.results if isinstance(r.step, Hold)]

    assert loads(1) == loads(1) != loads(2)
