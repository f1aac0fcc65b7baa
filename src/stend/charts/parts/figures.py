"""Names of the figures of many runs in charts and tables."""

from stend.many.compare.differences import Figure
from stend.many.sides import Key
from stend.words import Language


def named(key: Key, quantity: str, words: Language) -> str:
    """Return test, phase, load, direction if it is only one of two, and quantity."""
    way = "" if key.direction == "both" else f", {words(f'direction.{key.direction}')}"
    quantity_name = words(f"quantity.{quantity}")
    return f"{words.title(key.test, key.test)}, {words.phase(key.phase)}: {key.load}{way}, {quantity_name}"


def figure_name(figure: Figure, words: Language) -> str:
    """Return the name of a figure with its state."""
    state = words(f"kept_state.{figure.key.state}")
    return f"{named(figure.key, figure.quantity, words)} ({state})"
