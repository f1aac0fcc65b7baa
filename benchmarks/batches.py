"""How often `stend lot` names good drives and misses odd ones; prints docs/method/data/batches.csv.

    python -m benchmarks.batches [batches]

A pool of drawn drives of one model (spread on) is run once, good ones and some with one parameter changed; batches are
drawn from it, with two odd drives or none.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stend.many.batch import odd
from stend.many.batch.lot import Drive, Lot, quantities_of
from stend.many.compare.differences import Figure
from stend.many.sides import Key
from stend.many.sweep import pool
from stend.many.sweep.design import parsed
from stend.many.sweep.folder import Line

BATCHES = 400
GOOD, ODD = 240, 12
KINDS = {
    "6 dies, not 8": "&flash.dies=6",
    "spare 13 %, not 20": "&flash.spare_pct=13",
    "programs 20 % slower": "&flash.program_us=840",
    "reads 25 % slower": "&flash.read_us=75",
}
SIZES = (8, 12, 24, 48)
DESIGN = """
target = "sim:small?spread=1{more}"
tests = ["iops", "write-saturation"]
quick = true
settings = {{minute_s = 1}}
parameters = {{unit = {{from = {first}, to = {last}, levels = {count}}}}}
"""


def drawn(count: int, first: int, more: str = "", workers: int = 2) -> list[Drive]:
    """So many drives of the model, from that unit on, run in memory."""
    text = DESIGN.format(more=more, first=first, last=first + count - 1, count=count)
    design = parsed(text.encode(), Path("batches.toml"))
    lines = sorted(pool.run(design, design.points(), workers), key=lambda line: line["drive"])
    return [_drive(line) for line in lines]


def _drive(line: Line) -> Drive:
    values = dict[Figure, float]()
    for row in line["figures"]:
        key = Key(**{name: row[name] for name in Key._fields})
        values |= {Figure(key, name): row[name] for name in quantities_of(key) if row[name]}
    return Drive(str(line["values"]["unit"]), (), values)


def rates(
    good: Sequence[Drive], bad: Sequence[Sequence[Drive]], size: int, batches: int, seed: int = 1
) -> tuple[float, float, list[float]]:
    """Of batches with one drive of each bad kind: the share with a good one named, good ones named a batch, and the
    share of each kind that is missed."""
    dice = np.random.default_rng([seed, size, len(bad)])
    alarms, named, missed = 0, 0, np.zeros(len(bad))
    for _ in range(batches):
        own = [good[int(i)] for i in dice.choice(len(good), size - len(bad), replace=False)]
        own += [kind[int(dice.integers(len(kind)))] for kind in bad]
        found = odd.named(odd.distances(lot_of(own)))
        wrong = sum(i < size - len(bad) for i in found)
        alarms, named = alarms + bool(wrong), named + wrong
        missed += [size - len(bad) + k not in found for k in range(len(bad))]
    return alarms / batches, named / batches, (missed / batches).tolist()


def lot_of(drives: Sequence[Drive]) -> Lot:
    """These drives as a lot."""
    figures = dict.fromkeys(figure for drive in drives for figure in drive.values)
    return Lot(tuple(drives), tuple(f for f in figures if sum(f in d.values for d in drives) > 1), ())


def table(batches: int) -> list[str]:
    """Markdown."""
    good = drawn(GOOD, 1)
    bad = {name: drawn(ODD, 1000 * k, more) for k, (name, more) in enumerate(KINDS.items(), 1)}
    heads = " | ".join(f"missed: {name}" for name in bad)
    lines = [
        f"| drives | a good one is named, none odd | the same, two odd | {heads} |",
        "|---|" + "---|" * (2 + len(bad)),
    ]
    kinds = list(bad)
    for size in SIZES:
        alone, _, _ = rates(good, [], size, batches)
        pairs = [rates(good, [bad[a], bad[b]], size, batches) for a, b in zip(kinds[::2], kinds[1::2], strict=True)]
        missed = " | ".join(f"{share:.1%}" for _, _, own in pairs for share in own)
        lines.append(f"| {size} | {alone:.1%} | {np.mean([pair[0] for pair in pairs]):.1%} | {missed} |")
    return lines


if __name__ == "__main__":
    print("\n".join(table(int(sys.argv[1]) if len(sys.argv) > 1 else BATCHES)))
