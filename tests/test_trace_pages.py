"""Pages of the kernel's trace buffers, written as ring_buffer.h describes them, give back the records put into them."""

import random
import struct

import numpy as np
import pytest

from stend.capture import _records as r

LAYOUT = np.array([[7, 4, 8, 16, 20], [9, 4, 8, 16, 20]])
"""Two trace points; offsets of pid, sector, sectors and `rwbs`."""
PAGE = 4096
LETTERS = {
    "R": (r.READ, 0),
    "RA": (r.READ, r.READAHEAD),
    "WS": (r.WRITE, r.SYNC),
    "WFSM": (r.WRITE, r.FUA | r.SYNC | r.METADATA),
    "FWFS": (r.WRITE, r.PREFLUSH | r.FUA | r.SYNC),
    "D": (r.DISCARD, 0),
    "N": (r.DISCARD, r.ZEROES),
}


def written(dice: random.Random, count: int) -> tuple[bytes, list[tuple[object, ...]]]:
    """A page with this many records of known and unknown trace points, gaps and long times; and what it holds."""
    start = now = dice.randrange(1 << 40)
    data, told = b"", list[tuple[object, ...]]()
    for number in range(count):
        delta = dice.randrange(1 << 27)
        match dice.randrange(4):
            case 0:  # time that does not fit
                more = dice.randrange(1 << 10)
                data += struct.pack("<II", 30 | delta << 5, more)
                now += delta + (more << 27)
            case 1:  # an absolute time
                now = now + dice.randrange(1 << 30)
                data += struct.pack("<II", 31 | (now & (1 << 27) - 1) << 5, now >> 27)
            case 2:  # a gap
                data += struct.pack("<II", 29 | max(delta, 1) << 5, 12) + bytes(8)
                now += max(delta, 1)
        kind, letters = dice.choice([7, 9, 8]), dice.choice([*LETTERS])
        pid, sector, sectors = dice.randrange(1 << 22), dice.randrange(1 << 45), dice.randrange(1, 1 << 16)
        sectors = dice.choice([0, sectors, sectors])
        meant = LETTERS[letters] if sectors or letters != "N" else (r.NO_DATA, 0)  # without sectors it is no IO
        body = struct.pack("<HHIQI8s", kind, 0, pid, sector, sectors, letters.encode())
        delta = dice.randrange(1 << 27)
        now += delta
        short = len(body) // 4 if number % 3 else 0
        data += struct.pack("<I", short | delta << 5) + (b"" if short else struct.pack("<I", len(body) + 4)) + body
        if kind != 8:
            told.append((now, {7: 0, 9: 1}[kind], sector, sectors, *meant, pid))
    return (struct.pack("<QQ", start, len(data) | 1 << 31) + data).ljust(PAGE, b"\0"), told


@pytest.mark.parametrize("seed", range(4))
def test_every_record_comes_out_as_it_was_put_in(seed: int) -> None:
    dice = random.Random(seed)
    pages, told = zip(*(written(dice, 60) for _ in range(3)), strict=True)
    octets = np.frombuffer(bytearray(b"".join(pages)), np.uint8)
    found = r.records(200)
    assert r.decode(octets, octets.view(np.uint32), 3, PAGE, LAYOUT, found)
    many = int(found.many[0])
    columns = (found.t_ns, found.kind, found.sector, found.sectors, found.op, found.flags, found.pid)
    assert list(zip(*(column[:many].tolist() for column in columns), strict=True)) == [x for page in told for x in page]


def test_a_page_without_room_or_with_a_wrong_length_is_refused() -> None:
    page, told = written(random.Random(9), 60)
    octets = np.frombuffer(bytearray(page), np.uint8)
    assert not r.decode(octets, octets.view(np.uint32), 1, PAGE, LAYOUT, r.records(len(told) - 1))
    wrong = np.frombuffer(bytearray(page[:8] + struct.pack("<Q", PAGE) + page[16:]), np.uint8)
    assert not r.decode(wrong, wrong.view(np.uint32), 1, PAGE, LAYOUT, r.records(200))
