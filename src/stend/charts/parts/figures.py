"""Names of the figures of many runs in charts and tables."""

import re

from stend.many.compare.differences import Figure
from stend.many.sides import Key
from stend.words import Language


def named(key: Key, quantity: str, words: Language) -> str:
    """Return test, phase, load, direction if it is only one of two, and quantity."""
    load = load_named(key, quantity, words)
    return f"{words.title(key.test, key.test)}, {phase_named(key, load, words)}: {load}"


def phase_named(key: Key, load: str, words: Language) -> str:
    """Return the phase without parameters that the name of the load has too: `rounds` of `rounds, 4 KiB, T8 Q16`."""
    first, *parameters = words.phase(key.phase).split(", ")
    return ", ".join([first, *(part for part in parameters if not re.search(rf"\b{re.escape(part)}\b", load))])


def load_named(key: Key, quantity: str, words: Language) -> str:
    """Return load, direction if it is only one of two, and quantity."""
    return f"{way_named(key, words)}, {words.quantity(quantity)}"


def way_named(key: Key, words: Language) -> str:
    """Return load, and direction if it is only one of two."""
    way = "" if key.direction == "both" else f", {words(f'direction.{key.direction}').lower()}"
    load = key._replace(block="MIX").load if ":" in key.block else key.load
    return f"{words.show(load, 'load')}{way}"


def figure_name(figure: Figure, words: Language) -> str:
    """Return the name of a figure with its state."""
    state = words(f"kept_state.{figure.key.state}")
    return f"{named(figure.key, figure.quantity, words)} ({state})"
