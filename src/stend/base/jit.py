"""How kernels are compiled: machine code cached on disk, three bit and memory instructions that Python does not have.

Only kernel modules import this one, and they are imported when they are needed: numba costs half a second.
"""

import fcntl
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import linalg

u64 = np.uint64
_cgutils: Any = cgutils
_linalg: Any = linalg
_njit: Any = njit
Function = TypeVar("Function", bound=Callable[..., Any])


def _no_blas() -> None:
    raise ImportError("kernels multiply no matrices")


def _without_blas() -> None:
    """Load numba's functions of arrays, which look for scipy's BLAS: to load that is a tenth of a short run.

    Only their inner product remembers what was found; whoever multiplies matrices beside us is looked for anew.
    """
    with suppress(AttributeError, ImportError):  # numba's inside: without it a run starts later
        looks, _linalg.ensure_blas = _linalg.ensure_blas, _no_blas
        try:
            import_module("numba.np.arraymath")
        finally:
            _linalg.ensure_blas = looks


def _compile(function: Function, **options: Any) -> Function:
    # Kernels allocate nothing, so counting references to their arrays (twenty times slower) protects nothing.
    return cast(Function, _njit(function, error_model="numpy", nogil=True, _nrt=False, **options))


def compiled(function: Function) -> Function:
    """Compile at first call, keep on disk; where no cache folder can be written, compile for this process only.

    Of processes that begin beside each other one compiles, the others wait for it and take what it kept.
    """
    try:
        kernel = _compile(function, cache=True)
    except RuntimeError:
        _without_blas()
        return _compile(function)
    with suppress(AttributeError):  # numba's inside: without it only a change of the kernel's own file is noticed
        cache = cast(Any, kernel)._cache
        file = cache._cache_file
        file._source_stamp = (file._source_stamp, _sources(Path(function.__code__.co_filename).parent))
        _by_one(kernel, file._load_index)
        cache.load_overload = _found(cache._load_overload, cache._guard_against_spurious_io_errors)
    return kernel


def _found(find: Callable[..., Any], guard: Callable[[], Any]) -> Callable[..., Any]:
    """What was compiled before, and no more: all that numba can compile takes a sixth of a second to load."""

    def found(signature: Any, context: Any) -> Any:
        with guard():
            if kept := find(signature, context):
                return kept
        return _without_blas()

    return found


def _by_one(kernel: Any, kept: Callable[[], Any]) -> None:
    path, begun = kernel.py_func.__code__.co_filename, kernel.compile

    def ready(signature: Any) -> Any:
        with nullcontext() if kept() or path in _HELD else _alone(path):
            return begun(signature)

    kernel.compile = ready


_HELD: set[str] = set()
"""Files of kernels that this process compiles: a kernel may ask for another of its file."""


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """While it lasts no other process compiles what is in the file; one that takes no locks, on a share, is for all."""
    with open(path, "rb") as file:
        _HELD.add(path)
        try:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            _HELD.discard(path)
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)  # a fork may have it too


def inlined(function: Function) -> Function:
    """The same for a part of a kernel: always melted into its caller, so that arguments cost nothing."""
    return _compile(function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@cache
def _sources(room: Path) -> str:
    """A digest of all files that the kernels of a room are made of, and of those parts that all rooms may share."""
    shared = (Path(__file__), Path(__file__).parents[1] / "sim/kernels.py")
    texts = [path.read_bytes() for path in [*sorted(room.glob("*.py")), *shared]]
    return hashlib.blake2b(b"".join(texts), digest_size=16).hexdigest()


def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of array[index]; the request stream is known ahead, so misses overlap."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).data
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(builder.gep(data, [args[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = _cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [address, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, index), code


def _trailing_zeros(typing_context: Any, value: Any) -> Any:
    """Number of zero bits below the lowest one of a uint64."""
    return types.uint64(types.uint64), lambda c, builder, s, args: builder.cttz(args[0], ir.IntType(1)(1))


def _leading_zeros(typing_context: Any, value: Any) -> Any:
    """Number of zero bits above the highest one of a uint64."""
    return types.uint64(types.uint64), lambda c, builder, s, args: builder.ctlz(args[0], ir.IntType(1)(1))


prefetch: Any = intrinsic(_prefetch)
trailing_zeros: Any = intrinsic(_trailing_zeros)
leading_zeros: Any = intrinsic(_leading_zeros)


@inlined
def bin_of(value: Any, bits: Any, bins: Any) -> Any:
    """The bin of a whole number: exact at first, then 2^bits bins to each doubling; the last holds all beyond."""
    shift = u64(63 - bits) - leading_zeros(u64(value) | ((u64(2) << u64(bits)) - u64(1)))
    return min((shift << u64(bits)) + (u64(value) >> shift), u64(bins - 1))
