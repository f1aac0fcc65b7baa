"""The trace that comes along: five seconds of a made-up mail server, `python -m tests.example_trace`."""

import numpy as np

from stend.base.units import KiB, MiB
from stend.trace import form
from stend.trace.playable import EXAMPLE

SECONDS, IOPS, SPAN = 5, 800, 64 * MiB


def batch() -> dict[str, np.ndarray]:
    """Bursts of small reads and writes, some logs in order, a flush now and then, and how long a disk took for each."""
    draw = np.random.default_rng(7)
    ios = SECONDS * IOPS
    t_ns = np.sort(draw.gamma(0.4, 1, ios).cumsum())
    t_ns = (t_ns / t_ns[-1] * SECONDS * 1e9).astype(np.int64)
    op = draw.choice([form.READ, form.WRITE, form.FLUSH], ios, p=[0.62, 0.36, 0.02]).astype(np.uint8)
    length = draw.choice([4 * KiB, 8 * KiB, 64 * KiB], ios, p=[0.6, 0.3, 0.1])
    hot = draw.random(ios) < 0.7
    offset = np.where(hot, draw.integers(0, SPAN // 8 // KiB // 4, ios), draw.integers(0, SPAN // KiB // 4 - 16, ios))
    latency_ns = (draw.lognormal(np.log(2.5e6), 0.7, ios)).astype(np.int64)
    ends = t_ns + latency_ns
    depth = np.array([1 + int((ends[max(0, n - 200) : n] > t).sum()) for n, t in enumerate(t_ns)], np.int32)
    bare = op == form.FLUSH
    return {
        "t_ns": t_ns,
        "op": op,
        "offset": np.where(bare, 0, offset * 4 * KiB),
        "length": np.where(bare, 0, length),
        "latency_ns": latency_ns,
        "depth": depth,
    }


def main() -> None:
    """Write it."""
    about = form.About(source="made by stend", device="no drive: an example", capacity_bytes=SPAN)
    form.write(EXAMPLE, [batch()], about)


if __name__ == "__main__":
    main()
