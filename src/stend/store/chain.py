"""Number and hash-chain the lines of a record: each carries its number and a hash of itself and all lines before it.

`{"type": ..., "n": 12, "chain": "9f86d081884c"}` is an event with two more fields at its end. A line that is doubled,
missing, moved or edited is thereby distinguished from an end that was torn by a crash. The hash detects accidents and
careless edits. It does not stop an attacker, because anyone can recompute it.
"""

import hashlib
import re
from binascii import hexlify
from collections.abc import Iterable

from stend.words import Sentence

CHAIN_BYTES = 6
TAIL_BYTES = 64
"""Both fields are in the last bytes of a line. A result's line is long."""
_NOTHING = hashlib.blake2b(digest_size=CHAIN_BYTES)
_TAIL = re.compile(rb',?"n":(\d{1,18}),"chain":"([0-9a-f]{12})"}\Z')


class Chain:
    """State of a hash chain: the number of the last line and the hash of all lines so far."""

    def __init__(self, head: bytes) -> None:
        self.number, self.hash = 0, _hash(b"", head)

    def sealed(self, event: bytes) -> bytes:
        """Return an event, which is a JSON object, as the next line, without the line's end."""
        self.number += 1
        self.hash = _hash(self.hash, b"%d" % self.number + event)
        comma = b"" if event == b"{}" else b","
        return b'%s%s"n":%d,"chain":"%s"}' % (event[:-1], comma, self.number, self.hash.hex().encode())

    def opened(self, lines: Iterable[bytes], at: int, wrong: list[Sentence]) -> list[bytes]:
        """Return the events of lines, which end with a line feed. The first is line `at` of the file.

        Add what is wrong with a line to `wrong`. The chain continues from the line's own fields, so that a single wrong
        line is reported once. A day has 86,400 lines, so the loop calls no function of Python for a line that is right.
        """
        events: list[bytes] = []
        for place, line in enumerate(lines, at):
            number = b"%d" % (self.number + 1)
            event, _, tail = line.rpartition(b',"n":')
            event += b"}"
            hashing = _NOTHING.copy()
            hashing.update(self.hash + number + event)
            hashed = hashing.digest()
            if tail == b'%b,"chain":"%b"}\n' % (number, hexlify(hashed)):
                self.number, self.hash = self.number + 1, hashed
            else:
                event, reason = self._judged(line[:-1], place)
                wrong.extend([reason] if reason else [])
            events.append(event)
        return events

    def _judged(self, line: bytes, at: int) -> tuple[bytes, Sentence | None]:
        """Return the event of a line that is not the expected next one, and what is wrong with it."""
        tail = _TAIL.search(line, max(len(line) - TAIL_BYTES, 0))
        if tail is None:
            self.number += 1
            return line, Sentence("line_bare", n=at)
        event, number, claimed = line[: tail.start()] + b"}", int(tail[1]), bytes.fromhex(tail[2].decode())
        due, before = self.number + 1, self.hash
        self.number, self.hash = number, claimed
        if number > due:
            return event, Sentence("line_missing", n=at, m=number, k=number - due)
        if number < due:
            return event, Sentence("line_again", n=at, m=number)
        return event, None if claimed == _hash(before, b"%d" % number + event) else Sentence("line_edited", n=at)


def _hash(before: bytes, more: bytes) -> bytes:
    hashed = _NOTHING.copy()  # faster than a new object
    hashed.update(before + more)
    return hashed.digest()
