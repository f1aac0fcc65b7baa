"""How kernels over traces are compiled: cached on disk, where a folder for it can be written.

Only kernel modules import this one, and they are imported when a trace is read: numba costs half a second.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile at first call. Functions of one file alone call each other: the cache knows a kernel by its file."""
    try:
        return cast(Function, njit(function, cache=True, error_model="numpy"))
    except RuntimeError:
        return cast(Function, njit(function, error_model="numpy"))
