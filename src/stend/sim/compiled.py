"""Where kernels of other rooms still look for `stend.compiled`; goes once they do not."""

from stend.compiled import compiled, inlined, leading_zeros, prefetch, trailing_zeros

__all__ = ["compiled", "inlined", "leading_zeros", "prefetch", "trailing_zeros"]
