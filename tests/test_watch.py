"""Rules over the drive's own word: what changed between two rounds that every report must say."""

import re
from typing import Any

import msgspec
import pytest

from stend import charts, findings
from stend.base.units import GB, MB, GiB
from stend.findings.look import incidents
from stend.model.counts import Counts
from stend.model.definition import Hold, Identity, Purge, Seconds, Step, Workload
from stend.model.events import Note, Position, Result, Started, Telemetry
from stend.model.record import Run
from stend.model.tally import Tally
from stend.planning import plan
from stend.report.parts import header
from stend.runner import telemetry as watch
from stend.runner.loop import run as run_of
from stend.words import Language, text
from tests.still import StillDevice, StillEngine

MINUTE = 60.0
WRITES = Workload(random_pct=100, read_pct=0, block_bytes=4096)


def run_with(*telemetry: dict[str, Any], facts: dict[str, Any] | None = None, every_min: float = 5) -> Run:
    """A run that was told these values, one every so many minutes."""
    drive = Identity(kind="nvme", target="/dev/x", path="/dev/x", capacity_bytes=100 * GB, facts=facts or {})
    names, profile, deviations = plan.gather(["write-saturation"], None, {})
    drawn = plan.draw(names, profile, drive, deviations=deviations)
    run = Run([Started(at=0, version="0", plan=drawn, seed=1)])
    for number, values in enumerate(telemetry):
        run.add(Telemetry(t=number * every_min * MINUTE, values=values))
    return run


def load(run: Run, written: int, read: int = 0, *, t: float = 5 * MINUTE, step: Step | None = None) -> None:
    """A result between the first two Telemetry events."""
    place = Position(test="write-saturation", phase="saturate", round=1)
    hold = Hold(workload=WRITES, amount=Seconds(seconds=60))
    counts = Counts(60, 0, Tally(1, read), Tally(1, written))
    run.add(Result(where=place, index=0, step=step or hold, t=t, counts=counts))


def english_in_russian(sentence: str) -> set[str]:
    """Words of the Latin alphabet that a Russian report shows where the core told this."""
    return set(re.findall(r"[A-Za-z]{3,}", Language("ru").translated(sentence)))


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"crc_errors": 4}, {"crc_errors": 7}, "CRC errors (cable, connector) grew by 3 between minute 0 and 5"),
        ({"media_errors": 0}, {"media_errors": 1}, "media errors grew by 1"),
        ({"reallocated": 0}, {"reallocated": 8}, "reallocated sectors grew by 8"),
        ({"grown_defects": 2}, {"grown_defects": 3}, "grown defects grew by 1"),
        ({"degraded": 0}, {"degraded": 1}, "missing members of the array grew by 1"),
        ({"link": "gen 4 x4"}, {"link": "gen 3 x4"}, "link was retrained from gen 4 x4 to gen 3 x4 before minute 5"),
        ({"temperature_c": 69}, {"temperature_c": 71}, "the drive reached 71 °C by minute 5; it warns from 70 °C"),
        ({"critical_warning": 0}, {"critical_warning": 4}, "a critical warning (0x4) since minute 5"),
        ({"resync": ""}, {"resync": "check, 12 / 99"}, "the array is being synchronised since minute 5: check"),
    ],
)
def test_a_change_is_a_sentence(before: dict[str, Any], now: dict[str, Any], said: str) -> None:
    facts = {"warning_temperature_c": 70}
    (sentence,) = watch.doubts(run_with(before, now, facts=facts))
    assert said in sentence
    assert english_in_russian(sentence) <= {"gen", "check", "CRC"}
    assert list(watch.doubts(run_with(before, before, facts=facts))) == []
    assert list(watch.doubts(run_with(now, now, facts=facts))) == []


@pytest.mark.parametrize("values", [{}, {"crc_errors": 9}, {"temperature_c": 90}])
def test_a_single_look_says_nothing(values: dict[str, Any]) -> None:
    assert list(watch.doubts(run_with(values, facts={"warning_temperature_c": 70}))) == []


def test_counters_that_begin_anew_are_no_change() -> None:
    assert list(watch.doubts(run_with({"crc_errors": 9}, {"crc_errors": 1}))) == []


def test_nothing_is_compared_across_an_interruption() -> None:
    run = run_with({"crc_errors": 1})
    go_on(run)
    run.add(Telemetry(t=300, values={"crc_errors": 5}))
    assert list(watch.doubts(run)) == []


def go_on(run: Run) -> None:
    """It was interrupted, and the clock starts anew."""
    again = Position(test="write-saturation", phase="saturate", round=2)
    run.add(Started(at=0, version="0", plan=run.plan, seed=1, continues=again))


def test_minutes_are_those_of_the_whole_run() -> None:
    """The clock of a resumed run starts again, but its reader knows one run."""
    run = run_with({"media_errors": 0}, {"media_errors": 0})
    go_on(run)
    run.add(Telemetry(t=1 * MINUTE, values={"media_errors": 0, "temperature_c": 60, "critical_warning": 0}))
    run.add(Telemetry(t=4 * MINUTE, values={"media_errors": 1, "temperature_c": 80, "critical_warning": 2}))
    english = [Language("en").translated(sentence) for sentence in watch.doubts(run)]
    assert english[0] == "media errors grew by 1 between minute 6 and 9"
    assert english[1].endswith("since minute 9")
    (finding,) = findings.file("thermal").find(run, {})
    assert (finding.key, finding.values["minute"]) == ("warned", 9)
    whys = {incident.why.key: incident.why.values for incident in incidents.every(run)}
    assert whys["media_errors"]["minute"] == whys["heat_warning"]["minute"] == 9


def test_load_before_an_interruption_is_not_held_against_what_was_counted_after_it() -> None:
    run = run_with({"kernel_write_bytes": 0}, every_min=1)
    load(run, 10 * GB, t=50)
    go_on(run)
    run.add(Telemetry(t=0, values={"kernel_write_bytes": 20 * GB}))
    load(run, 10 * GB, t=60.9)
    run.add(Telemetry(t=61, values={"kernel_write_bytes": 30 * GB}))
    assert list(watch.mismatches(run)) == []


def told_one_by_one(*seconds: float) -> list[str]:
    """Every sentence of a run whose drive counts these seconds of throttling."""
    values = [{"throttle_s": count} for count in seconds]
    said = []
    for number in range(1, len(values) + 1):
        said += list(watch.doubts(run_with(*values[:number])))
    return [*said, *watch.at_the_end(run_with(*values))]


def test_throttling_is_told_once_with_its_minutes() -> None:
    assert told_one_by_one(0, 0, 10, 40, 60, 60, 60) == [
        "between the readings of minutes 5 and 20 the drive throttled itself (1 min by its own count)"
    ]


def test_throttling_twice_is_two_sentences() -> None:
    assert [line.split(" (")[0] for line in told_one_by_one(0, 5, 5, 5, 9, 9)] == [
        "between the readings of minutes 0 and 5 the drive throttled itself",
        "between the readings of minutes 15 and 20 the drive throttled itself",
    ]


def test_throttling_that_goes_on_is_told_at_the_end() -> None:
    assert told_one_by_one(0, 0, 10, 40) == [
        "between the readings of minutes 5 and 15 the drive throttled itself (40 s by its own count)"
    ]


@pytest.mark.parametrize("source", ["kernel", "host"])
@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize(("factor", "said"), [(1.0, 0), (1.009, 0), (0.991, 0), (1.02, 1), (0.98, 1), (0, 1)])
def test_load_is_proved_within_a_percent(source: str, kind: str, factor: float, said: int) -> None:
    name = f"{source}_{kind}_bytes"
    run = run_with({name: 1000}, {name: 1000 + round(10 * GB * factor)})
    load(run, 10 * GB if kind == "write" else 0, 10 * GB if kind == "read" else 0)
    sentences = list(watch.mismatches(run))
    assert len(sentences) == said
    assert all("stend counted 10 GB" in sentence for sentence in sentences)
    assert all(english_in_russian(sentence) <= {"stend", "SMART"} for sentence in sentences)


@pytest.mark.parametrize(("unit", "behind", "said"), [(GiB, 0.5, 0), (GiB, 1.9, 0), (GiB, 2.1, 1), (512, 0.5, 1)])
def test_a_drive_that_counts_coarsely_is_not_held_to_what_it_cannot_tell(unit: int, behind: float, said: int) -> None:
    before = {"host_write_bytes": 0, "host_unit_bytes": unit}
    run = run_with(before, before | {"host_write_bytes": GiB})
    load(run, GiB + round(GiB * behind))
    assert len(list(watch.mismatches(run))) == said


@pytest.mark.parametrize(("asked_s", "said"), [(2.0, 0), (0.5, 1)])
def test_load_that_goes_on_while_the_drive_is_asked_is_no_mismatch(asked_s: float, said: int) -> None:
    run = run_with({"kernel_write_bytes": 0})
    load(run, 60 * GB, t=60)
    run.add(Telemetry(t=60 + asked_s, values={"kernel_write_bytes": 62 * GB}))
    assert len(list(watch.mismatches(run))) == said


def test_a_look_at_the_very_end_of_a_load_allows_for_nothing() -> None:
    run = run_with({"kernel_write_bytes": 0})
    for minute, counted in ((1, 60 * GB), (2, 120 * GB), (3, 190 * GB)):
        load(run, 60 * GB, t=60 * minute)
        run.add(Telemetry(t=60 * minute, values={"kernel_write_bytes": counted}))
        assert len(list(watch.mismatches(run))) == (counted == 190 * GB)


def test_of_a_mix_of_sizes_the_largest_may_be_in_flight() -> None:
    mixed = msgspec.structs.replace(WRITES, threads=4, depth=32, block_mix=((4096, 50), (65536, 50)))
    hold = Hold(workload=mixed, amount=Seconds(seconds=60))
    in_flight = 4 * 32 * 65536
    for more, said in ((in_flight, 0), (in_flight * 2, 1)):
        run = run_with({"host_write_bytes": 0}, {"host_write_bytes": 100 * MB + more})
        load(run, 100 * MB, step=hold)
        assert len(list(watch.mismatches(run))) == said


def test_a_virtual_drive_has_no_wear_of_its_own_to_tell() -> None:
    told = {"nand_write_bytes": 0, "host_write_bytes": 0}, {"nand_write_bytes": 3 * GB, "host_write_bytes": 2 * GB}
    run = run_with(*told)
    load(run, 2 * GB)
    assert list(watch.of_phase(run, "write-saturation", "saturate"))
    drive = msgspec.structs.replace(run.plan.device, virtual=True)
    run.started[0] = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=drive))
    assert list(watch.of_phase(run, "write-saturation", "saturate")) == []
    assert list(watch.of_phase(Run(), "write-saturation", "saturate")) == []


def test_what_was_in_flight_at_a_stop_is_no_mismatch() -> None:
    run = run_with({"kernel_write_bytes": 0}, {"kernel_write_bytes": 10 * MB + 4096})
    load(run, 10 * MB)
    assert list(watch.mismatches(run)) == []


def test_a_purge_between_two_looks_proves_nothing() -> None:
    run = run_with({"kernel_write_bytes": 0}, {"kernel_write_bytes": 100 * GB})
    load(run, 0, step=Purge())
    assert list(watch.mismatches(run)) == []


def test_write_amplification_and_drive_writes_per_day_of_a_phase() -> None:
    run = run_with(
        {"host_write_bytes": 0, "nand_write_bytes": 0},
        {"host_write_bytes": 25 * GB, "nand_write_bytes": 60 * GB},
        every_min=360,
    )
    load(run, 25 * GB, t=360 * MINUTE)
    (sentence,) = watch.of_phase(run, "write-saturation", "saturate")
    assert sentence == (
        "write-saturation, saturate: write amplification 2.40 (25 GB from the host, 60 GB to flash), "
        "1.0 drive writes per day"
    )
    assert not english_in_russian(sentence)
    assert list(watch.of_phase(run, "write-saturation", "precondition")) == []


@pytest.mark.parametrize(
    ("host", "flash", "told"), [(99, 300, False), (100, 99, False), (100, 150, True), (1000, 1300, True)]
)
def test_counters_in_gigabytes_give_write_amplification_once_their_unit_is_a_hundredth(
    host: int, flash: int, told: bool
) -> None:
    """SATA drives count in GiB: after 3 GiB of writes the quotient may be off by half."""
    units = {"host_unit_bytes": GiB, "nand_unit_bytes": GiB}
    run = run_with(
        {"host_write_bytes": 7 * GiB, "nand_write_bytes": 9 * GiB} | units,
        {"host_write_bytes": (7 + host) * GiB, "nand_write_bytes": (9 + flash) * GiB} | units,
    )
    load(run, host * GiB)
    said = [text for text in watch.of_phase(run, "write-saturation", "saturate") if text.key == "wear"]
    assert [text.values["wa"] for text in said] == [flash / host] * told


def test_a_flash_counter_that_started_again_gives_no_write_amplification() -> None:
    run = run_with(
        {"host_write_bytes": 1000 * GB, "nand_write_bytes": 2000 * GB},
        {"host_write_bytes": 3000 * GB, "nand_write_bytes": 10 * GB},
    )
    load(run, 2000 * GB)
    assert not [text for text in watch.of_phase(run, "write-saturation", "saturate") if text.key == "wear"]


@pytest.mark.parametrize("own", [{}, {"host_write_bytes": 0}])
def test_an_array_and_who_seldom_tells_are_held_against_what_the_kernel_counted(own: dict[str, Any]) -> None:
    run = run_with(
        {"kernel_write_bytes": 0, "nand_write_bytes": 0} | own,
        {"kernel_write_bytes": 10 * GB, "nand_write_bytes": 30 * GB},
    )
    load(run, 10 * GB)
    (sentence,) = watch.of_phase(run, "write-saturation", "saturate")
    assert "write amplification 3.00" in sentence


def test_a_drive_that_tells_no_flash_writes_has_no_write_amplification() -> None:
    run = run_with({"host_write_bytes": 0}, {"host_write_bytes": GiB})
    load(run, GiB)
    assert list(watch.of_phase(run, "write-saturation", "saturate")) == []


def test_a_slow_link_and_load_that_is_not_proved_are_on_every_page_and_chart() -> None:
    slow = "PCI Express link gen 4 x2 of gen 4 x4"
    run = run_with(facts={"warnings": [slow]})
    assert slow in run.stamps
    (test,) = run.plan.tests
    assert charts.stamped(run, test, Language("en")) == [slow]
    run.add(
        Note(
            t=1,
            text=text("stend counted 10 GB written, the kernel counted 9 GB between minute 0 and 5"),
            kind="mismatch",
        )
    )
    (said,) = charts.stamped(run, test, Language("ru"))
    assert english_in_russian(said) <= {"gen", "Express", "PCI"}
    assert run.stamps[-2:] == (slow, "load and counters differ by more than 1%, see the notes")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "nvme"),
        ({"link": "gen 4 x4", "link_capable": "gen 4 x4"}, "nvme, gen 4 x4"),
        ({"link": "gen 4 x2", "link_capable": "gen 4 x4"}, "nvme, gen 4 x2 / gen 4 x4"),
    ],
)
def test_a_report_tells_the_link_beside_the_interface(facts: dict[str, Any], said: str) -> None:
    run = run_with(facts=facts)
    drive = msgspec.structs.replace(run.plan.device, interface="nvme")
    run.started[0] = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=drive))
    assert dict(header.device(run, None, Language("en")))["interface"] == said


class Told(StillDevice):
    """A drive that tells its wear whenever it is asked, and keeps when that was."""

    def __init__(self, engine: StillEngine) -> None:
        super().__init__(engine.log)
        self.identity, self.asked = msgspec.structs.replace(self.identity, virtual=False), 0

    def health(self) -> dict[str, Any]:
        self.log.append("ask")
        self.asked += 1
        return {"host_write_bytes": self.asked * GB, "nand_write_bytes": self.asked * 2 * GB}


def story(test: str) -> tuple[list[str], Run]:
    """What was done to a drive in order, and the run."""
    engine, past = StillEngine(lambda workload, t: 100.0, 60), Run()
    drive = Told(engine)
    names, profile, _ = plan.gather([test], None, {"rounds": 2})
    for _ in run_of(plan.draw(names, profile, drive.identity), drive, engine, seed=1, at=0, past=past):
        pass
    return engine.log, past


@pytest.mark.parametrize("test", ["iops", "idle-recovery", "latency", "write-saturation"])
def test_a_drive_is_asked_before_and_after_its_load_and_never_in_a_rest(test: str) -> None:
    log, past = story(test)
    assert log.index("ask") < next(n for n, line in enumerate(log) if line.startswith(("purge", "start")))
    assert len([line for line in log if line == "ask"]) >= 2
    assert past.telemetry
    for before, now, after in zip(log, log[1:], log[2:], strict=False):
        if now == "ask":
            assert not before.startswith("idle")
            assert not after.startswith("idle")


def test_every_phase_of_a_test_has_its_write_amplification() -> None:
    _, past = story("iops")
    told = [note.text for note in past.notes if "write amplification" in note.text]
    assert [text.partition(":")[0] for text in told] == ["iops, precondition", "iops, rounds"]
