"""Counts in arrays as a Tally of the record."""

from collections.abc import Sequence

import numpy as np

from stend.model.bins import bin_edges_ns, bin_index
from stend.model.tally import Tally


def tally(row: Sequence[float], bins: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> Tally:
    """Return one direction of a Done. Sums are at least 0, because corrections for IOs in flight may round below it.

    The longest response time is moved into the highest bin with IOs: corrections move bins by their middle.
    """
    used = np.flatnonzero(bins)
    top = int(used[-1]) if len(used) else 0
    lower, end = bin_edges_ns(top)
    return Tally(
        ios=int(row[0]),
        bytes=int(row[1]),
        latency_ns=max(float(row[2]), 0.0),
        latency_ns2=max(float(row[3]), 0.0),
        max_ns=float(row[4] if bin_index(row[4]) == top else min(max(row[4], lower), end - 1)),
        bins=dict(zip(used.tolist(), bins[used].tolist(), strict=True)),
    )
