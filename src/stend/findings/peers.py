"""Against drives that the sheet names (`peers = ["kc2000"]`), by what was published of them (published.toml)."""

from collections.abc import Iterator

from stend.base.units import KiB
from stend.findings import Finding, Sheet, side
from stend.findings.look.figures import lasting
from stend.model.published import figure, published
from stend.model.record import Run

NAME = "peers"
BETTER, WORSE = 1.1, 1 / 1.1
MIX = 65


NAMES = {"read": "reads", "saturated": "writes", "read_s": "read_wait", "write_s": "write_wait", "mix_s": "mix_wait"}
"""What each is called among published figures."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """For each named peer, each figure that both have; conditions differ, so that none is sure."""
    own = _own(run) if sheet.get("peers") else {}
    for name in sheet.get("peers", ()):
        peer = published().get(name)
        if peer is None:
            values = {"peer": name, "known": ", ".join(published())}
            yield Finding(name=NAME, key="unknown", values=values, confidence="can't tell")
            continue
        for key, known in ((key, figure(peer, name)) for key, name in NAMES.items() if key in own):
            if known is None:
                continue
            ratio = own[key] / known
            gain = 1 / ratio if key.endswith("_s") else ratio
            values = {"own": own[key], "theirs": known, "ratio": ratio, "peer": peer["about"]["title"]}
            speaks = side(pro=gain > BETTER, con=gain < WORSE)
            yield Finding(name=NAME, key=key, values=values, confidence="medium", side=speaks)


def _own(run: Run) -> dict[str, float]:
    """The same figures of this run, as far as it has them."""
    found: dict[str, float] = {}
    for row in lasting(run):
        load = row.workload
        if load.random_pct != 100 or load.block_bytes != 4 * KiB or load.mixed:
            continue
        if load.outstanding > 1 and load.read_pct == 100:
            found["read"] = max(found.get("read", 0.0), row.iops)
        if load.outstanding == 1 and row.test == "latency":
            key = {100: "read_s", 0: "write_s", MIX: "mix_s"}.get(load.read_pct)
            found |= {key: row.value("mean") or 0.0} if key else {}
        if row.test == "write-saturation" and load.read_pct == 0:
            found["saturated"] = row.iops
    return found
