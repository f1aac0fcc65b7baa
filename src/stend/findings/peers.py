"""Comparison with drives that the sheet names (`peers = ["kc2000"]`), by their published figures (published.toml)."""

from collections.abc import Iterator

from stend.base.units import KiB
from stend.findings import Finding, Sheet, side
from stend.findings.look.figures import lasting
from stend.model.published import figure, published
from stend.model.record import Run

BETTER, WORSE = 1.1, 1 / 1.1
MIX = 65


NAMES = {"read": "reads", "saturated": "writes", "read_s": "read_wait", "write_s": "write_wait", "mix_s": "mix_wait"}
"""Key of the finding -> name of the published figure."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield each figure that both drives have, per named peer. None is sure because conditions differ."""
    measured = _measured(run) if sheet.get("peers") else {}
    for name in sheet.get("peers", ()):
        peer = published().get(name)
        if peer is None:
            values = {"peer": name, "known": ", ".join(published())}
            yield Finding(key="unknown", values=values, confidence="can't tell")
            continue
        for key, known in ((key, figure(peer, name)) for key, name in NAMES.items() if key in measured):
            if known is None:
                continue
            ratio = measured[key] / known
            gain = 1 / ratio if key.endswith("_s") else ratio
            values = {"own": measured[key], "theirs": known, "ratio": ratio, "peer": peer["about"]["title"]}
            speaks = side(pro=gain > BETTER, con=gain < WORSE)
            yield Finding(key=key, values=values, confidence="medium", side=speaks)


def _measured(run: Run) -> dict[str, float]:
    """Return the figures of this run that peers may have, as far as it has them."""
    measured: dict[str, float] = {}
    for row in lasting(run):
        load = row.workload
        if not load.is_plain(100, load.read_pct, 4 * KiB):
            continue
        if load.outstanding > 1 and load.read_pct == 100:
            measured["read"] = max(measured.get("read", 0.0), row.iops)
        if load.outstanding == 1 and row.test == "latency":
            key = {100: "read_s", 0: "write_s", MIX: "mix_s"}.get(load.read_pct)
            measured |= {key: row.value("mean") or 0.0} if key else {}
        if row.test == "write-saturation" and load.read_pct == 0:
            measured["saturated"] = row.iops
    return measured
