"""Compiled: pages of the kernel's trace buffers become records of the trace points that are followed."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.jit import compiled, inlined

i64 = np.int64
ISSUE, DONE, AGAIN = 0, 1, 2
HEAD_BYTES = 16
"""Of a page: when its first record was written, and how much of it is filled (in the low 20 bits of a long)."""
FILLED = (1 << 20) - 1
PADDING, EXTEND = 29, 30
"""Lengths that stand for something else: a gap, time that does not fit a record's 27 bits; 31 is a time by itself."""
R, W, D, F, N = 82, 87, 68, 70, 78
A, S, M = 65, 83, 77
READ, WRITE, FLUSH, DISCARD = 0, 1, 2, 3
NO_DATA = 4
"""A command that is no IO, such as a drive's own."""
FUA, SYNC, METADATA, READAHEAD = 1, 2, 4, 8
KEPT_FLAGS = 15
ZEROES, PREFLUSH = 16, 32
"""Flags of ours: a write of zeroes, which carries no data; a write that begins with a flush."""


class Records(NamedTuple):
    """What trace points told, a column each, as many as `many[0]`; behind that the letters of `rwbs` met last, as two
    words, and the op and flags that they mean."""

    t_ns: npt.NDArray[np.int64]
    kind: npt.NDArray[np.uint8]
    sector: npt.NDArray[np.int64]
    sectors: npt.NDArray[np.int64]
    op: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint8]
    pid: npt.NDArray[np.int32]
    many: npt.NDArray[np.int64]


def records(room: int) -> Records:
    """Room for so many."""
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
def _asked(octets: Any, words: Any, at: Any, r: Any, n: Any) -> Any:
    """What `rwbs` says: op and flags of record n; mostly that of the one before."""
    if at & 3 == 0 and r.sectors[n] > 0:
        first, rest = _word(words, at), _word(words, at + 4)
        if r.many[1] != first or r.many[2] != rest:
            _spelled(octets, at, r, n)
            r.many[1], r.many[2], r.many[3], r.many[4] = first, rest, r.op[n], r.flags[n]
        r.op[n], r.flags[n] = r.many[3], r.many[4]
    else:
        _spelled(octets, at, r, n)


@inlined
def _spelled(octets: Any, at: Any, r: Any, n: Any) -> Any:
    """Letter by letter; what N is depends on whether there are sectors."""
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
    """Append one record, if it is of a kind that is followed; how many there are then."""
    number = _word(words, body) & i64(0xFFFF)
    for kind in range(layout.shape[0]):
        if layout[kind, 0] == number:
            place = body + layout[kind, 2]
            r.t_ns[n], r.kind[n] = now, kind
            r.sector[n] = _word(words, place) | _word(words, place + 4) << i64(32)
            r.sectors[n] = _word(words, body + layout[kind, 3])
            r.pid[n] = _word(words, body + layout[kind, 1])
            _asked(octets, words, body + layout[kind, 4], r, n)
            return n + 1
    return n


@compiled
def decode(octets: Any, words: Any, pages: Any, page_bytes: Any, layout: Any, r: Any) -> Any:
    """Append the records of these pages; False where a page is none.

    `octets` and `words` are the same bytes; `layout` a row for each kind of record: number, then offsets of pid,
    sector, sectors and `rwbs` in it.
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
