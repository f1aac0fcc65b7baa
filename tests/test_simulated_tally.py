"""What a virtual drive tells can be read again, whatever its sums were rounded to."""

import msgspec
import numpy as np

from stend.engines.tallied import tally
from stend.model.stats import BINS
from stend.model.tally import Tally


def test_a_sum_a_rounding_below_nothing_is_nothing() -> None:
    """A read that was under way in one interval and taken out of the next: of 1.9e21 were left -389116.96."""
    told = tally([0.0, 0.0, -0.25, -389116.9579202022, 2418046130.076726], np.zeros(BINS, np.int64))
    assert (told.latency_ns, told.latency_ns2) == (0.0, 0.0)
    assert msgspec.json.decode(msgspec.json.encode(told), type=Tally) == told
