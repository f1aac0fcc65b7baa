"""Situations generated from layers: what passes and what is refused follows from facts, and bytes are compared."""

import re

import pytest

from stend import devices, gate
from stend.cli import main
from tests import gate_layers
from tests.gate_layers import PLACES, WORDS, Situation
from tests.gate_verbs import REFUSED
from tests.stand import Stand

pytestmark = pytest.mark.block
CHOSEN = list(gate_layers.situations())


def test_there_are_enough_situations_of_every_kind() -> None:
    assert len(CHOSEN) >= 180
    assert len({one.name for one in CHOSEN}) == len(CHOSEN)


@pytest.mark.parametrize("one", [pytest.param(s, marks=pytest.mark.needs(*s.needs), id=s.name) for s in CHOSEN])
def test_a_purge_passes_only_where_the_facts_allow_it(
    stand: Stand, one: Situation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stend.gate.entry.LOCK_PATIENCE_S", 0.2)  # no program here lets go
    monkeypatch.setattr("stend.gate.refusals.GONE_S", 0)
    ground = PLACES[one.place](stand)
    late = one.use in gate_layers.LATE
    facts = ground.facts | (set() if late else one.use(stand, ground))
    with gate_layers.reached(stand, ground, one.way) as target:
        facts |= one.use(stand, ground) if late else set()
        name = gate.names_of(devices.find(target).identity)[0]
        before = stand.digest()
        code = main(["purge", "--target", target, "--destroy-data", name])
        after = stand.digest()
    told = capsys.readouterr()
    if facts:
        assert code == REFUSED, told
        assert re.search("|".join(WORDS[fact] for fact in facts), told.err), told.err
        assert after == before
    else:
        assert code == 0, told.err
        assert after != before  # so this test would see it
