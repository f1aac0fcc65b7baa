"""stend: a test stand that measures storage drives.

`stend.run(tests, target)` makes a run, `stend.open(folder)` loads one, and `stend.open_many(top)` opens all runs of a
folder (docs/reference/python.md). The modules behind them are imported at the first use, which keeps `import stend`
fast.
"""

from typing import TYPE_CHECKING, Any

from stend.base.version import __version__

__all__ = ["Opened", "OpenedTest", "Runs", "Table", "__version__", "open", "open_many", "run"]

if TYPE_CHECKING:
    from stend.api import Opened, OpenedTest, Runs, Table, open, open_many, run  # noqa: A004 `stend.open`, as `gzip.open`
else:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module("stend.api"), name)

    def __dir__() -> list[str]:
        return sorted(__all__)
