"""The zoo of the media test: drives that lie about their capacity or their data, each in a way of its own."""

import random
from collections import OrderedDict

from tests.liar import Failed, Honest


class Wrapping(Honest):
    """Addresses repeat after `real` bytes."""

    def __init__(self, size: int, real: int) -> None:
        super().__init__(size)
        self.real = real

    def write(self, at: int, data: bytes) -> None:
        while data:
            place = at % self.real
            part = data[: self.real - place]
            self.memory[place : place + len(part)] = part
            at, data = at + len(part), data[len(part) :]

    def read(self, at: int, size: int) -> bytes:
        parts = bytearray()
        while size:
            place = at % self.real
            part = self.memory[place : min(place + size, self.real)]
            parts += part
            at, size = at + len(part), size - len(part)
        return bytes(parts)


class Limbo(Honest):
    """From `real` on, writes are lost, and reads return `filled` or, for None, random data that changes each time."""

    def __init__(self, size: int, real: int, filled: int | None = 0) -> None:
        super().__init__(size)
        self.real, self.filled, self.drawn = real, filled, random.Random(1)

    def write(self, at: int, data: bytes) -> None:
        super().write(at, data[: max(self.real - at, 0)])

    def read(self, at: int, size: int) -> bytes:
        kept = super().read(at, min(size, max(self.real - at, 0)))
        rest = size - len(kept)
        return kept + (self.drawn.randbytes(rest) if self.filled is None else bytes([self.filled]) * rest)


class Corner(Honest):
    """From `real` on, everything goes to the last MiB of what is real."""

    def __init__(self, size: int, real: int) -> None:
        super().__init__(size)
        self.real = real

    def _place(self, at: int) -> int:
        return at if at < self.real else self.real - (1 << 20) + at % (1 << 20)

    def write(self, at: int, data: bytes) -> None:
        for done in range(0, len(data), 512):
            super().write(self._place(at + done), data[done : done + 512])

    def read(self, at: int, size: int) -> bytes:
        return b"".join(super(Corner, self).read(self._place(at + n), min(512, size - n)) for n in range(0, size, 512))


class DeafBit(Honest):
    """One bit of the address has no effect."""

    def __init__(self, size: int, bit: int) -> None:
        super().__init__(size)
        self.mask = ~bit

    def write(self, at: int, data: bytes) -> None:
        for done in range(0, len(data), 4096):
            super().write((at + done) & self.mask, data[done : done + 4096])

    def read(self, at: int, size: int) -> bytes:
        return b"".join(
            super(DeafBit, self).read((at + n) & self.mask, min(4096, size - n)) for n in range(0, size, 4096)
        )


class CacheOnly(Honest):
    """Only the pages written last are kept."""

    def __init__(self, size: int, keeps: int) -> None:
        super().__init__(0)
        self.size, self.keeps, self.pages = size, keeps // 4096, OrderedDict[int, bytes]()

    def write(self, at: int, data: bytes) -> None:
        for done in range(0, len(data), 4096):
            self.pages[(at + done) // 4096] = data[done : done + 4096]
            self.pages.move_to_end((at + done) // 4096)
        while len(self.pages) > self.keeps:
            self.pages.popitem(last=False)

    def read(self, at: int, size: int) -> bytes:
        return b"".join(self.pages.get((at + done) // 4096, bytes(4096)) for done in range(0, size, 4096))


class Flipping(Honest):
    """Bits at these places are read inverted."""

    def __init__(self, size: int, places: list[int]) -> None:
        super().__init__(size)
        self.places = places

    def read(self, at: int, size: int) -> bytes:
        data = bytearray(super().read(at, size))
        for place in self.places:
            if at <= place // 8 < at + size:
                data[place // 8 - at] ^= 1 << place % 8
        return bytes(data)


class Stuck(Honest):
    """One bit is always one: half of the data there happens to be right."""

    def __init__(self, size: int, places: list[int]) -> None:
        super().__init__(size)
        self.places = places

    def read(self, at: int, size: int) -> bytes:
        data = bytearray(super().read(at, size))
        for place in self.places:
            if at <= place < at + size:
                data[place - at] |= 1
        return bytes(data)


class Forgetful(Honest):
    """Every so many writes, one is answered and lost."""

    def __init__(self, size: int, every: int) -> None:
        super().__init__(size)
        self.every, self.count = every, 0
        self.memory[:] = random.Random(2).randbytes(size)

    def write(self, at: int, data: bytes) -> None:
        self.count += 1
        if self.count % self.every:
            super().write(at, data)


class Frozen(Honest):
    """It is worn out: writes are answered and change nothing; it still has the data of `before`."""

    def __init__(self, size: int, before: bytes) -> None:
        super().__init__(size)
        self.memory[:] = before

    def write(self, at: int, data: bytes) -> None:
        return


class Failing(Honest):
    """IOs that touch [first, end) fail: reads, writes, or only the first `times` reads of each place."""

    def __init__(self, size: int, first: int, end: int, *, writes: bool = False, times: int = 1 << 60) -> None:
        super().__init__(size)
        self.first, self.end, self.writes, self.times = first, end, writes, times
        self.tried = 0

    def _fail(self, at: int, size: int) -> None:
        if at < self.end and at + size > self.first and self.tried < self.times:
            self.tried += 1
            raise Failed

    def write(self, at: int, data: bytes) -> None:
        if self.writes:
            self._fail(at, len(data))
        super().write(at, data)

    def read(self, at: int, size: int) -> bytes:
        if not self.writes:
            self._fail(at, size)
        return super().read(at, size)


class Misdirecting(Honest):
    """A write of one page goes to another place, once."""

    def __init__(self, size: int, meant: int, real: int) -> None:
        super().__init__(size)
        self.meant, self.real = meant, real

    def write(self, at: int, data: bytes) -> None:
        if at <= self.meant < at + len(data):
            inside = self.meant - at
            page = data[inside : inside + 4096]
            super().write(at, data[:inside])
            super().write(self.meant + 4096, data[inside + 4096 :])
            super().write(self.real, page)
        else:
            super().write(at, data)
