"""Every kind of drive that the benchmark draws."""

import random
from collections.abc import Callable

from tests.drives.filled import FILLED
from tests.drives.law import Drive, Player
from tests.drives.saturated import SATURATED

KINDS: dict[str, Callable[[random.Random], Drive]] = {**FILLED, **SATURATED}
PLAYERS: dict[str, type[Player]] = {}
