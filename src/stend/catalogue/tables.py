"""Convert a run into rows of the catalogue's tables (`columns`)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from stend import findings, store
from stend.base import untrusted
from stend.base.errors import BadInput
from stend.catalogue.columns import LOAD, WAITS, About, Text
from stend.findings.look import headline
from stend.findings.look.figures import DIRECTIONS, figures, of_record
from stend.model.definition import Hold, Workload
from stend.model.quantities import OTHERS
from stend.model.record import Run
from stend.model.tally import Tally
from stend.store import writer

Row = dict[str, Any]


def about(place: str, folder: Path, run: Run) -> About:
    """Return the row of `runs`. Facts from other files of the folder are null if these cannot be read."""
    plan, drive, manifest = run.plan, run.plan.device, _manifest(folder)
    host, sheet, source = store.host(folder), _sheet(folder), run.source
    price = sheet.get("price")
    return About(
        run=place,
        folder=folder.parent.resolve().name,
        started_s=run.started[0].at,
        seconds=run.took_s if run.ended else None,
        stend=run.started[0].version,
        format=store.journal.Record(folder).head["version"],
        kind="imported" if source else "virtual" if drive.virtual else "real",
        source_tool=source.name if source else None,
        source_sha256=source.files[0][1] if source and len(source.files) == 1 else None,
        model=drive.model or drive.kind,
        serial=_word(drive.serial),
        wwn=_word(drive.wwn),
        firmware=_word(drive.firmware),
        interface=_word(drive.interface),
        capacity_bytes=drive.capacity_bytes,
        native_bytes=drive.native_bytes or None,
        logical_bytes=drive.logical_bytes,
        link=_word(drive.facts.get("link")),
        profile=plan.profile.name,
        spec=plan.profile.specification,
        quick=plan.profile.quick,
        tests=tuple(test.name for test in plan.tests),
        outcome=run.outcome,
        stamps=run.stamps,
        deviations=plan.deviations,
        host_id=_word(writer.last(folder).host.name),
        cpu=_word(host.get("cpu")),
        kernel=_word(host.get("kernel")),
        fio=None if drive.virtual else _word(host.get("fio")),
        seed=run.seed,
        label=_word(manifest.get("label")),
        price=float(price) if isinstance(price, int | float) else None,
        currency=_word(sheet.get("currency")),
        **headline.key_figures(run),
    )


def rows(facts: About, run: Run) -> Iterator[tuple[str, Row]]:
    """Yield (table, row) for all other tables."""
    for number, figure in enumerate(figures(run)):
        place = {"run": facts.run, "figure": number}
        yield (
            "figures",
            place
            | {
                **{name: getattr(figure, name) for name in ("test", "phase", "state", "place", "steady")},
                **_load(figure.workload),
                "rounds_used": len(figure.rounds),
                **_measured(figure.tally, figure.seconds, figure.direction, figure.values),
                **{name: figure.values[name] for name in OTHERS},
            },
        )
        bins = sorted(figure.tally.bins.items())
        if bins:
            index, count = zip(*bins, strict=True)
            yield "bins", place | {"direction": figure.direction, "bin": index, "count": count}
    yield from (("rounds", {"run": facts.run, **row}) for row in _rounds(run))
    for finding in findings.find(run):
        fields = {name: getattr(finding, name) for name in ("name", "key", "test", "confidence", "side")}
        values = msgspec.json.encode(finding.values, enc_hook=float).decode()
        yield "findings", {"run": facts.run, **fields, "values": values}
    for note in run.notes:
        yield "notes", {"run": facts.run, "t_s": note.t, "kind": note.kind, "text": note.text}


def _rounds(run: Run) -> Iterator[Row]:
    for result in run.results:
        if isinstance(result.step, Hold):
            counts, where = result.counts, result.where
            place = {"test": where.test, "phase": where.phase, "round": where.round, "step": result.index}
            when, load = {"ended_s": result.t, "gap_s": result.gap_s}, _load(result.step.workload)
            for direction in DIRECTIONS if counts.read.ios and counts.write.ios else DIRECTIONS[:1]:
                tally = getattr(counts, direction)
                measured = _measured(tally, counts.seconds, direction, of_record(result, direction, tally))
                yield place | load | when | measured


def _load(load: Workload) -> Row:
    return {name: getattr(load, name) for name in LOAD if name != "mix_id"} | {"mix_id": load.mix or None}


def _measured(tally: Tally, seconds: float, direction: str, values: Mapping[str, float | None]) -> Row:
    """Return counts and the quantities derived from them. Percentiles are null if the sample is too small."""
    counts = {"direction": direction, "seconds": seconds, "ios": tally.ios, "bytes": tally.bytes}
    names = {"iops": "iops", "bytes_per_s": "throughput", "mean_s": "mean", "max_s": "max", **WAITS}
    quantities = {column: values[quantity] for column, quantity in names.items()}
    return counts | quantities | {"sd_s": tally.deviation_s or None}


def _word(value: Any) -> Text:
    return str(value) if value else None


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        return store.manifest(folder)
    except BadInput:
        return {}


def _sheet(folder: Path) -> dict[str, Any]:
    path = next((folder / name for name in store.SHEETS if (folder / name).is_file()), None)
    try:
        return untrusted.toml(untrusted.kept(path, "the drive sheet"), dict[str, Any], str(path)) if path else {}
    except BadInput:
        return {}
