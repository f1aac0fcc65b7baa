"""SNIA IOTTA, MSR Cambridge: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.

Times are Windows file times (100 ns since 1601), offset and size bytes: README of the distribution (IOTTA 388;
Narayanan et al., FAST 2008).
"""

from stend.trace.fields import TOP
from stend.trace.form import READ, WRITE, Batch
from stend.trace.lines import Lines
from stend.trace.readers._reader import Reader as Base
from stend.trace.sound import LARGEST

FILETIME_1970 = 116_444_736_000_000_000


class Reader(Base):
    """Reader of the traces of MSR Cambridge. A volume is a host's disk."""

    words = "MSR Cambridge (SNIA IOTTA)"
    epoch = True

    def parse(self, lines: Lines) -> Batch:
        """Return the IOs of these lines."""
        self.skip_titles(lines, b"Timestamp", 7)
        lines.demand(lines.count == 7, "it has not 7 fields")
        stamp = lines.whole(0, "the time is no number", TOP) - FILETIME_1970
        lines.demand(stamp >= 0, "the time is before 1970")
        lines.demand(stamp <= LARGEST // 100, "the time is too large for steps of 100 ns since 1601")
        lines.whole(2, "the disk is no number")
        op = lines.choice(3, {b"Read": READ, b"Write": WRITE}, "it is neither Read nor Write")
        offset, length = lines.place(4, 5, op)
        took = lines.whole(6, "the response time is no number", LARGEST // 100) * 100
        columns = {"t_ns": lines.near(stamp * 100), "op": op, "offset": offset, "length": length, "latency_ns": took}
        return lines.read(columns | {"volume": lines.volumes(1, 2)})
