"""Folds that are asked for again and again: worked out once for a run as it is, anew when something was added to it."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from stend.model.record import Run

Asked = ParamSpec("Asked")
Told = TypeVar("Told")


def once(fold: Callable[Concatenate[Run, Asked], Told]) -> Callable[Concatenate[Run, Asked], Told]:
    """Kept as long as the run is; what else is asked for must be hashable, and nobody may change what is told."""
    known: WeakKeyDictionary[Run, tuple[tuple[int, ...], dict[object, Told]]] = WeakKeyDictionary()

    @wraps(fold)
    def asked(run: Run, /, *args: Asked.args, **named: Asked.kwargs) -> Told:
        state = (len(run.started), len(run.results), len(run.judged), len(run.telemetry), len(run.notes))
        kept = known.get(run)
        if kept is None or kept[0] != state:
            kept = known[run] = (state, {})
        key = (args, tuple(named.items()))
        if key not in kept[1]:
            kept[1][key] = fold(run, *args, **named)
        return kept[1][key]

    return asked
