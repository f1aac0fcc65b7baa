"""Tencent's CBS traces of 2018: `Timestamp,Offset,Size,IOType,VolumeID`, without a header.

The time is whole seconds since 1970, offset and size are sectors of 512 bytes, the type is 0 for a read and 1 for a
write: README of the distribution (SNIA IOTTA 28064; Zhang et al., ATC 2020).
"""

from stend.trace.fields import TOP
from stend.trace.form import READ, WRITE, Batch
from stend.trace.lines import Lines
from stend.trace.readers._reader import Reader as Base
from stend.trace.sound import LARGEST
from stend.words import Sentence

SECTOR = 512
NS = 10**9


class Reader(Base):
    """Reader of Tencent's traces. A volume is a cloud virtual volume."""

    words = "Tencent CBS (SNIA IOTTA)"
    epoch = True

    def __init__(self, head: bytes) -> None:
        super().__init__(head)
        self.notes.append(Sentence("trace_seconds"))

    def parse(self, lines: Lines) -> Batch:
        """Return the IOs of these lines."""
        self.skip_titles(lines, b"Timestamp", 5)
        lines.demand(lines.count == 5, "it has not 5 fields")
        seconds = lines.whole(0, "the time is no number", TOP)
        lines.demand(seconds <= LARGEST // NS, "the time is too large for seconds since 1970")
        t_ns = lines.near(seconds * NS)
        op = lines.choice(3, {b"0": READ, b"1": WRITE}, "it is neither 0 (read) nor 1 (write)")
        offset, length = lines.place(1, 2, op, SECTOR)
        lines.whole(4, "the volume is no number")
        columns = {"t_ns": t_ns, "op": op, "offset": offset, "length": length}
        return lines.read(columns | {"volume": lines.volumes(4)})
