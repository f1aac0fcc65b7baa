"""Check and split the purge command of a manufacturer, as an operator writes it with placeholders in braces."""

import re

from stend.base.errors import BadInput

PLACES = ("node", "controller", "serial")
"""Placeholders that are filled in."""

PLACE = re.compile(rf"\{{({'|'.join(PLACES)})\}}")


def checked(template: str, what: str) -> str:
    """Return the command unchanged. Raise BadInput, which names `what`, if it is empty or has other braces."""
    left = re.search(r"[{}]\S*", PLACE.sub("", template))
    if left:
        known = ", ".join(f"{{{place}}}" for place in PLACES)
        raise BadInput(f"{what} has {left[0]!r}, which is not a placeholder; use {known}")
    if not template.split():
        raise BadInput(f"{what} is empty; write the manufacturer's command, or leave it out")
    return template


def words(template: str, **places: str) -> tuple[str, ...]:
    """Split the command at spaces, then fill in the placeholders, so that each filled-in value stays one word."""
    return tuple(PLACE.sub(lambda place: places[place[1]], word) for word in template.split())
