"""A saturation of less than two capacities is confirmed by another test only if that test could have shown a fall."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from stend.findings import look
from stend.findings.judgement.evidence import _confirmed
from stend.findings.look import headline
from stend.findings.look.grounds import Because
from stend.findings.look.saturated import Saturated

CAPACITY = 60_000_000_000_000


@pytest.mark.parametrize(
    ("start", "random_share", "confirmed"),
    [
        (700e3, 0.01, False),  # as fast as on the first day: the spare area may still be free in both tests
        (700e3, 0.6, True),
        (2100e3, 0.01, True),  # it slowed down to the rate of the preconditioned drive
    ],
)
def test_equal_rates_confirm_a_level_only_if_the_drive_could_have_slowed_down(
    start: float, random_share: float, *, confirmed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = SimpleNamespace(write=SimpleNamespace(bytes=random_share * CAPACITY))
    fill = SimpleNamespace(write=SimpleNamespace(bytes=2 * CAPACITY))
    records = [
        SimpleNamespace(workload=SimpleNamespace(random_pct=0), counts=fill),
        SimpleNamespace(workload=SimpleNamespace(random_pct=100), counts=written),
    ]
    window = SimpleNamespace(test="latency", steady=True, iops=700e3)
    monkeypatch.setattr(headline, "level", lambda *_: window)
    monkeypatch.setattr(look, "records", lambda *_: records)
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(capacity_bytes=CAPACITY)))
    why = Because("fills", {"fills": 1.7, "wanted": 2.0})
    saturation = Saturated(
        start=start, first_s=60, end=700e3, last=700e3, seconds=36e3, written=1e14, fills=1.7, why=why
    )
    assert _confirmed(run, saturation, cast("Any", ())) is confirmed
