"""A virtual drive that misbehaves on purpose ends a run with an outcome, an exit code and a sentence; never worse."""

from pathlib import Path

import msgspec
import pytest

from stend import findings, sim, store
from stend.cli import main
from stend.model.record import Run
from stend.report.parts.sheet import sheet
from stend.sim.accidents import Course
from stend.sim.spec import Accidents

RUN = ["--quick", "--round-seconds", "1", "--seed", "3"]


class Told:
    """What a run on `sim:small?...` came to."""

    def __init__(
        self,
        options: str,
        folder: Path,
        capsys: pytest.CaptureFixture[str],
        *more: str,
        test: str = "write-saturation",
    ) -> None:
        self.code = main(["run", test, *RUN, "--target", f"sim:small?{options}", "--into", str(folder), *more])
        out, self.err = capsys.readouterr()
        assert "Traceback" not in out + self.err
        self.folder = folder
        self.run: Run = store.load(folder)
        assert self.run.ended is not None
        self.outcome, self.reason = self.run.ended.outcome, self.run.ended.reason

    @property
    def longest_s(self) -> float:
        return max(r.counts.both.max_s for r in self.run.results)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("dies_at_s=4", "does not answer any more"),
        ("hangs_at_s=4&hang_s=3600", "was silent for 30 s"),
        ("errors_from_bytes=1000000&errors_bytes=4096", "an IO error"),
        ("resizes_at_s=4", "an IO error"),
        ("loses_power_at_s=4", "lost its power at 4 s; nothing is lost"),
        ("loses_power_at_s=4&lies_about_flush=1", "of acknowledged writes are lost"),
    ],
)
def test_what_cannot_go_on_is_a_failed_step(
    options: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Told(options, tmp_path / "run", capsys)
    assert (told.outcome, told.code) == ("failed", 5)
    assert reason in told.reason
    assert reason in told.err
    assert any(note.kind == "failure" and reason in note.text for note in told.run.notes)
    assert (told.folder / "report.html").exists()


def test_a_range_with_errors_is_named_and_spares_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = "errors_from_bytes=100000000&errors_bytes=4096"
    told = Told(there, tmp_path / "run", capsys)
    byte = int(told.reason.split("byte ")[1].split()[0])
    assert 100000000 - 4096 <= byte < 100004096
    assert Told(there, tmp_path / "beside", capsys, "--active-range", "50").code == 0


def test_a_hang_that_ends_is_a_long_response_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = Told("hangs_at_s=4&hang_s=6", tmp_path / "run", capsys)
    plain = Told("", tmp_path / "plain", capsys)
    assert told.code == plain.code == 0
    assert plain.longest_s < 1 < 6 <= told.longest_s < 7
    silent = [s for s in told.run.samples if not s.counts.both.ios]
    assert 5 <= sum(s.counts.seconds for s in silent) <= 6


@pytest.mark.slow
def test_a_drive_without_a_fan_slows_down_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = Told("overheats_at_s=1", tmp_path / "run", capsys, test="iops")
    plain = Told("", tmp_path / "plain", capsys, test="iops")
    assert told.code == 0
    keys = {f.key for f in findings.find(told.run, sheet(told.folder)) if f.name == "thermal"}
    assert keys == {"counted"}
    assert max(t.values["temperature_c"] for t in told.run.telemetry) >= 75
    assert told.run.results[-1].counts.iops < 0.8 * plain.run.results[-1].counts.iops
    assert {f.key for f in findings.find(plain.run, sheet(plain.folder)) if f.name == "thermal"} == {"cool"}


def test_a_size_that_changed_between_phases_stops_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = Told("resizes_at_s=1", tmp_path / "run", capsys)
    assert (told.outcome, told.code) == ("failed", 5)
    assert "changed its size from 134217728 to 67108864 bytes" in told.reason


@pytest.mark.parametrize("options", ["colour=red", "scale=0", "scale=9999", "seed=-1", "dies_at_s=soon"])
def test_an_option_that_makes_no_sense_is_one_sentence(
    options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["run", "iops", *RUN, "--target", f"sim:small?{options}", "--into", str(tmp_path / "run")]
    assert main(asked) == 2
    sentence = capsys.readouterr().err.strip()
    assert sentence.startswith("stend: ")
    assert len(sentence.splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("deaths", "times"), [(0, []), (1, [4.0]), (3, [4.0, 8.0, 12.0])])
def test_a_load_dies_at_its_time_and_the_multiples_of_it(deaths: int, times: list[float]) -> None:
    spec = sim.load("small")
    course = Course(msgspec.structs.replace(spec, accidents=Accidents(load_dies_at_s=4, load_deaths=deaths)))
    assert [n / 4 for n in range(100) if course.load_dies(n / 4)] == times
