"""`stend inspect`: verdicts on drives of known truth, 0 bytes written, lots, resume, and drives in use."""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from stend import devices, session, store
from stend.base.errors import Refused, StepFailed
from stend.charts import surface_map
from stend.cli import main
from stend.many import incoming
from stend.model.definition import Hold, Seconds
from stend.model.record import Run
from stend.model.workload import Workload
from stend.report.parts import Items
from stend.report.parts import incoming as pages
from stend.sentences import finding_said
from stend.suite import _clauses
from stend.words import Language
from tests.inspected import CAPACITY, FAULTS, RESET, SLOW, against, disk, inspected, said, verdict
from tests.waits import PATIENCE_S


def test_a_healthy_disk_is_fit_and_the_page_states_how_sure_a_slow_place_would_be_found(tmp_path: Path) -> None:
    record = inspected(disk(tmp_path))
    assert verdict(record) == "fit"
    assert not against(record)
    stated = said(record)["surface.even"].values
    assert stated["share"] == 0.01
    assert stated["probability"] >= 0.95
    assert stated["late"] < stated["visits"]
    assert said(record)["untouched.nothing"]


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_found_by_its_place_and_nothing_else_is(tmp_path: Path, name: str) -> None:
    options, found, judged, reports = FAULTS[name]
    record = inspected(disk(tmp_path, reports, **options))
    assert against(record) == found
    assert verdict(record) == judged
    for key in (key for key in found if key.startswith("surface.")):
        at = said(record)[key].values
        meant = options["slow_from_bytes" if key in ("surface.slow", "surface.falters") else "errors_from_bytes"]
        assert abs(int(at["from"] if "from" in at else at["at"]) - meant) <= CAPACITY / 512 + 10**9
    assert record.ended is not None
    assert record.ended.outcome == "complete"
    for lang in ("en", "ru"):
        assert all(finding_said(f, Language(lang)) for f in said(record).values())


def test_the_run_continues_after_errors_but_fio_is_spared(tmp_path: Path) -> None:
    record = inspected(disk(tmp_path, errors_from_bytes=5 * 10**12, errors_bytes=10**11))
    assert {result.where.phase for result in record.results} == {"surface"}
    assert len(record.of("inspect", "surface")) == 5


def test_a_slow_stretch_that_is_gone_at_the_second_reading_is_called_that(tmp_path: Path) -> None:
    record = inspected(disk(tmp_path, **SLOW, slow_us=20_000))
    assert said(record)["surface.slow"].confidence == "high"
    (second,) = record.of("inspect", "again")
    assert second.places is not None
    cells = second.places.cells
    calm = tuple(msgspec.structs.replace(cell, late=0) for cell in cells)
    places = msgspec.structs.replace(second.places, cells=calm)
    results = [msgspec.structs.replace(r, places=places) if r is second else r for r in record.results]
    assert record.ended is not None
    changed = Run([*record.started, *results, *record.telemetry, record.ended])
    assert set(said(changed)) >= {"surface.passed"}
    assert "surface.slow" not in said(changed)


def test_a_survey_that_is_too_short_says_so(tmp_path: Path) -> None:
    record = inspected(disk(tmp_path), minutes=0.1)
    assert said(record)["surface.unsure"].values["probability"] < 0.95
    assert verdict(record) == "fit_short"


def test_the_whole_drive_is_read_once_and_a_slow_part_is_found() -> None:
    record = inspected("sim:small?slow_from_bytes=40000000&slow_bytes=4000000&slow_us=2000", minutes=0)
    assert sum(r.counts.read.bytes for r in record.of("inspect", "surface")) == record.plan.device.capacity_bytes
    assert against(record) == {"surface.slow"}


@pytest.mark.parametrize(
    ("faults", "share", "key", "blocks"),
    [
        ("", 1.0, "whole", 128),
        ("?errors_from_bytes=40000000&errors_bytes=4000000", 1.0, "whole_failed", 124),
        ("", 0.5, "whole_part", 64),
    ],
)
def test_every_block_was_read_only_if_no_read_failed_and_the_survey_ended(
    faults: str, share: float, key: str, blocks: int
) -> None:
    """Of 128 blocks of 1 MiB, the 39th to the 42nd hold 40 to 44 MB. Half of a survey calls no drive even."""
    record = inspected(f"sim:small{faults}", minutes=0)
    survey = record.of("inspect", "surface")
    found = said(Run([*record.started, *survey[: int(len(survey) * share)]]))
    values = found[f"surface.{key}"].values
    assert (values["reads"], values["bytes"]) == (blocks, blocks * 1024**2)
    assert sum(name.startswith("surface.whole") for name in found) == 1 + ("surface.whole_even" in found)
    assert ("surface.whole_even" in found) == (key == "whole")
    if key == "whole_failed":
        english, russian = (finding_said(found["surface.whole_failed"], Language(lang)) for lang in ("en", "ru"))
        assert english.endswith("124 reads succeeded (130\u00a0MB), and 4 failed.")
        assert russian.endswith("удачных чтений 124 (130\u00a0МБ), неудачных 4.")


def test_hours_that_were_reset_are_stated_beside_those_of_another_log(tmp_path: Path) -> None:
    record = inspected(disk(tmp_path, RESET), minutes=0.5)
    assert said(record)["passport.hours"].values == {"smart": 120, "log": "FARM", "hours": 23000}


@pytest.mark.slow
def test_forty_healthy_drives_raise_no_alarm(tmp_path: Path) -> None:
    records = [inspected(disk(tmp_path, seed=n, serial=f"S{n}"), seed=n) for n in range(1, 31)]
    records += [inspected(f"sim:small?serial=F{n}&unit={n}&spread=1", minutes=0.3, seed=n) for n in range(1, 11)]
    rows = incoming.lot([(str(n), record) for n, record in enumerate(records)])
    assert [(row.target, row.reasons) for row in rows if row.reasons] == []
    assert {row.verdict for row in rows} == {"fit"}


def test_a_lot_is_sorted_by_severity_and_two_drives_of_one_serial_are_found(tmp_path: Path) -> None:
    targets = [
        disk(tmp_path, serial="A1"),
        disk(tmp_path, serial="A2", **SLOW, slow_us=20_000),
        disk(tmp_path, serial="A3", errors_from_bytes=10**12, errors_bytes=10**11),
        disk(tmp_path, serial="A4", seed=4),
        disk(tmp_path, serial="A4", seed=5),
    ]
    rows = incoming.lot([(target, inspected(target, minutes=1)) for target in targets])
    assert {row.serial for row in rows[:3]} == {"A3", "A4"}
    assert [row.serial for row in rows[3:]] == ["A2", "A1"]
    assert [row.verdict for row in rows[:4]] == ["back", "back", "back", "look"]
    assert any(why.key == "lot_serial" for row in rows if row.serial == "A4" for why in row.reasons)
    json.dumps(incoming.plain(rows))
    page = pages.page(rows, "ru")
    assert page.lead.texts[:2] == ("Вернуть: 3 накопителя", "Сначала разобраться: 1 накопитель")
    listed = [
        item
        for section in page.sections
        for block in section.blocks
        if isinstance(block, Items)
        for item in block.items
    ]
    assert [item.lead.partition(" ")[0] for item in listed] == [row.serial for row in rows[:4]]
    assert "тот же серийный номер A4" in " ".join(item.text for item in listed)


def test_a_drive_of_other_firmware_and_a_slower_one_differ_from_their_lot(tmp_path: Path) -> None:
    targets = [disk(tmp_path, serial=f"B{n}", firmware="2" if n == 3 else "1") for n in range(5)]
    rows = incoming.lot([(target, inspected(target, minutes=0.5)) for target in targets])
    differ = {row.serial: [why.key for why in row.reasons] for row in rows if row.reasons}
    assert differ == {"B3": ["lot_firmware"]}


def test_a_lot_shows_response_times_in_their_unit_and_a_dash_for_what_a_drive_does_not_report() -> None:
    (row,) = incoming.lot([("sim:small", inspected("sim:small", minutes=0.1))])
    shown = dict(zip(pages.COLUMNS, pages.table([row], Language("en")).rows[0], strict=True))
    assert row.median_s
    assert shown["median"] == f"{row.median_s * 1e6:.1f}\N{NO-BREAK SPACE}µs"
    assert {name for name, cell in shown.items() if cell == "–"} == {"hours", "wear"}


def test_no_place_on_the_chart_is_slower_than_the_longest_read() -> None:
    """All reads of this drive take nearly the same time, in a bin whose edge is beyond the longest of them."""
    record = inspected("sim:small", minutes=0.1)
    longest_ms = max(r.counts.read.max_s for r in record.of("inspect", "surface")) * 1e3
    (drawing,) = surface_map.draw(record, record.plan.tests[0], Language("en"))
    assert 0 < max(row["ms"] for row in drawing.rows["rows"] if row["ms"]) <= longest_ms


@pytest.mark.fio
def test_a_file_is_inspected_without_a_name_and_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "drive.bin", tmp_path / "run"
    path.write_bytes(os.urandom(24 << 20))
    path.chmod(0o444)
    before = path.stat(), hashlib.sha256(path.read_bytes()).hexdigest()
    assert main(["inspect", str(path), "--quick", "--into", str(folder)]) == 0
    assert (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) == (
        before[0].st_mtime_ns,
        before[1],
    )
    record = store.load(folder)
    assert said(record)["untouched.file_hash"]
    assert all(r.counts.write.ios == 0 for r in record.results)
    assert (folder / "report.html").exists()
    assert "Fit to be tested" in capsys.readouterr().out


@pytest.mark.fio
def test_an_inspection_that_is_killed_continues_without_a_name(tmp_path: Path) -> None:
    path, folder = tmp_path / "drive.bin", tmp_path / "run"
    path.write_bytes(os.urandom(24 << 20))
    words = [sys.executable, "-m", "stend", "inspect", str(path), "--minutes", "0.2", "--into", str(folder)]
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE_S
    while not _results(folder) and time.monotonic() < until:
        time.sleep(0.1)
    child.kill()
    child.wait()
    done = _results(folder)
    assert done >= 1
    assert main(["resume", str(folder)]) == 0
    record = store.load(folder)
    assert record.interruptions == 1
    assert [r.where.round for r in record.of("inspect", "surface")] == [1, 2, 3, 4, 5]
    assert said(record)["untouched.file_hash"]


def _results(folder: Path) -> int:
    events = folder / "events.jsonl"
    return events.read_text().count('"type":"result"') if events.exists() else 0


READS = _clauses.random(100, 4, 1, 1)
WRITES = _clauses.random(0, 4, 1, 1)


@pytest.mark.parametrize(
    "load",
    [WRITES, msgspec.structs.replace(READS, trim_pct=100), msgspec.structs.replace(READS, beside=(WRITES,))],
    ids=["writes", "trims", "writes-beside"],
)
def test_a_plan_that_writes_fails_on_a_drive_that_was_opened_for_reading(
    load: Workload, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two locks: the loop refuses the step, and the virtual drive has no writes."""
    from stend.suite import inspect

    writes = Hold(workload=load, amount=Seconds(seconds=1))
    monkeypatch.setattr(inspect, "_streams", lambda profile, device: (writes,))
    record = inspected("sim:small", minutes=0.05)
    assert record.ended is not None
    assert record.ended.outcome == "failed"
    assert "was opened for reading only" in record.ended.reason
    assert sum(r.counts.write.ios for r in record.results) == 0


def test_a_purge_is_refused_after_a_drive_was_opened_for_reading() -> None:
    device = devices.find("sim:small")
    device.door.open(writes=False, destroy=None)
    with pytest.raises((Refused, StepFailed)):
        device.purge()


def test_the_json_of_a_lot_follows_its_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import jsonschema

    folder = tmp_path / "runs"
    assert main(["inspect", "sim:small?serial=A", "--quick", "--json", "--into", str(folder)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert main(["schema", "inspection"]) == 0
    jsonschema.validate(printed, json.loads(capsys.readouterr().out))
    assert printed["drives"][0]["serial"] == "A"
    assert printed["drives"][0]["median_s"] == pytest.approx(300e-6, rel=0.9)


def test_the_request_of_an_inspection_becomes_its_command() -> None:
    request = session.Request(["inspect"], "sim:small", in_use=True, survey_minutes=2.5, seed=4)
    assert request.command == ["inspect", "--minutes=2.5", "--seed=4", "--in-use", "--", "sim:small"]
    whole = session.Request(["inspect"], "sim:small", survey_minutes=0.0)
    assert whole.command == ["inspect", "--whole", "--", "sim:small"]
    assert "in_use" not in request.manifest
