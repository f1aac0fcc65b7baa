"""A load of an application profile has the largest size of its mix as its block; the shares of a mix are 100."""

import pytest

from stend.base.units import KiB
from stend.suite import profiles
from tests.still import IDENTITY


@pytest.mark.parametrize("name", profiles.WORKLOADS)
@pytest.mark.parametrize("depth", [1, 64])
def test_a_load_has_the_sizes_of_its_profile(name: str, depth: int) -> None:
    random_pct, read_pct, size = profiles.WORKLOADS[name]
    load = profiles._workload(name, depth, IDENTITY)
    mix = size if isinstance(size, tuple) else ((size, 100),)
    assert load.block_bytes == max(round(kib * KiB) for kib, _ in mix)
    assert sum(share for _, share in load.block_mix or mix) == 100
    assert (load.random_pct, load.read_pct, load.depth) == (random_pct, read_pct, depth)
    assert all(each % max(load.align_bytes, 512) == 0 for each, _ in load.block_mix)
