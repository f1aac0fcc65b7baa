"""Default text of blkparse(1): `major,minor cpu sequence seconds pid action RWBS sector + sectors [command]`.

An IO starts when it is issued to the driver (D). Drives that take bios (device-mapper, zram) have no such events;
there it starts when it is queued (Q). Its response time ends with the completion (C) of the same place and direction.
Other events and the summary at the end are skipped.
"""

import numpy as np
import numpy.typing as npt

from stend.trace.form import DISCARD, FLUSH, FUA, METADATA, READ, READAHEAD, SYNC, WRITE, Batch
from stend.trace.lines import Lines, word
from stend.trace.pairing import DONE, ISSUE, Pairing
from stend.trace.readers._reader import NOTHING
from stend.trace.readers._reader import Reader as Base
from stend.trace.sound import LONGEST
from stend.words import Sentence

SECTOR = 512
OTHERS = [word(action) for action in (*(bytes([letter]) for letter in b"QGIDMFPUTXABSRm"), b"UT")]
SUMMARY = [word(b"Reads"), word(b"Read"), word(b"Write"), word(b"Writes"), word(b"IO"), word(b"Total"), word(b"Events")]
SUMMARY += [word(b"Skips:"), word(b"Throughput"), word(b"Input")]
CORES = {ord("R"): READ, ord("W"): WRITE, ord("D"): DISCARD}
MARKS = {ord("F"): FUA, ord("S"): SYNC, ord("M"): METADATA, ord("A"): READAHEAD}
MOST_SECTORS = 1 << 50


class Reader(Base):
    """A volume is a device number; the process is the one that issued the IO."""

    words = "blkparse"
    separator = " "

    def __init__(self, head: bytes) -> None:
        super().__init__(head)
        self._issue = word(b"D") if b"  D  " in head else word(b"Q")
        if self._issue == word(b"Q"):
            self.notes.append(Sentence("trace_queued"))
        self._pairing = Pairing()

    def parse(self, lines: Lines) -> Batch:
        """Return the IOs of these lines that are complete."""
        # 1. Skip the summary, and parse time and process.
        first, action = lines.words(0), lines.words(5)
        lines.skip(np.isin(first, SUMMARY) | (first & np.uint64(0xFFFFFF) == word(b"CPU")), "lines of the summary")
        lines.demand(lines.count >= 7, "it has not 7 fields")
        t_ns = lines.near(lines.decimal(3, 9, "the time is no number"))
        pid = lines.whole(4, "the process is no number", (1 << 31) - 1)
        issues, ends = action == self._issue, action == word(b"C")
        lines.skip(np.isin(action, OTHERS) & ~issues, "other events")
        lines.demand(issues | ends, "there is no such action")
        # 2. Parse the operation and its flags.
        op, flags = _direction(lines.words(6))
        lines.skip(issues & (op < 0), "events without data")
        lines.demand(op >= 0, "it is neither read, write, flush nor discard")
        # 3. Parse place and length in sectors; a bare flush and a completion may lack them.
        bare = (op == FLUSH) | (ends & (lines.count < 10))
        offset = lines.decimal(7, 0, "the sector is no number", MOST_SECTORS, ~bare) * SECTOR
        lines.demand(bare | (lines.words(8) == word(b"+")), "no + tells sector and length apart")
        length = lines.decimal(9, 0, "the length is no number", MOST_SECTORS, ~bare) * SECTOR
        lines.demand((length <= LONGEST) | ~np.isin(op, (READ, WRITE)), "it is longer than any IO")
        op[(length == 0) & (flags >= _FLUSHING) & (op == WRITE)] = FLUSH
        lines.demand(bare | (length > 0) | (op == FLUSH), "it is of no bytes")
        offset[op == FLUSH], length[op == FLUSH] = 0, 0
        columns = {"t_ns": t_ns, "op": op, "flags": flags % _FLUSHING, "offset": offset, "length": length}
        return self._paired(lines, columns | {"process": pid, "volume": lines.volumes(0)}, ends)

    def _paired(self, lines: Lines, columns: dict[str, npt.NDArray[np.int64]], ends: npt.NDArray[np.bool_]) -> Batch:
        events = lines.read(columns | {"ends": ends})
        kind = np.where(events.pop("ends"), DONE, ISSUE)
        lines.skip(ends, "completions")
        key = (events["offset"] // SECTOR * 4 + events["op"]) ^ (events["volume"] << 32)
        issues = {name: values[kind == ISSUE] for name, values in events.items()}
        return self._pairing.add(kind, events["t_ns"], key, issues)

    def rest(self) -> Batch:
        """Return the IOs still held, also those without a completion."""
        return self._pairing.rest() or NOTHING


_FLUSHING = 16
"""A bit above the flags: a flush comes before the write."""


def _direction(rwbs: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the operation of each RWBS field, or -1 if it has none, and the flags, which may include _FLUSHING.

    An F before the letter of the direction is a flush before the write, and after it FUA. An F alone or before N is a
    bare flush.
    """
    fields, which = np.unique(rwbs, return_inverse=True)
    meanings = [_meaning(int(value).to_bytes(8, "little").rstrip(b"\0")) for value in fields]
    table = np.array(meanings or [(-1, 0)], np.int64)
    return table[which, 0].copy(), table[which, 1].copy()


def _meaning(letters: bytes) -> tuple[int, int]:
    rest = letters.removeprefix(b"F")
    before = len(letters) - len(rest)
    if rest[:1] not in (b"R", b"W", b"D"):
        return (FLUSH, 0) if before and rest.strip(b"FSMN") == b"" else (-1, 0)
    if not set(rest[1:]) <= {*MARKS, *b"BE"}:
        return -1, 0
    return CORES[rest[0]], sum(MARKS.get(letter, 0) for letter in set(rest[1:])) + _FLUSHING * before
