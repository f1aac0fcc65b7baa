"""Load a changed source for one module of stend, in every process that has this folder in PYTHONPATH.

The environment names the module (CHANGED) and the file with its source (CHANGED_SOURCE). Nothing else is touched.
"""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType


class Changed(SourceFileLoader):
    """A loader of the changed source under the name of the module's own file."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the changed source; no compiled file is read or written."""
        source = Path(os.environ["CHANGED_SOURCE"]).read_bytes()
        return compile(source, self.path, "exec", dont_inherit=True)


class Finder:
    """A finder of the one module."""

    @staticmethod
    def find_spec(name: str, path: list[str] | None, target: object = None) -> ModuleSpec | None:
        """Find the module as always, and load it by `Changed`."""
        if name != os.environ["CHANGED"] or (spec := PathFinder.find_spec(name, path)) is None:
            return None
        spec.loader = Changed(name, str(spec.origin))
        return spec


if "CHANGED" in os.environ:
    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
