"""Run kernels as machine code if numba (`stend[sim]`) is installed, otherwise as plain Python with equal results.

Only kernel modules import this module, and they are imported lazily, because importing numba takes half a second.
"""

from stend.base.extras import missing

if missing("numba"):
    from stend.base.jit_plain import (
        bin_of,
        compiled,
        i64,
        inlined,
        leading_zeros,
        prefetch,
        trailing_zeros,
        u32,
        u64,
        wrapped,
    )
else:
    from stend.base.jit_numba import (
        bin_of,
        compiled,
        i64,
        inlined,
        leading_zeros,
        prefetch,
        trailing_zeros,
        u32,
        u64,
        wrapped,
    )

__all__ = [
    "bin_of",
    "compiled",
    "i64",
    "inlined",
    "leading_zeros",
    "prefetch",
    "trailing_zeros",
    "u32",
    "u64",
    "wrapped",
]
