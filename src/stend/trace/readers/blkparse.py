"""Default text of blkparse(1): `major,minor cpu sequence seconds pid action RWBS sector + sectors [command]`.

An IO starts when it is issued to the driver (D). Drives that take bios (device-mapper, zram) have no such events.
There it starts when it is queued (Q). Its response time ends with the completion (C) of the same place and direction.
Other events and the summary at the end are skipped.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from stend.base.jit import compiled
from stend.trace.form import DISCARD, FLUSH, FUA, METADATA, READ, READAHEAD, SYNC, UNKNOWN, WRITE, Batch
from stend.trace.lines import Lines, word
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
NO_DATA, UNREADABLE = -1, -2


class Reader(Base):
    """Reader of blkparse's output. A volume is a device number. The process is the one that issued the IO."""

    words = "blkparse"
    separator = " "

    def __init__(self, head: bytes) -> None:
        super().__init__(head)
        self._issue = word(b"D") if b"  D  " in head else word(b"Q")
        if self._issue == word(b"Q"):
            self.notes.append(Sentence("trace_queued"))
        self._pairing, self._answers = Pairing(), False

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
        lines.skip(op == NO_DATA, "events without data")
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
        self._answers |= bool((kind == DONE).any())
        key = (events["offset"] // SECTOR * 4 + events["op"]) ^ (events["volume"] << 32)
        issues = {name: values[kind == ISSUE] for name, values in events.items()}
        return self._known(self._pairing.add(kind, events["t_ns"], key, issues))

    def rest(self) -> Batch:
        """Return the IOs still held, also those without a completion."""
        return self._known(self._pairing.rest() or NOTHING)

    def _known(self, ios: Batch) -> Batch:
        """Return the IOs, without depths if no completion was recorded: they would only count issues."""
        return ios if self._answers else {**ios, "depth": np.full(len(ios["t_ns"]), UNKNOWN, np.int32)}


_FLUSHING = 16
"""A bit above the flags: a flush comes before the write."""


def _direction(rwbs: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the operation of each RWBS field, NO_DATA or UNREADABLE, and the flags, which may include _FLUSHING.

    An F before the letter of the direction is a flush before the write, and after it FUA. An F alone or before N is a
    bare flush.
    """
    fields, which = np.unique(rwbs, return_inverse=True)
    meanings = [_meaning(int(value).to_bytes(8, "little").rstrip(b"\0")) for value in fields]
    table = np.array(meanings or [(UNREADABLE, 0)], np.int64)
    return table[which, 0].copy(), table[which, 1].copy()


def _meaning(letters: bytes) -> tuple[int, int]:
    rest = letters.removeprefix(b"F")
    before = len(letters) - len(rest)
    if rest[:1] not in (b"R", b"W", b"D"):
        return (UNREADABLE if rest.strip(b"FSMN") else FLUSH if before else NO_DATA), 0
    if not set(rest[1:]) <= {*MARKS, *b"BE"}:
        return UNREADABLE, 0
    return CORES[rest[0]], sum(MARKS.get(letter, 0) for letter in set(rest[1:])) + _FLUSHING * before


ISSUE, DONE = 0, 1
HELD = 1 << 18
IN_FLIGHT = 1 << 13
"""Most IOs in flight; with more, the older half counts as lost."""


@compiled
def _pair(event: Any, t_ns: Any, key: Any, first: Any, issued: Any, latency: Any, depth: Any, at: Any, f: Any) -> Any:
    """Write issue times, response times and depths into the arrays, which start with IO number `first`.

    New issues go to the places from `at` on. `f` [2, 1 + IN_FLIGHT]: the number of IOs in flight, then their keys and
    IO numbers, the oldest first.
    """
    for i in range(event.shape[0]):
        flying, entry = f[0, 0], 0
        for k in range(1, flying + 1):
            if f[0, k] == key[i]:
                entry = k
                break
        if entry:  # done, or issued again because its completion was lost
            if event[i] == DONE and f[1, entry] >= first:
                latency[f[1, entry] - first] = max(t_ns[i] - issued[f[1, entry] - first], 0)
            for k in range(entry, flying):
                f[0, k], f[1, k] = f[0, k + 1], f[1, k + 1]
            flying -= 1
        if event[i] == ISSUE:
            if flying == IN_FLIGHT:
                half = IN_FLIGHT // 2
                for k in range(1, half + 1):
                    f[0, k], f[1, k] = f[0, k + half], f[1, k + half]
                flying = half
            flying += 1
            f[0, flying], f[1, flying] = key[i], first + at
            issued[at], depth[at] = t_ns[i], flying
            at += 1
        f[0, 0] = flying


class Pairing:
    """Pairs blocks of events into IOs."""

    def __init__(self) -> None:
        self._flying = np.zeros((2, 1 + IN_FLIGHT), np.int64)
        self._first = 0
        self._held: dict[str, npt.NDArray[Any]] = {}

    def add(
        self, event: npt.NDArray[np.int64], t_ns: npt.NDArray[np.int64], key: npt.NDArray[np.int64], ios: Batch
    ) -> Batch:
        """Add events in their order and return the IOs that are complete by now.

        `event` is ISSUE or DONE, `key` is shared by both events of an IO (from its place and direction), and `ios` has
        the columns of the issues alone.
        """
        many = int((event == ISSUE).sum())
        fresh: dict[str, npt.NDArray[Any]] = {
            "latency_ns": np.full(many, UNKNOWN, np.int64),
            "depth": np.zeros(many, np.int32),
        }
        fresh |= ios
        old = len(self._held["t_ns"]) if self._held else 0
        held = {name: np.concatenate([self._held[name], new]) if old else new for name, new in fresh.items()}
        issued = np.ascontiguousarray(held["t_ns"], np.int64).copy()
        _pair(event, t_ns, key, self._first, issued, held["latency_ns"], held["depth"], old, self._flying)
        open_now = self._flying[1, 1 : 1 + self._flying[0, 0]]
        open_now = open_now[open_now >= self._first]
        sure = (int(open_now.min()) if len(open_now) else self._first + len(issued)) - self._first
        return self._give(held, max(sure, len(issued) - HELD, 0))

    def rest(self) -> Batch:
        """Return the IOs still held, at the end; without a completion the response time is UNKNOWN."""
        return self._give(self._held, len(self._held["t_ns"])) if self._held else {}

    def _give(self, held: dict[str, npt.NDArray[Any]], many: int) -> Batch:
        self._held = {name: values[many:] for name, values in held.items()}
        self._first += many
        return {name: values[:many] for name, values in held.items()}
