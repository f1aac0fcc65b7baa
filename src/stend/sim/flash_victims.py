"""Choose the superblock to clean next by the drive's policy; a part of the flash kernel."""

from typing import Any

from stend.base.jit import i64, inlined
from stend.sim import flash_state as k
from stend.sim.draws import below, random64

SAMPLES = 10
"""Candidates that the sampled policy compares ("d choices", Van Houdt 2013)."""


@inlined
def emptiest(valid: Any) -> Any:
    """Return the closed superblock with the fewest current pages."""
    least, at = k.NONE, 0
    for b in range(valid.shape[0]):
        if valid[b] < least:
            least, at = valid[b], b
    return at


@inlined
def oldest(f: Any) -> Any:
    """Return the superblock that was closed first."""
    least, at = i64(1) << 62, 0
    for b in range(f.valid.shape[0]):
        if f.valid[b] < k.VICTIM and f.age[b] < least:
            least, at = f.age[b], b
    return at


@inlined
def worthiest(f: Any) -> Any:
    """Return the superblock with the most age x free share / cost (cost-benefit, Rosenblum and Ousterhout 1992)."""
    best, at = -1.0, 0
    pages, now = float(f.parameters[k.PAGES]), f.state[k.CLOSED]
    for b in range(f.valid.shape[0]):
        if f.valid[b] < k.VICTIM:
            fill = f.valid[b] / pages
            worth = (1 - fill) / (1 + fill) * (now - f.age[b] + 1)
            if worth > best:
                best, at = worth, b
    return at


@inlined
def sampled(f: Any) -> Any:
    """Return the emptiest of a few superblocks drawn at random."""
    least, at = k.NONE, i64(-1)
    looked = 0
    while looked < SAMPLES:
        b = below(random64(f.rng), i64(f.valid.shape[0]))
        if f.valid[b] < k.VICTIM:
            looked += 1
            if f.valid[b] < least:
                least, at = f.valid[b], b
    return at


@inlined
def choose(f: Any) -> Any:
    """Return the next victim by the drive's policy."""
    policy = f.parameters[k.POLICY]
    if policy == k.GREEDY:
        return i64(emptiest(f.valid))
    if policy == k.OLDEST_FIRST:
        return i64(oldest(f))
    if policy == k.COST_BENEFIT:
        return i64(worthiest(f))
    return i64(sampled(f))
