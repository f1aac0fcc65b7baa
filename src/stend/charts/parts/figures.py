"""How charts and tables call the figures of many runs."""

from stend.many.compare.differences import Figure
from stend.many.sides import Key
from stend.words import Language


def named(key: Key, quantity: str, words: Language) -> str:
    """Test, phase, load, direction where it is one of two, quantity."""
    way = "" if key.direction == "both" else f", {words(f'direction.{key.direction}')}"
    told = words(f"quantity.{quantity}")
    return f"{words.title(key.test, key.test)}, {words.phase(key.phase)}: {key.load}{way}, {told}"


def figure_name(figure: Figure, words: Language) -> str:
    """The same with its state."""
    state = words(f"kept_state.{figure.key.state}")
    return f"{named(figure.key, figure.quantity, words)} ({state})"
