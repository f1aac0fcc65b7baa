"""Decode pages of the kernel's trace buffers into records of the enabled trace points (compiled)."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.jit import compiled, inlined

i64 = np.int64
ISSUE, DONE, AGAIN = 0, 1, 2
HEAD_BYTES = 16
"""The header of a page: the time of its first record, and its filled bytes (the low 20 bits of a long)."""
FILLED = (1 << 20) - 1
PADDING, EXTEND = 29, 30
"""Lengths with a special meaning: a gap, and time that does not fit the 27 bits of a record. 31 is an absolute time."""
R, W, D, F, N = 82, 87, 68, 70, 78
A, S, M = 65, 83, 77
READ, WRITE, FLUSH, DISCARD = 0, 1, 2, 3
NO_DATA = 4
"""A command that is not an IO, such as a vendor's command."""
FUA, SYNC, METADATA, READAHEAD = 1, 2, 4, 8
KEPT_FLAGS = 15
ZEROES, PREFLUSH = 16, 32
"""Flags of stend: a write of zeroes, which carries no data; a write that begins with a flush."""


class Records(NamedTuple):
    """Records of trace points, one column per field; `many[0]` is their number.

    `many[1:5]` cache the last letters of `rwbs`, as two words, and the op and flags that they mean.
    """

    t_ns: npt.NDArray[np.int64]
    kind: npt.NDArray[np.uint8]
    sector: npt.NDArray[np.int64]
    sectors: npt.NDArray[np.int64]
    op: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint8]
    pid: npt.NDArray[np.int32]
    many: npt.NDArray[np.int64]


def records(room: int) -> Records:
    """Return arrays with room for this number of records."""
    return Records(
        np.zeros(room, np.int64),
        np.zeros(room, np.uint8),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.uint8),
        np.zeros(room, np.uint8),
        np.zeros(room, np.int32),
        np.zeros(5, np.int64),
    )


@inlined
def _word(words: Any, byte: Any) -> Any:
    return i64(words[byte >> i64(2)])


@inlined
def _decode_rwbs(octets: Any, words: Any, at: Any, r: Any, n: Any) -> Any:
    """Set op and flags of record n from `rwbs`; letters like those of the record before need no decoding."""
    if at & 3 == 0 and r.sectors[n] > 0:
        first, rest = _word(words, at), _word(words, at + 4)
        if r.many[1] != first or r.many[2] != rest:
            _decode_letters(octets, at, r, n)
            r.many[1], r.many[2], r.many[3], r.many[4] = first, rest, r.op[n], r.flags[n]
        r.op[n], r.flags[n] = r.many[3], r.many[4]
    else:
        _decode_letters(octets, at, r, n)


@inlined
def _decode_letters(octets: Any, at: Any, r: Any, n: Any) -> Any:
    """Decode `rwbs` letter by letter. N with sectors is a write of zeroes, N without is not an IO."""
    flags, first = 0, i64(octets[at])
    if first == F and octets[at + 1] in (W, D, R, F, N):
        flags, at = PREFLUSH, at + 1
        first = i64(octets[at])
    op = NO_DATA
    if first == R:
        op = READ
    elif first == W:
        op = WRITE
    elif first == D:
        op = DISCARD
    elif first == F:
        op = FLUSH
    elif first == N and r.sectors[n] > 0:
        op, flags = DISCARD, flags | ZEROES
    for k in range(at + 1, at + 8):
        letter = octets[k]
        if letter == 0:
            break
        flags |= FUA if letter == F else SYNC if letter == S else METADATA if letter == M else 0
        flags |= READAHEAD if letter == A else 0
    r.op[n], r.flags[n] = op, flags


@inlined
def _record(octets: Any, words: Any, body: Any, now: Any, layout: Any, r: Any, n: Any) -> Any:
    """Append one record if it is of an enabled trace point. Return the number of records afterwards."""
    number = _word(words, body) & i64(0xFFFF)
    for kind in range(layout.shape[0]):
        if layout[kind, 0] == number:
            place = body + layout[kind, 2]
            r.t_ns[n], r.kind[n] = now, kind
            r.sector[n] = _word(words, place) | _word(words, place + 4) << i64(32)
            r.sectors[n] = _word(words, body + layout[kind, 3])
            r.pid[n] = _word(words, body + layout[kind, 1])
            _decode_rwbs(octets, words, body + layout[kind, 4], r, n)
            return n + 1
    return n


@compiled
def decode(octets: Any, words: Any, pages: Any, page_bytes: Any, layout: Any, r: Any) -> Any:
    """Append the records of these pages. Return False if a page has an invalid format.

    `octets` and `words` are the same bytes. `layout` has one row per kind of record: its number, then the offsets of
    pid, sector, sectors and `rwbs`.
    """
    n, room = r.many[0], i64(r.t_ns.shape[0])
    for page in range(pages):
        at = page * page_bytes
        now = _word(words, at) | _word(words, at + 4) << i64(32)
        end = at + HEAD_BYTES + (_word(words, at + 8) & i64(FILLED))
        if end > at + page_bytes:
            return False
        at += HEAD_BYTES
        while at + 4 <= end:
            short, delta = _word(words, at) & i64(31), _word(words, at) >> i64(5)
            more = _word(words, at + 4) if at + 8 <= end else i64(0)
            if short >= EXTEND:
                now = now + delta if short == EXTEND else (now >> i64(59) << i64(59)) | delta
                now += more << i64(27)
                at += 8
            elif short == PADDING:
                if delta == 0:
                    break
                now += delta
                at += 4 + more
            else:
                size = short * i64(4) if short else more
                now += delta
                if n >= room or at + 4 + size > end or size <= 0:
                    return False
                n = _record(octets, words, at + (4 if short else 8), now, layout, r, n)
                at += 4 + size
    r.many[0] = n
    return True
