"""Lines that know their place: each carries a running number and a short hash of itself and of all lines before it.

`{"type": ..., "n": 12, "chain": "9f86d081884c"}`: what is written is an event with two more fields at its end. So a
line that is doubled, missing, moved or edited is told from an end that was torn by a crash. The hash guards against
accidents and hasty hands, not against somebody who computes it anew.
"""

import hashlib
import re
from binascii import hexlify

CHAIN_BYTES = 6
TAIL_BYTES = 64
"""Both fields are in the last of a line; a result's line is long."""
AROUND_BYTES = len(b',"n":,"chain":""}') + 2 * CHAIN_BYTES
"""What a line has after its event, but for the number's digits."""
_NOTHING = hashlib.blake2b(digest_size=CHAIN_BYTES)
_TAIL = re.compile(rb',?"n":(\d{1,18}),"chain":"([0-9a-f]{12})"}\Z')


class Chain:
    """How far a chain has come: the number of its last line and the hash of all of them."""

    def __init__(self, head: bytes) -> None:
        self.number, self.hash = 0, _hash(b"", head)

    def sealed(self, event: bytes) -> bytes:
        """An event, which is a JSON object, as the next line; without the line's end."""
        self.number += 1
        self.hash = _hash(self.hash, b"%d" % self.number + event)
        comma = b"" if event == b"{}" else b","
        return b'%s%s"n":%d,"chain":"%s"}' % (event[:-1], comma, self.number, self.hash.hex().encode())

    def opened(self, line: bytes) -> tuple[bytes, str]:
        """The event in a line, and what is wrong with its place in words that follow "line 12 "; empty if nothing.

        The chain goes on from what the line says of itself, so that one wrong line is told once.
        """
        number = b"%d" % (self.number + 1)
        cut = -(len(number) + AROUND_BYTES)
        event = line[:cut] + b"}"
        told = _hash(self.hash, number + event)
        if line[cut:] == b',"n":%b,"chain":"%b"}' % (number, hexlify(told)):  # as nearly all are
            self.number, self.hash = self.number + 1, told
            return event, ""
        return self._judged(line)

    def _judged(self, line: bytes) -> tuple[bytes, str]:
        """A line that is not the next one."""
        tail = _TAIL.search(line, max(len(line) - TAIL_BYTES, 0))
        if tail is None:
            self.number += 1
            return line, "has lost its number"
        event, number, told = line[: tail.start()] + b"}", int(tail[1]), bytes.fromhex(tail[2].decode())
        due, before = self.number + 1, self.hash
        self.number, self.hash = number, told
        if number > due:
            return event, f"is event {number}: {number - due} before it are missing"
        if number < due:
            return event, f"is event {number} again, or out of its place"
        return event, "" if told == _hash(before, b"%d" % number + event) else "was edited"


def _hash(before: bytes, more: bytes) -> bytes:
    hashed = _NOTHING.copy()  # sooner than one made anew
    hashed.update(before + more)
    return hashed.digest()
