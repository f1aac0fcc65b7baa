"""Reads of a mix beside reads alone: slower, as long, or shorter, and each sentence agrees with its two means."""

import pytest

from stend import findings
from stend.devices.virtual import VirtualDevice
from stend.model.record import Run
from stend.sentences import finding_said
from stend.sim import load
from stend.words import Language
from tests.rehearsal import rehearsed


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ("host.write_answer_us=50", "kept"),
        ("host.read_command_us=9", "shorter"),  # a write is ready sooner than a read,
        ("host.write_answer_us=50&host.write_command_us=40", "slowed"),
    ],
)
def test_reads_beside_writes_are_called_slower_only_if_they_are(options: str, key: str) -> None:
    spec = load(f"ideal?scale=64&capacity_bytes=68719476736&ideal.service=exponential&{options}".rstrip("&"))
    settings = {"latency": {"depths": [32], "blocks_kib": [4], "histogram_minutes": 0}}
    run = Run(list(rehearsed(VirtualDevice("sim:ideal", spec), "latency", interval_s=5.0, tests=settings)))
    (finding,) = [f for f in findings.find(run, {}) if f.name == "interference"]
    ratio = finding.values["mixed"] / finding.values["alone"]
    assert finding.key == key
    assert {"slowed": ratio >= 1.05, "kept": 0.95 < ratio < 1.05, "shorter": ratio < 0.96}[key]
    assert ("дольше" in finding_said(finding, Language("ru"))) == (key == "slowed")
