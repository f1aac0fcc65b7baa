"""Drives for comparison in a review: other runs, folders of runs, published drives, and by default its class."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stend import catalogue
from stend.base.errors import BadInput
from stend.charts.parts.sides import Side
from stend.findings.judgement import kind
from stend.model.definition import Identity
from stend.model.published import PREFIX, published
from stend.model.record import Run

NONE = "none"
EVENTS = "events.jsonl"
CLASSES = {
    ("nvme", "enterprise"): ("nvme-server",),
    ("nvme", "client"): ("nvme-desktop",),
    ("sata", "enterprise"): ("sata", "sas"),
    ("sata", "client"): ("sata",),
    ("sas", "enterprise"): ("sas", "sata"),
    ("sas", "client"): ("sas", "sata"),
}


def resolve(names: Sequence[str]) -> tuple[list[Path], list[Side]]:
    """Return the run folders (of a catalogue all its runs) and the published drives that these names stand for.

    Raise BadInput for an unknown published drive, or without any run folder.
    """
    folders = [folder for name in names if not name.startswith(PREFIX) and name != NONE for folder in _runs(Path(name))]
    if not folders:
        raise BadInput("a report needs a run folder; name at least one")
    return list(dict.fromkeys(folders)), [side(name) for name in names if name.startswith(PREFIX)]


def side(name: str) -> Side:
    """Return `published:NAME` as a drive of the charts; raise BadInput if nothing is published of it."""
    facts = published().get(name.removeprefix(PREFIX))
    if facts is None:
        raise BadInput(f"nothing is published of {name.removeprefix(PREFIX)!r}; there are {', '.join(published())}")
    return Side(facts["about"]["title"], facts=facts)


def reference(run: Run) -> list[Side]:
    """Return the published drives of the run's class."""
    known = peers(run.plan.device, kind(run), run.plan.profile.device_class)
    return [Side(facts["about"]["title"], facts=facts) for facts in known.values()]


def peers(drive: Identity, kind: str, device_class: str) -> dict[str, dict[str, Any]]:
    """Return the published data of other drives of its class, by name; a drive is not its own rival."""
    family = drive.interface.split(" ")[0].lower()
    family = "sata" if "sata" in family else "sas" if "sas" in family or "scsi" in family else "nvme"
    wanted = {"disk": ("hybrid",), "array": ("array",)}.get(kind) or CLASSES[family, device_class]
    return {
        name: facts
        for name, facts in published().items()
        if facts.get("about", {}).get("class") in wanted and not _same(drive.model, facts["about"])
    }


def _same(model: str, about: dict[str, Any]) -> bool:
    """Return whether a drive reports the model that a publication is about."""
    return bool(about.get("model")) and about["model"].lower() in model.lower()


def _runs(folder: Path) -> Iterator[Path]:
    """Yield the run that this names (`catalogue.meant`), or the runs in it if it is a folder of runs."""
    several = folder.is_dir() and not (folder / EVENTS).exists()
    yield from (catalogue.folders(folder) if several else ()) or [catalogue.meant(folder)]
