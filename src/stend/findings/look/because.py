"""A reason as data: a phrase of the catalogue and its values, so that every language can print it."""

from typing import Any

import msgspec


class Because(msgspec.Struct, frozen=True):
    """A reason why a run cannot support a conclusion: `because.KEY` in the catalogue."""

    key: str
    values: dict[str, Any] = {}
