"""SYSTOR '17: `Timestamp,Response,IOType,LUN,Offset,Size`.

Times are seconds with a fraction (since 1970, true to the microsecond), offset and size bytes. A type that is blank
means that no answer of the drive was recorded: README of the distribution (SNIA IOTTA 4928; Lee et al., SYSTOR 2017).
"""

from stend.trace.form import READ, WRITE, Batch
from stend.trace.lines import Lines, word
from stend.trace.readers._reader import Reader as Base


class Reader(Base):
    """Reader of the SYSTOR '17 format. A volume is a LUN."""

    words = "SYSTOR '17 (SNIA IOTTA)"
    epoch = True

    def parse(self, lines: Lines) -> Batch:
        """Return the IOs of these lines."""
        self.skip_titles(lines, b"Timestamp", 6)
        lines.demand(lines.count == 6, "it has not 6 fields")
        t_ns = lines.near(lines.decimal(0, 9, "the time is no number"))
        lines.demand(lines.words(2) != word(b""), "its type is blank: no answer of the drive was seen")
        op = lines.choice(2, {b"R": READ, b"W": WRITE}, "it is neither R nor W")
        lines.whole(3, "the LUN is no number")
        offset, length = lines.place(4, 5, op)
        took = lines.decimal(1, 9, "the response time is no number")
        columns = {"t_ns": t_ns, "op": op, "offset": offset, "length": length, "latency_ns": took}
        return lines.read(columns | {"volume": lines.volumes(3)})
