"""Run kernels as plain Python, where numba is not installed: the same integers, about fifty times slower.

Arrays reach a kernel as memoryviews: their elements are Python integers, which are faster than those of numpy. A value
that does not fit into its array raises an error. Only `wrapped` drops the bits above 64, as machine words do.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])
u64: Any = int
u32: Any = int
i64: Any = int


def compiled(function: Function) -> Function:
    """Return a kernel that takes its arrays as memoryviews, also those within tuples."""

    @wraps(function)
    def kernel(*values: Any) -> Any:
        return function(*map(_view, values))

    return kernel  # type: ignore[return-value]


def _view(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return memoryview(value)  # type: ignore[arg-type]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        parts = map(_view, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def inlined(function: Function) -> Function:
    """Return the function: only a compiler can inline it."""
    return function


def prefetch(array: Any, index: Any) -> None:
    """Do nothing: only machine code can prefetch."""


def wrapped(value: Any) -> Any:
    """Return the low 64 bits of a result, as the arithmetic of uint64 does."""
    return value & 0xFFFFFFFFFFFFFFFF


def trailing_zeros(value: Any) -> Any:
    """Return the number of zero bits below the lowest set bit of a uint64."""
    return (value & -value).bit_length() - 1


def leading_zeros(value: Any) -> Any:
    """Return the number of zero bits above the highest set bit of a uint64."""
    return 64 - value.bit_length()


def bin_of(value: Any, bits: Any, bins: Any) -> Any:
    """Return the bin of a whole number: exact at first, then 2^bits bins per doubling. The last bin is open-ended."""
    shift = (value | ((2 << bits) - 1)).bit_length() - 1 - bits
    return min((shift << bits) + (value >> shift), bins - 1)
