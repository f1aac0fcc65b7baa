"""Every kind of drive that the benchmark draws."""

import random
from collections.abc import Callable

from tests.drives.answers import Served, Tailed
from tests.drives.filled import FILLED
from tests.drives.law import Drive, Player
from tests.drives.saturated import SATURATED
from tests.drives.served import SERVED, TAILED

KINDS: dict[str, Callable[[random.Random], Drive]] = {**FILLED, **SATURATED, **TAILED, **SERVED}
PLAYERS: dict[str, type[Player]] = {**dict.fromkeys(SERVED, Served), **dict.fromkeys(TAILED, Tailed)}
