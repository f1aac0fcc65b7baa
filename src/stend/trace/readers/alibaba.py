"""Alibaba's block traces of 2020: `device_id,opcode,offset,length,timestamp`, without a header.

Offset and length are bytes, the time microseconds since 1970, the opcode R or W: README of alibaba/block-traces.
"""

from stend.trace.fields import TOP
from stend.trace.form import READ, WRITE, Batch
from stend.trace.lines import Lines
from stend.trace.readers._reader import Reader as Base
from stend.trace.sound import LARGEST


class Reader(Base):
    """Reader of Alibaba's traces. A volume is a virtual disk."""

    words = "Alibaba block traces (2020)"
    epoch = True

    def parse(self, lines: Lines) -> Batch:
        """Return the IOs of these lines."""
        self.skip_titles(lines, b"device_id", 5)
        lines.demand(lines.count == 5, "it has not 5 fields")
        lines.whole(0, "the device is no number")
        op = lines.choice(1, {b"R": READ, b"W": WRITE}, "it is neither R nor W")
        offset, length = lines.place(2, 3, op)
        t_us = lines.whole(4, "the time is no number", TOP)
        lines.demand(t_us <= LARGEST // 1000, "the time is too large for microseconds since 1970")
        t_ns = lines.near(t_us * 1000)
        columns = {"t_ns": t_ns, "op": op, "offset": offset, "length": length}
        return lines.read(columns | {"volume": lines.volumes(0)})
