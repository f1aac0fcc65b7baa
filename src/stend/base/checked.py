"""A maker's own command as an operator writes it: words, with places by name in braces, and nothing else in braces."""

import re

from stend.base.errors import BadInput

PLACES = ("node", "controller", "serial")
"""What is filled in."""

PLACE = re.compile(rf"\{{({'|'.join(PLACES)})\}}")


def checked(template: str, what: str) -> str:
    """The command as it was written. BadInput, naming `what`, when empty or with braces that are no place."""
    left = re.search(r"[{}]\S*", PLACE.sub("", template))
    if left:
        known = ", ".join(f"{{{place}}}" for place in PLACES)
        raise BadInput(f"{what} has {left[0]!r}, which stands for nothing; what can be filled in is {known}")
    if not template.split():
        raise BadInput(f"{what} is empty; write the maker's command, or leave it out")
    return template


def words(template: str, **places: str) -> tuple[str, ...]:
    """Its words, split at spaces before the places are filled in, so that what is filled in stays one word."""
    return tuple(PLACE.sub(lambda place: places[place[1]], word) for word in template.split())
