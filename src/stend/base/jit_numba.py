"""Compile kernels with numba: machine code cached on disk, and three bit and memory instructions Python lacks."""

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

u64, u32, i64 = np.uint64, np.uint32, np.int64
_cgutils: Any = cgutils
_linalg: Any = linalg
_njit: Any = njit
Function = TypeVar("Function", bound=Callable[..., Any])


def _no_blas() -> None:
    raise ImportError("kernels multiply no matrices")


def _without_blas() -> None:
    """Load numba's array functions without scipy's BLAS, whose import takes a tenth of a short run.

    Only numba's inner product keeps the result of the search. Other code of this process that multiplies matrices still
    finds BLAS.
    """
    with suppress(AttributeError, ImportError):  # numba's internals may change: then the run starts later
        ensure_blas, _linalg.ensure_blas = _linalg.ensure_blas, _no_blas
        try:
            import_module("numba.np.arraymath")
        finally:
            _linalg.ensure_blas = ensure_blas


def _compile(function: Function, **options: Any) -> Function:
    # Kernels allocate nothing, so counting references to their arrays (twenty times slower) protects nothing.
    return cast(Function, _njit(function, error_model="numpy", nogil=True, _nrt=False, **options))


def compiled(function: Function) -> Function:
    """Compile at the first call and cache on disk. Without a writable cache folder compile for this process only.

    Of processes that start at the same time one compiles. The others wait and load its result from the cache.
    """
    try:
        kernel = _compile(function, cache=True)
    except RuntimeError:
        _without_blas()
        return _compile(function)
    with suppress(AttributeError):  # numba's internals may change: then only a change of the kernel's file is noticed
        cache = cast(Any, kernel)._cache
        file = cache._cache_file
        file._source_stamp = (file._source_stamp, _sources(Path(function.__code__.co_filename).parent))
        _compile_in_turn(kernel, file._load_index)
        cache.load_overload = _loader(cache._load_overload, cache._guard_against_spurious_io_errors)
    return kernel


def _loader(load: Callable[..., Any], guard: Callable[[], Any]) -> Callable[..., Any]:
    """Load cached machine code without numba's other compilers, whose import takes a sixth of a second."""

    def load_overload(signature: Any, context: Any) -> Any:
        with guard():
            if cached := load(signature, context):
                return cached
        return _without_blas()

    return load_overload


def _compile_in_turn(kernel: Any, cached: Callable[[], Any]) -> None:
    path, compile_kernel = kernel.py_func.__code__.co_filename, kernel.compile

    def compile_once(signature: Any) -> Any:
        with nullcontext() if cached() or path in _HELD else _file_lock(path):
            return compile_kernel(signature)

    kernel.compile = compile_once


_HELD: set[str] = set()
"""Source files of kernels that this process compiles now. A kernel may compile another kernel of its file."""


@contextmanager
def _file_lock(path: str) -> Iterator[None]:
    """Hold the lock on a source file, so that no other process compiles it. Do without where locks fail (a share)."""
    with open(path, "rb") as file:
        _HELD.add(path)
        try:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            _HELD.discard(path)
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)  # a forked process may hold the descriptor too


def inlined(function: Function) -> Function:
    """Compile a part of a kernel that is always inlined into its caller, so that passing arguments is free."""
    return _compile(function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@inlined
def wrapped(value: Any) -> Any:
    """Return a result of uint64 arithmetic, which has dropped the bits above 64."""
    return value


@cache
def _sources(package: Path) -> str:
    """Return a digest of the files that the kernels of a package are compiled from, shared modules included."""
    shared = (Path(__file__), Path(__file__).parents[1] / "sim/kernels.py")
    texts = [path.read_bytes() for path in [*sorted(package.glob("*.py")), *shared]]
    return hashlib.blake2b(b"".join(texts), digest_size=16).hexdigest()


def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Prefetch the cache line of array[index]. The request stream is known ahead, which lets cache misses overlap."""

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
    """Return the number of zero bits below the lowest set bit of a uint64."""
    return types.uint64(types.uint64), lambda c, builder, s, args: builder.cttz(args[0], ir.IntType(1)(1))


def _leading_zeros(typing_context: Any, value: Any) -> Any:
    """Return the number of zero bits above the highest set bit of a uint64."""
    return types.uint64(types.uint64), lambda c, builder, s, args: builder.ctlz(args[0], ir.IntType(1)(1))


prefetch: Any = intrinsic(_prefetch)
trailing_zeros: Any = intrinsic(_trailing_zeros)
leading_zeros: Any = intrinsic(_leading_zeros)


@inlined
def bin_of(value: Any, bits: Any, bins: Any) -> Any:
    """Return the bin of a whole number: exact at first, then 2^bits bins per doubling. The last bin is open-ended."""
    shift = u64(63 - bits) - leading_zeros(u64(value) | ((u64(2) << u64(bits)) - u64(1)))
    return min((shift << u64(bits)) + (u64(value) >> shift), u64(bins - 1))
