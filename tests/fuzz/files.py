"""The operator's files: profiles, studies, sheets, virtual drives, manifests, host.json, events."""

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from stend import findings, store, suite
from stend.base import limits
from stend.cli import _summary
from stend.devices import virtual
from stend.model.definition import Plan
from stend.model.events import Event
from stend.model.record import Run
from stend.planning import plan
from stend.planning.describe import lines
from stend.report.parts.document import protocol
from stend.report.parts.header import platform
from stend.report.parts.sheet import characteristics, read_sheet
from stend.sentences import finding_said
from stend.sim import load
from stend.words import Language, decoded, encoded
from tests.fuzz.target import Target, senseless, unprintable
from tests.still import StillEngine
from tests.test_run import drawn, play

FOLDER = Path(tempfile.mkdtemp(prefix="stend-fuzz-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
DRIVE = virtual.find("sim:small").identity
WORDS = Language("en")
HOST = {
    "cpu": "x", "cpus": 8, "memory_bytes": 1 << 34, "board": "b", "system": "s", "kernel": "6", "fio": "fio-3.33",
    "adapters": [{"vendor": "0x1", "device": "0x2", "current_link_speed": "8.0 GT/s", "current_link_width": "4"}],
    "measured": {"memory": {"words": "2 x 8", "kind": "DDR4", "mt_s": 3200, "balanced": True},
                 "stream_bytes_per_s": {"triad": 1.5e10}, "fio_iops": {"one": 5e5, "all": 2e6}},
}  # fmt: skip
SHEET = b"""price = 89.90
currency = "EUR"
controller = "SM2262EN"
endurance_tbw = 300
warranty_years = 5
interface = "NVMe PCIe 3.0 x4"
user_bytes = 500107862016
peers = ["saber1000"]
[claimed]
seq_read_128k_MB = 3000
rand_read_4k = 350000
latency_us = 80
"""
OPTIONS = b'[options.purge]\nmethod = "format"\ncommand = "x {node}"\nlimit_s = 60\n[interfaces.virtual]\nthreads = 2\n'


def events() -> list[Event]:
    """A short run."""
    return play(drawn("iops", minute_s=1, rounds=5), StillEngine())


RUN = Run(events())


def _file(name: str, read: Callable[[Path], Any]) -> Callable[[bytes], Any]:
    path = FOLDER / name
    path.parent.mkdir(exist_ok=True)

    def reading(data: bytes) -> Any:
        path.write_bytes(data)
        return read(path)

    return reading


def _packaged(folder: str) -> list[bytes]:
    where = resources.files("stend.suite" if folder in ("profiles", "suites") else "stend.sim")
    return [file.read_bytes() for file in sorted((where / Path(folder).name).iterdir(), key=lambda f: f.name)]


def _planned(path: Path) -> Any:
    asked, profile = (["iops"], str(path)) if path.name == "profile.toml" else ([str(path)], None)
    names, chosen, told = plan.gather(asked, profile, {})
    for name in dict.fromkeys((*names, *(n for n in chosen.tests))):
        made = plan.draw([name], chosen, DRIVE, deviations=told)
    return made, lines(made), suite.expand(tuple(asked))


def _wrong_plan(taken: Any) -> str:
    made: Plan = taken[0]
    recorded = msgspec.json.encode(made, enc_hook=encoded)
    again = msgspec.json.decode(recorded, type=Plan, dec_hook=decoded)  # what is recorded must be read
    return senseless(made) or senseless(again) or ("" if made.longest_s >= 0 else "time runs back")


def _judged(path: Path) -> Any:
    facts = read_sheet(path)
    said = [finding_said(found, WORDS) for found in findings.find(RUN, facts)]
    return facts, said, list(characteristics(facts, WORDS))


def _wrong_sheet(taken: Any) -> str:
    own = [*taken[0].get("peers", ()), taken[0].get("currency", ""), taken[0].get("interface", "")]
    bad = [text for text in taken[1] if re.search(r" (nan|inf)\b", text) and not {"nan", "inf"} & set(own)]
    return senseless(taken[0].get("claimed", {})) or next(iter(bad), "")


def _shown(path: Path) -> Any:
    run = store.load(path.parent)
    return run, _summary.lines(run), _summary.figures(run)


def _whole(path: Path) -> Any:
    run = store.load(path.parent)
    return run, [repr(protocol([(path.parent, run, {})], "en"))], {}


def _wrong_run(taken: Any) -> str:
    run = taken[0]
    return senseless([*run.started, *run.results, *run.samples, *run.judged]) or senseless(taken[2])


def _virtual(path: Path) -> Any:
    return load(str(path))


def _hosted(path: Path) -> Any:
    told = store.host(path.parent)
    reckoned = (
        msgspec.convert(told.get("measured", {}), limits.Measured),
        told.get("cpus", 0),
        told.get("memory_bytes", 0),
    )
    return reckoned, platform(told, RUN, WORDS)


def _recorded() -> list[bytes]:
    """A record as it is written now, and one of the first version."""
    folder = FOLDER / "told"
    shutil.rmtree(folder, ignore_errors=True)
    store.create(folder, {"target": "still"}, HOST)
    list(store.append(folder, (event for event in events()[:60])))
    written = msgspec.json.Encoder(enc_hook=encoded).encode
    first = b"\n".join([b'{"format":"stend-events","version":1}', *map(written, events()[:60])]) + b"\n"
    return [(folder / "events.jsonl").read_bytes(), first]


def targets() -> list[Target]:
    """All of them."""
    recorded = _recorded()
    profiles = [data + OPTIONS for data in _packaged("profiles")]
    profiles = [data for data in profiles if b"[interfaces" not in data.removesuffix(OPTIONS)] + _packaged("profiles")
    return [
        Target("profile", "toml", profiles, _file("profile.toml", _planned), _wrong_plan),
        Target("study", "toml", _packaged("suites"), _file("study.toml", _planned), _wrong_plan),
        Target("virtual drive", "toml", _packaged("sim/profiles"), _file("sim.toml", _virtual), senseless, 2),
        Target("sheet", "toml", [SHEET], _file("sheet.toml", _judged), _wrong_sheet),
        Target("manifest", "toml", [b'target = "x"\ntests = ["iops"]\nseed = 1\n'],
               _file("told/manifest.toml", lambda p: store.manifest(p.parent)), lambda taken: ""),
        Target("host", "json", [msgspec.json.encode(HOST)], _file("told/host.json", _hosted),
               lambda taken: senseless(taken[0])),
        Target("events", "jsonl", recorded, _file("run/events.jsonl", _shown), _wrong_run, 2),
        Target("report", "jsonl", recorded, _file("run/events.jsonl", _whole), _wrong_run, 0.05),
    ]  # fmt: skip


def printable(taken: Any) -> str:
    """For oracles of what is shown."""
    return unprintable("\n".join(map(str, taken)))
