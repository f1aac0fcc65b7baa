"""What a review lays beside its drive: other runs, folders of them, what was published, and its class by default."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stend import catalogue
from stend.charts.parts.sides import Side
from stend.definition import Identity
from stend.errors import BadInput
from stend.findings.judgement import kind
from stend.published import published
from stend.record import Run

PREFIX = "published:"
NONE = "none"
EVENTS = "events.jsonl"
CLASSES = {
    "nvme": ("nvme-server", "nvme-desktop"),
    "sata": ("sata", "sas"),
    "sas": ("sas", "sata"),
    "disk": ("hybrid",),
    "array": ("array",),
}


def told(names: Sequence[str]) -> tuple[list[Path], list[Side]]:
    """Run folders, those of a catalogue one by one, and published drives; BadInput for a name nobody knows."""
    folders = [folder for name in names if not name.startswith(PREFIX) and name != NONE for folder in _runs(Path(name))]
    if not folders:
        raise BadInput("a report needs a run folder")
    return list(dict.fromkeys(folders)), [side(name) for name in names if name.startswith(PREFIX)]


def side(name: str) -> Side:
    """`published:NAME` as a drive of the charts."""
    facts = published().get(name.removeprefix(PREFIX))
    if facts is None:
        raise BadInput(f"nothing is published of {name.removeprefix(PREFIX)!r}; there are {', '.join(published())}")
    return Side(facts["about"]["title"], facts=facts)


def reference(run: Run) -> list[Side]:
    """The published drives of its class."""
    return [Side(facts["about"]["title"], facts=facts) for facts in peers(run.plan.device, kind(run)).values()]


def peers(drive: Identity, kind: str) -> dict[str, dict[str, Any]]:
    """The published drives of its class."""
    family = kind if kind in ("disk", "array") else drive.interface.split(" ")[0].lower()
    wanted = CLASSES.get(family, CLASSES["sata"] if "sa" in family else CLASSES["nvme"])
    return {name: facts for name, facts in published().items() if facts.get("about", {}).get("class") in wanted}


def _runs(folder: Path) -> Iterator[Path]:
    """The folder, or the runs in it where it is none itself."""
    own = folder.is_dir() and not (folder / EVENTS).exists()
    yield from (catalogue.folders(folder) if own else ()) or [folder]
