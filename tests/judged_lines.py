"""What the five model reviews concluded, fact by fact, and what must stand in the review of the twin for each."""

from collections.abc import Callable
from typing import NamedTuple

from stend.findings.judgement.evidence import Evidence

Marks = dict[str, str]
Claims = dict[str, str]


class Line(NamedTuple):
    """A drive's suite, what its review concluded, which figures of the twin say so, whether they do, and why not."""

    drive: str
    fact: str
    figures: tuple[str, ...]
    agrees: Callable[[Evidence, Marks, Claims], bool]
    why: str = ""


SUITES = {
    "sn150": "review-nvme",
    "kc2000": "review-desktop",
    "saber1000": "review-sata",
    "st600mx0052": "review-sshd",
    "x25e-raid": "review-raid",
}
LINES = (
    Line("sn150", "claims kept in steady state", ("seq_read", "reads"), lambda e, m, c: kept(c) >= 4),
    Line("sn150", "falls from 430,000 to 130-140,000", ("start", "writes"),
         lambda e, m, c: e["start"] > 400e3 and 125e3 < e["writes"] < 145e3),
    Line("sn150", "no extreme peaks under saturation", ("longest",), lambda e, m, c: e["longest"] < 0.02),
    Line("sn150", "lowest write latency of its peers", ("write_wait",), lambda e, m, c: e["write_wait"] < 30e-6),
    Line("sn150", "p99.9 of the mix is high beside its writes", ("mix_tail", "write_wait"),
         lambda e, m, c: e["mix_tail"] > 20 * e["write_wait"]),
    Line("sn150", "fit for write-heavy and mixed service", (), lambda e, m, c: m["write"] == m["mixed"] == "yes"),
    Line("kc2000", "write claim reached only fresh", ("fresh_writes", "writes"),
         lambda e, m, c: e["fresh_writes"] > 250e3 > 5 * e["writes"]),
    Line("kc2000", "three steps, cache of 64-67 GiB", ("cache_bytes", "cache_first", "cache_last"),
         lambda e, m, c: 64 <= e["cache_bytes"] / 2**30 <= 67 and e["cache_fall"] > 3),
    Line("kc2000", "200,000 read IOPS", ("reads",), lambda e, m, c: 190e3 < e["reads"] < 215e3),
    Line("kc2000", "tens of ms at 99.9 % under writes", ("write_tail",), lambda e, m, c: 0.01 < e["write_tail"] < 0.1),
    Line("kc2000", "falls smoothly to 20,000", ("fall", "writes"),
         lambda e, m, c: 14e3 < e["writes"] < 22e3 and e["fall"] > 8),
    Line("kc2000", "quick recovery already at pauses of 5 s (100-200,000)", ("back_iops", "rested"),
         lambda e, m, c: e["back_iops"] > 1.3 * e["writes"] and e["rested"] > 4 * e["writes"],
         "the twin comes back more slowly, see virtual-drive-reviews.md: at 5 s a half more, at 50 s six times"),
    Line("kc2000", "desktop yes, server with writes no", (),
         lambda e, m, c: m["desktop"] == "yes" and m["mixed"] == m["write"] == m["database"] == "no"),
    Line("saber1000", "reads below the claim", ("reads",), lambda e, m, c: c["rand_read_4k"] in ("missed", "because")),
    Line("saber1000", "writes above the claim", ("writes",), lambda e, m, c: c["rand_write_4k"].startswith("holds")),
    Line("saber1000", "14,000 after ten hours", ("writes",), lambda e, m, c: 12e3 < e["writes"] < 20e3,
         "the twin ends at 18,200; see virtual-drive-reviews.md"),
    Line("saber1000", "recovers to 47,000", ("rested",), lambda e, m, c: 44e3 < e["rested"] < 50e3),
    Line("saber1000", "long maxima under saturation, 99.9 % fine", ("longest", "write_tail"),
         lambda e, m, c: e["longest"] > 0.3 and e["write_tail"] < 0.03,
         "published maxima are 2 s, those of the twin half a second"),
    Line("saber1000", "read-intensive yes, write-intensive no", (),
         lambda e, m, c: m["read"] == "yes" and m["write"] == "no"),
    Line("st600mx0052", "15 times at pure reads of a hot range", ("hot_gain",),
         lambda e, m, c: 13 < e["hot_gain"] < 18),
    Line("st600mx0052", "35/65 gains 15 %, a third less mean latency", ("warm_mixed", "warm_wait"),
         lambda e, m, c: e["warm_mixed"] > 1.1 and e["warm_wait"] > 0.25,
         "published of four drives in RAID 10; alone each gains more"),
    Line("st600mx0052", "nothing at pure writes", ("warm_writes",), lambda e, m, c: abs(e["warm_writes"] - 1) < 0.1),
    Line("st600mx0052", "good where a hot, read-mostly range fits the cache", (),
         lambda e, m, c: m["hot"] == "yes" and m["read"] == "no"),
    Line("x25e-raid", "waits of 1-4 ms at high load", ("server_wait",), lambda e, m, c: e["server_wait"] < 0.005),
    Line("x25e-raid", "1,200 MB/s and more than 100,000 small reads in sequence", ("small_read", "large_read"),
         lambda e, m, c: e["small_read"] > 100e3 and e["large_read"] > 1100e6),
    Line("x25e-raid", "for databases, not for bulk capacity", (),
         lambda e, m, c: m["database"] == "yes" and m["streaming"] == "no"),
)  # fmt: skip


def kept(claims: Claims) -> int:
    """How many claims hold."""
    return sum(1 for key in claims.values() if key.startswith("holds"))
