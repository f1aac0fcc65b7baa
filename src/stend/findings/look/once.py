"""Cache for folds over a run: computed once per state of the run, and again when events were added to it."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from stend.model.record import Run

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def once(fold: Callable[Concatenate[Run, Arguments], Answer]) -> Callable[Concatenate[Run, Arguments], Answer]:
    """Return a fold with a cache that lives as long as the run.

    Further arguments must be hashable, and no caller may change a result.
    """
    known: WeakKeyDictionary[Run, tuple[tuple[int, ...], dict[object, Answer]]] = WeakKeyDictionary()

    @wraps(fold)
    def cached(run: Run, /, *args: Arguments.args, **named: Arguments.kwargs) -> Answer:
        state = (len(run.started), len(run.results), len(run.judged), len(run.telemetry), len(run.notes))
        kept = known.get(run)
        if kept is None or kept[0] != state:
            kept = known[run] = (state, {})
        key = (args, tuple(named.items()))
        if key not in kept[1]:
            kept[1][key] = fold(run, *args, **named)
        return kept[1][key]

    return cached
