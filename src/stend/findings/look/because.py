"""A reason as data: a phrase of the catalogue and its values, so that it reads in every language."""

from typing import Any

import msgspec


class Because(msgspec.Struct, frozen=True):
    """Why a run cannot carry a conclusion: `because.KEY` in the catalogue."""

    key: str
    values: dict[str, Any] = {}
