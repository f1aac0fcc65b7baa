"""What operators and programs write is in range, or refused in one sentence that names the place."""

from pathlib import Path

import pytest

from stend import store
from stend.base import untrusted
from stend.base.errors import BadInput, StepFailed
from stend.base.units import duration, parse_bytes
from stend.cli import main
from stend.engines import _fio_json as fio
from stend.model.definition import Bytes, Hold, Phase, Seconds, Steady, Workload
from stend.model.estimate import Speed, phase_seconds
from stend.model.stats import bin_edges_ns
from stend.model.tally import Tally
from stend.planning import plan
from tests.fuzz.programs import FIO
from tests.still import IDENTITY, StillEngine
from tests.test_cli import refused
from tests.test_run import drawn, play
from tests.test_store import kept

HEAD = 'title = "t"\nspecification = "2.0.2"\ndevice_class = "client"\nwrite_cache = "enabled"\n'


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("rounds = -1", "rounds: expected a whole number >= 1"),
        ("minute_s = nan", "minute_s"),
        ("active_range_pct = -inf", "active_range_pct"),
        ("shorten = 0", "shorten"),
        ("threads = 99999999999999999999999", "threads"),
        ("steady = 'never'", "no rule 'never'"),
        ("colour = 1", "unknown field `colour`"),
        ("[tests.block-sweep]\npoint = [-inf, 4]", "block-sweep.point"),
        ("[tests.block-sweep]\npoint = [1, 2, 3]", "block-sweep.point"),
        ("[tests.latency]\nhistogram_minutes = 10000000000", "latency.histogram_minutes"),
        ("[tests.iops]\nmixes = []", "iops.mixes"),
        ("[tests.nothing]\nrounds = 1", "no test or suite 'nothing'"),
        ("[interfaces.sata]\nthreads = 'many'", "threads: expected a whole number, got text"),
        ("[interfaces.sata]\ntests = 7", "interfaces.sata.tests"),
        ("[options.purge]\nlimit_s = -1", "limit_s"),
        ("[options.other]\na = 1", "no option 'other'"),
    ],
)
def test_a_profile_that_cannot_be_is_refused_with_the_place(
    words: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + words)
    assert told in refused(["plan", "iops", "--target", "sim:small", "--profile", str(path)], 2, capsys)
    path.write_text(HEAD)
    assert plan.load_profile(str(path)).name == "mine"


def test_a_study_cannot_change_what_is_not_its_own() -> None:
    strange: list[dict[str, object]] = [{"nothing": 1}, {"name": "x"}, {"interfaces": {}}, {"tests": 7}]
    for changes in strange:
        with pytest.raises(BadInput):
            plan.adjust(plan.load_profile("review"), changes)


def test_each_change_is_told_with_what_it_was() -> None:
    profile = plan.load_profile("enterprise-2.0.2")
    _, told = plan.adjust(profile, {"tests": {"iops": {"threads": 8, "mixes": [0]}}})
    assert told == (
        "IOPS: threads: 8 instead of 4",
        "IOPS: mixes: 0/100 instead of 100/0, 95/5, 65/35, 50/50, 35/65, 5/95, 0/100",
    )
    quick, said = plan.quicken(profile)
    assert (quick.quick, quick.shorten, quick.rounds) == (True, 60, 5)
    assert "divided by 60" in said[0]


@pytest.mark.slow
def test_a_plan_of_too_many_steps_and_one_that_says_a_thing_twice_are_refused() -> None:
    def asked(test: str, **settings: object) -> None:
        chosen, _ = plan.adjust(plan.load_profile("enterprise-2.0.2"), {"tests": {test: settings}})
        plan.draw([test], chosen, IDENTITY)

    with pytest.raises(BadInput, match="different steps"):
        asked("fresh", minutes=67_000)
    with pytest.raises(BadInput, match="twice"):
        asked("hot-range", mixes=[100, 100])
    with pytest.raises(BadInput, match="no workload"):
        asked("write-saturation", workload="nothing")


def test_a_limit_ends_a_phase_that_seeks_steady_state_in_the_estimate_too() -> None:
    load = Workload(random_pct=100, read_pct=0, block_bytes=4096)
    held = Hold(workload=load, amount=Bytes(bytes=1000))
    phase = Phase(name="p", round=(held,), rounds=100, until=(Steady(track=(load,)), Seconds(seconds=15)))
    assert phase_seconds(phase, Speed(bytes_per_s=100, purge_s=1, pause_s=0), 7) == 15
    assert phase_seconds(phase, Speed(bytes_per_s=1000, purge_s=1, pause_s=0), 7) == 7


def test_sizes_and_times_beyond_any_measure_are_said_to_be_so() -> None:
    with pytest.raises(BadInput, match="too large; the largest size is 8 EiB"):
        parse_bytes("9" * 400)
    assert duration(float("nan")) == duration(float("inf")) == "an unknown time"


@pytest.mark.parametrize("evil", [b"\xff", b'"bins":{"5":1e29}', b"[" * 100_000], ids=["no text", "absurd", "deep"])
def test_one_broken_folder_is_named_and_the_list_goes_on(
    evil: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("good", "bad"):
        store.create(tmp_path / name, {"target": "still"}, {})
        list(store.append(tmp_path / name, kept(play(drawn("iops", minute_s=1, rounds=5), StillEngine()))))
    path = tmp_path / "bad/events.jsonl"
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(first + b"\n" + evil + b"\n" + rest)
    assert main(["list", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "line 2, is not an event" in out
    assert sum("iops" in line for line in out.splitlines()) == 1
    assert "line 2, is not an event" in refused(["show", str(tmp_path / "bad")], 2, capsys)


@pytest.mark.parametrize(
    ("was", "became"), [(b'"N" : 100', b'"N" : -5'), (b'"mean" : 500.5', b'"mean" : "nan"'), (b'"60"', b'"x"')]
)
def test_a_document_of_fio_that_makes_no_sense_is_a_failed_step(was: bytes, became: bytes) -> None:
    data = FIO.replace(was, became).replace(b'"100" : 60', b'"100" : -60' if was == b'"60"' else b'"100" : 60')
    with pytest.raises(StepFailed, match="makes no sense"):
        fio.read(data)
    assert fio.read(b"{") is None


def test_totals_that_go_back_are_a_failed_step_and_the_longest_lies_in_the_highest_bin_that_grew() -> None:
    before = Tally(10, 40960, 1e6, 1e11, 9e6, {200: 5, 900: 5})
    now = Tally(12, 49152, 1.2e6, 1.2e11, 9e6, {200: 6, 300: 1, 900: 5})
    assert fio.since(before, now).max_ns == bin_edges_ns(300)[1]
    for back in (Tally(9, 40960), Tally(10, 1), Tally(10, 40960, bins={200: 4, 900: 6})):
        with pytest.raises(StepFailed, match="went back"):
            fio.since(before, back)
    assert fio.Latency().ios == 0


def test_what_a_decoder_says_in_several_lines_is_one_sentence() -> None:
    assert untrusted.sentence(ValueError("no more data.\nThe header failed.\n")) == "no more data. The header failed."
