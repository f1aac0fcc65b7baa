"""Remove private facts from a run before anything is made from it, and prove that none is left in a file."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from stend.findings import Sheet
from stend.model.definition import Identity
from stend.model.events import TEXTS
from stend.model.record import Run
from stend.report.parts.sheet import KNOWN
from stend.words import NO_WORDS, rewritten, sentence

LEFT = "…"
"""Stands for a private text in a sentence."""
OF_HOST = (
    "cpu", "cpus", "usable_cpus", "kernel", "system", "fio", "memory_bytes", "board", "adapters", "measured",
    "governor",
)  # fmt: skip
OF_ADAPTER = ("vendor", "device", "current_link_speed", "current_link_width", "max_link_speed", "max_link_width")
OF_DRIVE = (
    "link", "link_capable", "warnings", "level", "raid_disks", "chunk_bytes", "native_bytes", "write_cache",
    "write_cache_set", "volatile_write_cache", "power_saving", "power_saving_set", "scale", "title", "trim_max_bytes",
    "warning_temperature_c", "rotation_rpm",
    "power_loss_protection", "zoned", "actuators", "protection", "fdp", "smr_hint",
)  # fmt: skip
OF_SHEET = (*KNOWN, "class", "maker", "watts", "controller", "nand", "dram", "form_factor")
PATHS = re.compile(r"(?<![\w/])/(?:[\w.@:+~-]+/)+[\w.@:+~-]*")
"""Absolute paths of at least two parts in a sentence."""
LEAST = 3
"""Shorter texts occur by chance in any sentence."""
PROVEN = 6
"""A private text of at least this length must not occur in any file, unless it is a mere word."""


def secrets(
    run: Run, host: dict[str, Any], manifest: dict[str, Any], folder: Path, public: Collection[str]
) -> list[str]:
    """Return the private texts of a run that the lab does not publish, the longest first."""
    drive, words = run.plan.device, list[str]()
    if "serial" not in public:
        words += [drive.serial, drive.wwn, *(s.fingerprint.get("serial", "") for s in run.started)]
        words += [
            str(value) for name, value in drive.facts.items() if name in ("serial", "wwn", "eui", "nguid", "uuid")
        ]
    if "host" not in public:
        words += [
            str(host.get(name, "")) for name in ("host", "hostname", "name", "node", "host_id", "machine", "user")
        ]
    if "paths" not in public:
        words += [
            str(folder.absolute()),
            str(host.get("place", "")),
            *([] if drive.virtual else [drive.target, drive.path]),
        ]
        words += [name for name, _ in (run.source.files if run.source else ())]
    known = (drive.model, drive.firmware, drive.interface)
    texts = [str(manifest.get(name, "")) for name in TEXTS if name not in public]
    words += [text for text in texts if text and all(clean(fact, [text], ("paths",)) == fact for fact in known)]
    words += [part for s in run.started for m in s.meters for part in re.split("[:,;=?]", m.spec)[1:]]
    return sorted({w for w in words if len(w) >= LEAST and w not in known}, key=len, reverse=True)


def scrub(run: Run, words: Sequence[str], public: Collection[str]) -> Run:
    """Remove private facts from a loaded run, and return it."""
    replace = msgspec.structs.replace
    drive = _drive(run.plan.device, words, public)
    cleaned = partial(clean, words=words, public=public)
    run.started = [
        replace(
            started,
            plan=replace(
                started.plan,
                device=drive,
                deviations=tuple(rewritten(deviation, cleaned) for deviation in started.plan.deviations),
                notes=(),
            ),
            fingerprint={},
            **{name: "" for name in TEXTS if name not in public},
            meters=tuple(
                replace(meter, spec=meter.spec.partition(":")[0], name=clean(meter.name, words, public))
                for meter in started.meters
            ),
            source=started.source and replace(started.source, files=()),
        )
        for started in run.started
    ]
    notes = "notes" in public
    run.notes = [replace(note, text=rewritten(note.text, cleaned) if notes else NO_WORDS) for note in run.notes]
    run.results = [replace(r, said=rewritten(r.said, cleaned)) if r.said else r for r in run.results]
    run.wrong = tuple(rewritten(wrong, cleaned) for wrong in run.wrong)
    if run.ended:
        run.ended = replace(run.ended, reason=rewritten(run.ended.reason, cleaned))
    return run


def _drive(drive: Identity, words: Sequence[str], public: Collection[str]) -> Identity:
    facts = {
        name: [rewritten(sentence(part), partial(clean, words=words, public=public)) for part in value]
        if name == "warnings"
        else value
        for name, value in drive.facts.items()
        if name in OF_DRIVE
    }
    serial = "serial" in public
    return msgspec.structs.replace(
        drive,
        target=_virtual(drive.target) if drive.virtual else "",
        path="",
        serial=drive.serial if serial else "",
        wwn=drive.wwn if serial else "",
        model=clean(drive.model, words, public),
        facts=facts,
    )


def _virtual(target: str) -> str:
    """Return the name of a virtual drive without the folders of its file."""
    name, mark, options = target.removeprefix("sim:").partition("?")
    return f"sim:{Path(name).name}{mark}{options}"


def clean(text: str, words: Sequence[str], public: Collection[str]) -> str:
    """Return a sentence without private texts and, unless they are public, without paths."""
    for word in words:
        if word in text:
            text = (
                re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", LEFT, text)
                if word[0].isalnum()
                else text.replace(word, LEFT)
            )
    return text if "paths" in public else PATHS.sub(LEFT, text)


def public_host(host: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a host that describe the machine and do not name it."""
    kept = {name: value for name, value in host.items() if name in OF_HOST}
    if isinstance(kept.get("adapters"), list):
        kept["adapters"] = [
            {k: v for k, v in a.items() if k in OF_ADAPTER} for a in kept["adapters"] if isinstance(a, dict)
        ]
    return kept


def public_sheet(facts: Sheet, more: Collection[str]) -> Sheet:
    """Return a drive sheet without names that stend does not know, which may be private notes, except `more`."""
    return {name: value for name, value in facts.items() if name in OF_SHEET or name in more}


def leaks(text: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the private texts that occur in the content of a file."""
    yield from (word for word in words if len(word) >= PROVEN and not word.isalpha() and word in text)
