"""Kernels that split text into lines and fields and parse numbers. A field that is not a number is only flagged."""

from typing import Any

import numpy as np
import numpy.typing as npt

from stend.base.jit import compiled

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NEWLINE, RETURN, SPACE, TAB, POINT, ZERO = 10, 13, 32, 9, 46, 48
TOP = (1 << 63) - 1


@compiled
def split(data: Bytes, separator: int, begin: Places, end: Places, count: Places) -> int:  # noqa: C901
    """Write where the fields of each line begin and end, and return the number of lines.

    `count` is the number of fields of a line, also those beyond the width of the arrays. A space as separator matches
    any run of spaces and tabs. A carriage return before the end of a line is dropped. Text after the last newline
    counts as a line if it is not empty.
    """
    lines, at, size, most = 0, 0, len(data), begin.shape[1]
    while at < size:
        stop = at
        while stop < size and data[stop] != NEWLINE:
            stop += 1
        last = stop - 1 if stop > at and data[stop - 1] == RETURN else stop
        fields, here = 0, at
        while here < last:
            if separator == SPACE:
                while here < last and (data[here] == SPACE or data[here] == TAB):
                    here += 1
                if here == last:
                    break
            first = here
            while here < last and data[here] != separator and not (separator == SPACE and data[here] == TAB):
                here += 1
            if fields < most:
                begin[lines, fields], end[lines, fields] = first, here
            fields += 1
            if separator != SPACE and here < last and here + 1 == last:  # an empty field after the last separator
                if fields < most:
                    begin[lines, fields], end[lines, fields] = last, last
                fields += 1
            here += 1
        count[lines] = fields
        lines += 1
        at = stop + 1
    return lines


@compiled
def scaled(data: Bytes, begin: Places, end: Places, places: int, values: Numbers, good: Flags) -> None:
    """Parse decimal numbers times 10^places and cut off further digits. With 0 places no decimal point is allowed.

    `good` is False for a field that holds anything but digits and one point between them, or needs more than 63 bits.
    """
    for line in range(len(begin)):
        value: Any
        value, digits, after, fine = 0, 0, -1, True
        for at in range(begin[line], end[line]):
            byte = data[at]
            if byte == POINT and places and after < 0 and digits:
                after = 0
            elif byte < ZERO or byte > ZERO + 9:
                fine = False
                break
            else:
                digits += 1
                if after >= places and places:
                    continue
                digit = np.int64(byte) - ZERO
                if value > (TOP - digit) // 10:
                    fine = False
                    break
                value = value * 10 + digit
                after += after >= 0
        for _ in range(max(after, 0), places):
            if value > TOP // 10:
                fine = False
                break
            value *= 10
        values[line] = value if fine else 0
        good[line] = fine and digits > 0 and data[end[line] - 1] != POINT


@compiled
def packed(data: Bytes, begin: Places, end: Places, values: npt.NDArray[np.uint64]) -> None:
    """Pack the first eight bytes of each field into a number, the first byte lowest.

    For a longer field the highest byte holds its length instead (128 + length, at most 255).
    """
    for line in range(len(begin)):
        value, length = np.uint64(0), end[line] - begin[line]
        for at in range(min(length, 8)):
            value |= np.uint64(data[begin[line] + at]) << np.uint64(8 * at)
        if length > 8:
            value = (value & np.uint64((1 << 56) - 1)) | (np.uint64(min(128 + length, 255)) << np.uint64(56))
        values[line] = value


@compiled
def hashed(data: Bytes, begin: Places, end: Places, values: Numbers) -> None:
    """Add a field of each line to the hash of that line (FNV-1a, 63 bits)."""
    for line in range(len(begin)):
        mixed = np.uint64(values[line]) ^ np.uint64(14695981039346656037)
        for at in range(begin[line], end[line]):
            mixed = (mixed ^ np.uint64(data[at])) * np.uint64(1099511628211)
        values[line] = np.int64(mixed >> np.uint64(1))


@compiled
def newlines(data: Bytes) -> int:
    """Return the number of newlines."""
    many = 0
    for byte in data:
        many += byte == NEWLINE
    return many
