"""Units of a model and runs of a unit differ as stated, and comparisons find what lies between models, not units."""

from importlib import resources
from itertools import product
from math import log
from pathlib import Path
from statistics import fmean, stdev

import pytest

from stend import session
from stend.base.errors import BadInput
from stend.cli import main
from stend.devices import virtual
from stend.many.compare import Outcome, Side, compared, side
from stend.many.read import run
from stend.sim import load
from stend.sim.spread import BAD_PCT, ROOM_K, RUN, UNIT

UNITS, RUNS = 8, 2
QUICK = {"profile": "enterprise-1.1", "quick": True, "minute_s": 0.2, "rounds": 1, "seed": 5}
SLOWER = {"read_us = 60": "read_us = 72", '"stend small"': '"stend slow"'}
pytestmark = pytest.mark.together


def test_without_a_spread_every_unit_is_the_profile_itself() -> None:
    plain, unit = load("small"), load("small?unit=3&run=4")
    assert (unit.flash, unit.host, unit.thermal, unit.seed) == (plain.flash, plain.host, plain.thermal, plain.seed)
    assert load("small?spread=0") == plain
    assert virtual.identity("x", plain).serial == "SIM-small"
    assert virtual.identity("x", unit).serial == "SIM-small-3"


def test_a_unit_is_the_same_again_and_keeps_its_blocks_from_run_to_run() -> None:
    first, again, later, other = (load(f"small?spread=1&unit={u}&run={r}") for u, r in ((1, 1), (1, 1), (1, 2), (2, 1)))
    assert first == again
    assert first.flash
    assert later.flash
    assert other.flash
    assert later.flash.spare_pct == first.flash.spare_pct != other.flash.spare_pct
    assert later.flash.read_us / first.flash.read_us == pytest.approx(later.flash.program_us / first.flash.program_us)
    assert later.flash.read_us != first.flash.read_us
    assert len({one.seed for one in (first, later, other)}) == 3


@pytest.mark.parametrize("spread", [1, 3])
def test_the_spread_is_as_stated(spread: int) -> None:
    units = [load(f"small?spread={spread}&unit={unit}") for unit in range(1000)]
    times = {field: [log(getattr(one.flash, field)) for one in units] for field in UNIT["flash"]}
    for own in times.values():
        assert stdev(own) == pytest.approx(spread * (0.02**2 + RUN**2) ** 0.5, rel=0.1)
    assert fmean(times["read_us"]) == pytest.approx(log(60), abs=0.003 * spread)
    assert fmean(20 - one.flash.spare_pct for one in units if one.flash) == pytest.approx(spread * BAD_PCT, rel=0.1)
    assert min(one.flash.spare_pct for one in units if one.flash) >= 15
    assert stdev(one.thermal.ambient_c for one in units) == pytest.approx(spread * ROOM_K, rel=0.1)
    runs = [load(f"small?spread={spread}&unit=1&run={turn}") for turn in range(1000)]
    assert stdev(log(one.flash.read_us) for one in runs if one.flash) == pytest.approx(spread * RUN, rel=0.1)


@pytest.mark.parametrize("name", ["st600mx0052", "x25e-raid", "sn150", "ideal"])
def test_every_kind_of_drive_varies(name: str) -> None:
    plain, one = load(name), load(f"{name}?spread=1&unit=1")
    for part, fields in UNIT.items():
        own, drawn = getattr(plain, part), getattr(one, part)
        if own is not None:
            assert [f for f in fields if getattr(own, f) and getattr(own, f) == getattr(drawn, f)] == []


@pytest.mark.parametrize("query", ["spread=-1", "spread=11", "unit=-1", "run=x", "spread=nan"])
def test_a_spread_that_cannot_be_is_refused(query: str) -> None:
    with pytest.raises(BadInput, match="the virtual drive small cannot be used"):
        load(f"small?{query}")


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight units of a model, two runs each, eight more of it, and eight of a model whose reads take a fifth longer."""
    folder = tmp_path_factory.mktemp("units")
    text = (resources.files("stend.sim") / "profiles/small.toml").read_text()
    for was, is_now in SLOWER.items():
        text = text.replace(was, is_now)
    (folder / "slow.toml").write_text(text)
    (folder / "runs").mkdir()
    for name, target, units in (
        ("a", "small", range(1, 2 * UNITS + 1)),
        ("b", f"{folder}/slow.toml", range(1, UNITS + 1)),
    ):
        made(folder / "runs" / f"{name}-as-it-is", f"sim:{target}")
        for unit, turn in product(units, range(1, RUNS + 1)):
            made(folder / "runs" / f"{name}-{unit}-{turn}", f"sim:{target}?spread=1&unit={unit}&run={turn}")
    return folder / "runs"


def made(folder: Path, target: str) -> None:
    request = session.Request(["latency"], target, into=str(folder), **QUICK)  # type: ignore[arg-type]
    with session.start(request) as running:
        for _ in running:
            pass


def units(top: Path, name: str, first: int) -> Side:
    own = product(range(first, first + UNITS), range(1, RUNS + 1))
    return side(f"{name}{first}", [run(top / f"{name}-{unit}-{turn}") for unit, turn in own])


@pytest.mark.slow
def test_a_difference_of_models_is_found_over_the_differences_of_units(top: Path) -> None:
    whole = compared(units(top, "a", 1), units(top, "b", 1), anyway=True)
    true: tuple[Outcome, Outcome] = run(top / "a-as-it-is"), run(top / "b-as-it-is")
    reads = [one for one in whole.differences if one.quantity == "mean" and one.key.read_pct == 100]
    assert len(reads) == 3
    for one in reads:
        first, second = (own.rows[one.key].value("mean") or 0 for own in true)
        assert one.low is not None
        assert one.high is not None
        assert one.low < second / first < one.high < 1.25
        assert one.units == (UNITS, UNITS), "drives stand for a model, not their runs"
        assert one.runs == (UNITS * RUNS, UNITS * RUNS)
        assert one.verdict == "worse"


@pytest.mark.slow
def test_units_of_one_model_are_not_told_apart(top: Path) -> None:
    whole = compared(units(top, "a", 1), units(top, "a", 1 + UNITS), anyway=True)
    assert {one.verdict for one in whole.differences} <= {"same", "undecided"}
    means = [one.verdict for one in whole.differences if one.quantity == "mean"]
    assert means.count("same") > len(means) / 2


@pytest.mark.slow
def test_models_are_compared_from_their_catalogue(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(top), "--by", "model", "--where", "run!=*is", "--anyway"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"stend small ({2 * UNITS * RUNS}) | stend slow ({UNITS * RUNS})"
    assert any("16 drives" in line for line in said)
