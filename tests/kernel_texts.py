"""What the kernel and the firmware of a host print, as targets of tests/answers.py: mounts, volumes, events, memory."""

import json
from collections.abc import Callable
from typing import Any

from stend.base.errors import BadInput
from stend.capture import tracefs
from stend.devices.telling import passport, tools
from stend.gate import mounts, volumes
from stend.host import memory
from tests.fuzz.drives import SMART
from tests.fuzz.files import FOLDER
from tests.fuzz.target import Target
from tests.test_capture_reading import FORMAT
from tests.test_host import dmidecode

MOUNTS = rb"""22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw
28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
41 28 0:36 /sub\040vol /home rw shared:20 master:3 - btrfs /dev/sda1 rw,subvolid=257
77 28 0:52 / /merged rw - overlay o rw,lowerdir=/lower\054a:/b,upperdir=/upper,workdir=/work
"""
TABLES = b"""0 409600 linear 259:3 2048
409600 819200 striped 2 128 8:0 2048 8:16 4096
1228800 100 delay 8:0 7 10 8:16 9 20
1228900 100 thin 253:2 1
"""
BOARDS = tuple(dmidecode(board, (2, 1, 0, 1)) for board in ("plain", "letters"))


def _mounts(data: bytes) -> Any:
    path = FOLDER / "mountinfo"
    path.write_bytes(data)
    table = [*mounts._table(str(path), 7)]
    return table, [mounts.layers(one) for one in table]


def _volumes(text: str) -> Any:
    first, _, rest = text.partition("\n")
    places = [volumes.ranges(text, number) for number in ("8:0", "8:16", "259:3")]
    return places, volumes.places_of(text), [volumes.disjoint(first, rest, number) for number in ("8:0", "259:3")]


def _memory(text: str) -> Any:
    places = memory.modules(text)
    held = memory.population(places)
    return places, held, held and memory.expected(held), [*memory.advice(places)]


def _of(read: Callable[[str], Any]) -> Callable[[bytes], Any]:
    def reading(data: bytes) -> Any:
        try:
            return read(data.decode(errors="replace"))
        except (ArithmeticError, LookupError, ValueError) as error:  # no kernel prints that
            raise BadInput("no such text") from error

    return reading


def targets() -> list[Target]:
    """All of them."""
    smart = json.dumps(SMART, indent=0).encode()
    return [
        Target("mountinfo", "text", [MOUNTS], _mounts, str),
        Target("dm tables", "text", [TABLES], _of(_volumes), str),
        Target(
            "event format", "text", [FORMAT.format(name="block_rq_issue", number=7).encode()], _of(tracefs.fields), str
        ),
        Target("dmidecode", "text", [text.encode() for text in BOARDS], _of(_memory), str),
        Target("passport", "text", [smart], _of(lambda text: passport.of_smartctl(tools.Output(0, text, ""))), str),
    ]
