"""JSON schemas: each is that of what is really written, and none lets another field or another kind of value pass."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from stend import report, store
from stend.base.units import GiB
from stend.cli import _summary, main
from stend.many.compare import compared, rules
from stend.model.record import Run
from stend.report.parts import compared as pages
from tests.imported import SAMPLES, imported, run_of
from tests.sides import of_rates
from tests.synthetic import Truth, made

NAMES = ("report", "comparison", "lot", "sweep", "events", "show")


def schema(name: str, capsys: pytest.CaptureFixture[str]) -> Draft202012Validator:
    assert main(["schema", name]) == 0
    told = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(told)
    return Draft202012Validator(told)


def whole_run() -> Run:
    names = ("iops", "write-saturation", "idle-recovery")
    return made(*names, truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60, rounds=5)


def reports(tmp_path: Path) -> Iterator[dict[str, Any]]:
    for run in (whole_run(), run_of("fio-3.33-plus.json", tmp_path), run_of("crystaldiskmark-5.txt", tmp_path)):
        yield json.loads(report.write([(tmp_path, run, {"cpus": 2})], "json", into=tmp_path)[0].read_text())


def shown(place: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["show", str(place), "--json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def comparison() -> dict[str, Any]:
    a, b = of_rates("a", 1000, 1005, 995), of_rates("b", 1100, 1105, 1095, first_s=9000, settings={"cache": "enabled"})
    whole = compared(a, b, anyway=True)
    judged = rules.chosen(["iops < -3%"], None).judge(whole)
    told: dict[str, Any] = json.loads(json.dumps(pages.plain(whole, judged)))
    return told


def test_reports_are_as_their_schema_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    validator = schema("report", capsys)
    for told in reports(tmp_path):
        validator.validate(told)
        told["runs"][0]["records"][0]["iops"] = "many"
        with pytest.raises(ValidationError, match="'many'"):
            validator.validate(told)


def test_comparisons_are_as_their_schema_says(capsys: pytest.CaptureFixture[str]) -> None:
    validator, told = schema("comparison", capsys), comparison()
    assert told["rules"]["figures"]
    assert told["differences"][0]["warned"]
    validator.validate(told)
    first, *rest = told["differences"]
    for spoiled in (first | {"verdict": "great"}, first | {"more": "two"}, {"ratio": 1.0}):
        broken = told | {"differences": [spoiled, *rest]}
        with pytest.raises(ValidationError):
            validator.validate(broken)


def test_every_line_of_a_record_is_as_its_schema_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.fuzz.files import events

    validator = schema("events", capsys)
    store.create(tmp_path / "run", {"target": "still"}, {})
    list(store.append(tmp_path / "run", (event for event in events())))
    places = [tmp_path / "run", imported(SAMPLES / "fio-3.33.json", tmp_path)]
    lines = [json.loads(line) for place in places for line in (place / "events.jsonl").read_text().splitlines()]
    assert {line.get("type") for line in lines} >= {None, "started", "sample", "result", "judged", "note", "ended"}
    for line in lines:
        validator.validate(line)
    for line in (lines[0] | {"version": 4}, lines[1] | {"seed": -1}, lines[-1] | {"mood": "good"}):
        with pytest.raises(ValidationError):
            validator.validate(line)


@pytest.mark.parametrize("sample", ["kdiskmark.txt", "fio-3.33-plus.json"])
def test_what_show_tells_is_as_its_schema_says(sample: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    validator = schema("show", capsys)
    told = shown(imported(SAMPLES / sample, tmp_path), capsys)
    validator.validate(told)
    validator.validate(json.loads(json.dumps(_summary.figures(whole_run()))))
    with pytest.raises(ValidationError):
        validator.validate(told | {"results": [told["results"][0] | {"iops": None}]})


def test_an_unknown_schema_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "nothing"]) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in NAMES)
