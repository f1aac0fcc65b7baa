"""Direct IO on a file, as the kernel reports it: statx(2) with STATX_DIOALIGN, from Linux 6.1 on."""

import ctypes
import os
import struct

DIOALIGN = 0x2000
HERE = -100
"""AT_FDCWD: a path is relative to the working folder."""
STATX_BYTES = 256
ALIGN_AT = 156
"""Place of stx_dio_offset_align in struct statx (linux/stat.h); stx_mask is at 0."""


def block_bytes(path: str) -> int | None:
    """Return the smallest block of direct IO on a file, 0 if the page cache serves it, None if that is not known."""
    statx = getattr(ctypes.CDLL(None), "statx", None)
    told = ctypes.create_string_buffer(STATX_BYTES)
    if not statx or statx(HERE, os.fsencode(path), 0, DIOALIGN, told):
        return None
    mask, size = (struct.unpack_from("=I", told, place)[0] for place in (0, ALIGN_AT))
    return int(size) if mask & DIOALIGN else None
