"""How kernels are compiled: machine code cached on disk, three bit and memory instructions that Python does not have.

Only kernel modules import this one, and they are imported when a drive is built: numba costs half a second.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile at first call, keep on disk; where no cache folder can be written, compile for this process only."""
    try:
        return cast(Function, njit(function, cache=True, error_model="numpy"))
    except RuntimeError:
        return cast(Function, njit(function, error_model="numpy"))


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of array[index]; the request stream is known ahead, so misses overlap."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).data
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(builder.gep(data, [args[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [address, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, index), code


@intrinsic  # type: ignore[untyped-decorator]
def trailing_zeros(typing_context: Any, value: Any) -> Any:
    """Number of zero bits below the lowest one of a uint64."""
    return types.uint64(types.uint64), lambda c, builder, s, args: builder.cttz(args[0], ir.IntType(1)(1))


@intrinsic  # type: ignore[untyped-decorator]
def leading_zeros(typing_context: Any, value: Any) -> Any:
    """Number of zero bits above the highest one of a uint64."""
    return types.uint64(types.uint64), lambda c, builder, s, args: builder.ctlz(args[0], ir.IntType(1)(1))
