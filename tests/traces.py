"""Made traces for the tests that play one."""

from pathlib import Path
from typing import Any

import numpy as np

from stend.base.units import KiB, MiB
from stend.trace import form


def made(path: Path, *, ios: int = 2000, seconds: float = 1.0, span: int = 16 * MiB, **columns: Any) -> str:
    """Evenly spaced 4 KiB IOs at random places, half of them writes, or as `columns` has it; where it lies."""
    draw = np.random.default_rng(3)
    batch: dict[str, Any] = {
        "t_ns": (np.arange(ios) * seconds * 1e9 / ios).astype(np.int64),
        "op": (np.arange(ios) % 2).astype(np.uint8),
        "offset": draw.integers(0, span // (4 * KiB), ios) * 4 * KiB,
        "length": np.full(ios, 4 * KiB),
        "depth": np.full(ios, 4, np.int32),
        "latency_ns": np.full(ios, 2_000_000),
    }
    form.write(path, [batch | columns], form.About(source="made"))
    return str(path)
