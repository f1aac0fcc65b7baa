"""JSON: drive, verdicts, findings and every record, in base units, with its schema in a second file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from stend import findings
from stend.base.version import __version__
from stend.model.definition import Identity
from stend.model.events import Position, Verdict
from stend.model.record import Run
from stend.report.parts.records import names, rows
from stend.report.parts.schemas import DRAFT, records, unindented
from stend.report.parts.sheet import sheet
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language, english

FORMAT = 1


class Concluded(msgspec.Struct, frozen=True):
    """A finding: name, key, test ("" for all), values in base units, confidence, and its sentence by language."""

    name: str
    key: str
    test: str
    values: dict[str, Any]
    confidence: findings.Confidence
    side: findings.Side
    sentences: dict[str, str]


class Judgement(msgspec.Struct, frozen=True):
    """The end of a phase that sought steady state."""

    where: Position
    steady: bool
    ended_by: str
    verdicts: tuple[Verdict, ...]


class Reported(msgspec.Struct, frozen=True):
    """One run. `records` has the columns of the CSV."""

    run: str
    started_at: float
    outcome: str
    reason: str
    stamps: tuple[str, ...]
    profile: str
    tests: tuple[str, ...]
    device: Identity
    host: dict[str, Any]
    deviations: tuple[str, ...]
    notes: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    findings: tuple[Concluded, ...]
    records: tuple[dict[str, str | int | float | bool | None], ...]


class Report(msgspec.Struct, frozen=True):
    """The whole file; `format` increases when readers of an older format would misread it."""

    format: int
    stend: str
    runs: tuple[Reported, ...]


def schema() -> dict[str, Any]:
    """Return the published JSON schema of a report."""
    (described, row), every = msgspec.json.schema_components((Report, records()), ref_template="#/$defs/{name}")
    every["Reported"]["properties"]["records"]["items"] = row
    plain: dict[str, Any] = unindented(described | {"$defs": every})
    return {"$schema": DRAFT} | plain


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """Write `report.json` and `report.schema.json`. The report holds both languages."""
    report = Report(
        FORMAT, __version__, tuple(_reported(name, *run) for name, run in zip(names(runs), runs, strict=True))
    )
    paths = [into / "report.json", into / "report.schema.json"]
    for path, value in zip(paths, (report, schema()), strict=True):
        path.write_bytes(msgspec.json.format(msgspec.json.encode(value, enc_hook=english), indent=1) + b"\n")
    return paths


def _reported(name: str, folder: Path, run: Run, host: dict[str, Any]) -> Reported:
    plan, ended = run.plan, run.ended
    return Reported(
        run=name,
        started_at=run.started[0].at,
        outcome=run.outcome,
        reason=ended.reason if ended else "",
        stamps=run.stamps,
        profile=plan.profile.name,
        tests=tuple(test.name for test in plan.tests),
        device=plan.device,
        host=host,
        deviations=plan.deviations,
        notes=tuple(note.text for note in run.notes),
        judgements=tuple(
            Judgement(j.where, j.steady, j.ended_by, j.verdicts) for j in run.judged if j.ended_by and j.verdicts
        ),
        findings=tuple(_concluded(f) for f in findings.find(run, sheet(folder))),
        records=tuple(rows(run, name)),
    )


def _concluded(finding: findings.Finding) -> Concluded:
    sentences = {lang: finding_said(finding, Language(lang)) for lang in LANGUAGES}
    values, confidence = finding.values, finding.confidence
    return Concluded(finding.name, finding.key, finding.test, values, confidence, finding.side, sentences)
