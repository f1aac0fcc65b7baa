"""stend: a test stand that measures storage drives.

`stend.open(folder)` loads a run, and `stend.open_many(top)` opens all runs of a folder (docs/reference/python.md). The
modules behind them are imported at the first use, which keeps `import stend` fast.
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
