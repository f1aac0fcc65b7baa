"""Names of the figures of many runs in charts and tables."""

from stend.many.compare.differences import Figure
from stend.many.sides import Key
from stend.words import Language


def named(key: Key, quantity: str, words: Language) -> str:
    """Return test, phase unless it is the rounds, load, direction if it is only one of two, and quantity if the test
    has another name.
    """
    load = load_named(key, quantity, words)
    where = place(key.test, key.phase, words, load)
    alike = words.title(key.test, key.test) == words.quantity(quantity)
    return f"{where}: {way_named(key, words) if alike else load}"


def place(test: str, phase: str, words: Language, load: str = "") -> str:
    """Return test and phase, unless that is the rounds, without what the title or the name of a load has too."""
    title = words.title(test, test)
    named = words.phase_beside(phase, f"{title}, {load}", load=bool(load))
    return title if named == words.phase("rounds") else ", ".join(filter(None, (title, named)))


def load_named(key: Key, quantity: str, words: Language) -> str:
    """Return load, direction if it is only one of two, and quantity."""
    return f"{way_named(key, words)}, {words.quantity(quantity)}"


def way_named(key: Key, words: Language) -> str:
    """Return load, and direction if it is only one of two."""
    way = "" if key.direction == "both" else f", {words(f'direction.{key.direction}').lower()}"
    load = key._replace(block="MIX").load if ":" in key.block else key.load
    return f"{words.show(load, 'load')}{way}"


def figure_name(figure: Figure, words: Language) -> str:
    """Return the name of a figure with its state, unless it is the window of rounds."""
    name, state = named(figure.key, figure.quantity, words), figure.key.state
    return name if state == "window" else f"{name} ({words(f'kept_state.{state}')})"
