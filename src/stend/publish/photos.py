"""Photographs without the data that cameras add to them: place, time, serial number, owner."""

import struct
from collections.abc import Iterator

KEPT_JPEG = {0xE0, 0xE2, 0xEE}
"""Segments of a JPEG that its look depends on: JFIF, colour profile, Adobe's colour transform."""
KEPT_PNG = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD", b"pHYs"}
SCAN, BYTE = 0xDA, 0xFF
PNG_HEAD = 8


def bare(kind: str, data: bytes) -> bytes:
    """Return a photograph ("png" or "jpeg") without its metadata; a damaged one is returned up to the damage."""
    return b"".join(_png(data) if kind == "png" else _jpeg(data))


def _jpeg(data: bytes) -> Iterator[bytes]:
    yield data[:2]
    at = 2
    while at + 4 <= len(data) and data[at] == BYTE:
        mark, size = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        if mark == SCAN:
            yield data[at : data.rfind(b"\xff\xd9") + 2]
            return
        if mark in KEPT_JPEG or not (0xE0 <= mark <= 0xEF or mark == 0xFE):
            yield data[at : at + 2 + size]
        at += 2 + size


def _png(data: bytes) -> Iterator[bytes]:
    yield data[:PNG_HEAD]
    at = PNG_HEAD
    while at + 12 <= len(data):
        size, kind = struct.unpack(">I", data[at : at + 4])[0], data[at + 4 : at + 8]
        if kind in KEPT_PNG:
            yield data[at : at + 12 + size]
        at += 12 + size
