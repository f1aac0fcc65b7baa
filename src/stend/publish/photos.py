"""Photographs without the data that cameras add to them: place, time, serial number, owner."""

import re
import struct
from collections.abc import Iterator

KEPT_JPEG = {0xE0, 0xE2, 0xEE}
"""Segments of a JPEG that its look depends on: JFIF, colour profile, Adobe's colour transform."""
KEPT_PNG = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD", b"pHYs"}
SCAN, END, COMMENT, BYTE = 0xDA, 0xD9, 0xFE, 0xFF
ALONE = {*range(0xC0), *range(0xD0, 0xDA)}
"""No segment follows these, or none is known."""
MARK = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""The end of compressed data: a marker that is neither a stuffed byte nor a restart (ITU T.81, B.1.1)."""
BEGIN = b"\xff\xd8"
PNG_HEAD = 8


def bare(kind: str, data: bytes) -> bytes:
    """Return a photograph ("png" or "jpeg") without its metadata. A damaged one is returned up to the damage."""
    return b"".join(_png(data) if kind == "png" else _jpeg(data))


def _jpeg(data: bytes) -> Iterator[bytes]:
    """Yield the parts up to the end of the picture: cameras append further pictures, which have their own metadata."""
    if data[:2] != BEGIN:
        return
    yield BEGIN
    at = len(BEGIN)
    while at + 4 <= len(data) and data[at] == BYTE and data[at + 1] not in ALONE:
        if data[at + 1] == BYTE:  # markers may follow fill bytes
            at += 1
            continue
        mark, size = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        end = at + 2 + max(size, 2)
        if end > len(data):
            break
        if mark == SCAN:
            following = MARK.search(data, end)
            end = following.start() if following else len(data)
        if mark in KEPT_JPEG or not (0xE0 <= mark <= 0xEF or mark == COMMENT):
            yield data[at:end]
        at = end
    yield bytes((BYTE, END))


def _png(data: bytes) -> Iterator[bytes]:
    yield data[:PNG_HEAD]
    at = PNG_HEAD
    while at + 12 <= len(data):
        size, kind = struct.unpack(">I", data[at : at + 4])[0], data[at + 4 : at + 8]
        if kind in KEPT_PNG:
            yield data[at : at + 12 + size]
        at += 12 + size
