"""Records of the block layer that are rare: what pairing makes of each, from the meaning of the trace points."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pytest

from stend.capture import _pairing as pairing
from stend.capture._pairing import InFlight, in_flight, over, pair
from stend.capture._records import AGAIN, DONE, FLUSH, ISSUE, NO_DATA, READ, WRITE, ZEROES, Records, records

OWN_PID, PID, ROOM = 77, 5, 4
COUNTERS = ("OPEN", "BEFORE", "OWN", "OTHER", "STRAY", "ZEROED", "FORGOTTEN", "ASKED")


class Case(NamedTuple):
    """Records (time, kind, operation, sector, sectors) and more of them by name; the IOs and counters they make.

    An IO is (time, offset, length, response time or -1, depth).
    """

    records: list[tuple[int, int, int, int, int]]
    ios: list[tuple[int, int, int, int, int]]
    counters: Mapping[str, int] = MappingProxyType({})
    flags: int = 0
    pid: int = PID
    before: int = 0


CASES = {
    "an IO": Case([(10, ISSUE, READ, 8, 8), (25, DONE, READ, 8, 8)], [(10, 4096, 4096, 15, 1)]),
    "an issue that was read after a later one is not before it": Case(
        [(100, ISSUE, READ, 8, 8), (90, ISSUE, READ, 80, 8), (150, DONE, READ, 8, 8), (160, DONE, READ, 80, 8)],
        [(100, 4096, 4096, 50, 1), (100, 40960, 4096, 60, 2)],
    ),
    "an end that was read before its issue takes no time": Case(
        [(100, ISSUE, READ, 8, 8), (99, DONE, READ, 8, 8)], [(100, 4096, 4096, 0, 1)]
    ),
    "an IO that ends in parts ends with the last one": Case(
        [(10, ISSUE, WRITE, 8, 8), (20, DONE, WRITE, 8, 3), (30, DONE, WRITE, 11, 5)], [(10, 4096, 4096, 20, 1)]
    ),
    "a part is no end": Case(
        [(10, ISSUE, WRITE, 8, 8), (20, DONE, WRITE, 8, 7)], [(10, 4096, 4096, -1, 1)], {"OPEN": 1}
    ),
    "an end of no sectors changes nothing": Case(
        [(10, ISSUE, WRITE, 8, 8), (20, DONE, WRITE, 8, 0)], [(10, 4096, 4096, -1, 1)], {"OPEN": 1}
    ),
    "an IO that is requeued has waited since its first issue": Case(
        [(10, ISSUE, READ, 8, 8), (20, AGAIN, READ, 8, 8), (30, ISSUE, READ, 8, 8), (45, DONE, READ, 8, 8)],
        [(10, 4096, 4096, 35, 1)],
    ),
    "equal sectors of reads and writes are two IOs": Case(
        [(10, ISSUE, READ, 8, 8), (12, ISSUE, WRITE, 8, 8), (20, DONE, WRITE, 8, 8), (30, DONE, READ, 8, 8)],
        [(10, 4096, 4096, 20, 1), (12, 4096, 4096, 8, 2)],
    ),
    "IOs of this process are left out": Case([(10, ISSUE, READ, 8, 8)], [], {"OWN": 1}, pid=OWN_PID),
    "an end without an issue was in flight before": Case(
        [(10, DONE, READ, 8, 8), (20, ISSUE, READ, 8, 8), (30, DONE, READ, 8, 8)],
        [(20, 4096, 4096, 10, 3)], {"STRAY": 1, "BEFORE": 2}, before=3,
    ),
    "more ends without an issue than were in flight": Case(
        [(10, DONE, READ, 8, 8), (11, DONE, READ, 16, 8)], [], {"STRAY": 2}, before=1
    ),
    "commands without data are counted at their issue": Case(
        [(10, ISSUE, NO_DATA, 0, 0), (20, DONE, NO_DATA, 0, 0)], [], {"OTHER": 1}
    ),
    "a flush has no place": Case([(10, ISSUE, FLUSH, 99, 0), (30, DONE, FLUSH, 7, 0)], [(10, 0, 0, 20, 1)]),
    "a requested flush is counted": Case([(10, DONE, WRITE, 0, 0)], [], {"ASKED": 1}),
    "a write of zeroes is counted": Case(
        [(10, ISSUE, WRITE, 8, 8), (20, DONE, WRITE, 8, 8)], [(10, 4096, 4096, 10, 1)], {"ZEROED": 1}, flags=ZEROES
    ),
}  # fmt: skip


def paired(case: Case) -> tuple[InFlight, int]:
    made: Records = records(len(case.records))
    for n, (t_ns, kind, op, sector, sectors) in enumerate(case.records):
        made.t_ns[n], made.kind[n], made.op[n], made.sector[n], made.sectors[n] = t_ns, kind, op, sector, sectors
        made.flags[n], made.pid[n] = case.flags, case.pid
    f = in_flight(ROOM, 2 * ROOM, case.before)
    return f, int(pair(made, np.arange(len(case.records)), 1 << 62, OWN_PID, f))


def ios(f: InFlight) -> list[tuple[int, ...]]:
    columns = (f.t_ns, f.offset, f.length, f.latency_ns, f.depth)
    return list(zip(*(column[: f.at[pairing.NEXT]].tolist() for column in columns), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_a_rare_record_is_what_the_block_layer_means_by_it(name: str) -> None:
    case = CASES[name]
    f, done = paired(case)
    assert done == len(case.records)
    assert ios(f) == case.ios
    assert {key: int(f.at[getattr(pairing, key)]) for key in COUNTERS} == dict.fromkeys(COUNTERS, 0) | dict(
        case.counters
    )


def test_a_full_ring_takes_no_more_until_its_first_io_is_given_up() -> None:
    issues = [(n, ISSUE, READ, 8 * n, 8) for n in range(ROOM + 1)]
    f, done = paired(Case(issues, []))
    assert done == ROOM
    assert over(f, -1, ROOM + 1) == 0
    assert over(f, -1, ROOM) == 1  # as many are open as may be: the oldest is given up
    assert [int(f.at[getattr(pairing, key)]) for key in ("OPEN", "FORGOTTEN")] == [ROOM - 1, 1]
    assert over(f, 3, ROOM) == 3  # those issued before 3 are given up
    assert f.at[pairing.FORGOTTEN] == 3


def test_records_are_paired_up_to_a_time_and_writes_of_no_bytes_become_flushes() -> None:
    f, _ = paired(Case([(10, ISSUE, WRITE, 0, 0), (20, DONE, WRITE, 0, 0)], []))
    assert over(f, -1, ROOM) == 1
    assert f.op[0] == FLUSH
    made: Records = records(2)
    made.t_ns[:2], made.kind[:2], made.sectors[:2], made.sector[:2] = (5, 6), ISSUE, 8, (8, 16)
    assert [int(pair(made, np.arange(2), until, -1, in_flight(ROOM, 8, 0))) for until in (5, 6, 7)] == [0, 1, 2]
