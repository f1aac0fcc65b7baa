"""stend: a test stand that measures storage drives honestly.

`stend.open(folder)` gives a run to ask, `stend.open_many(top)` all runs of a folder (docs/reference/python.md). What is
behind them is loaded when it is first asked for, so that `import stend` stays cheap.
"""

from typing import TYPE_CHECKING, Any

from stend.base.version import __version__

__all__ = ["Opened", "Runs", "__version__", "open", "open_many"]

if TYPE_CHECKING:
    from stend.api import Opened, Runs, open, open_many  # noqa: A004 `stend.open`, as `gzip.open`
else:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module("stend.api"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
