"""Change how stend's modules load, in every process that has this folder in PYTHONPATH.

CHANGED names one module and CHANGED_SOURCE the file with its changed source. REACHED names a file: every function of
stend then adds its name to it when a test calls it for the first time, with the test. Nothing else is touched.
"""

import ast
import builtins
import marshal
import os
import re
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

KERNELS = re.compile("compiled|inlined|wrapped|jit|kernel")
"""Decorators of functions that numba compiles, which cannot call back."""


class Changed(SourceFileLoader):
    """A loader of the changed source under the name of the module's own file."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the changed source; no compiled file is read or written."""
        source = Path(os.environ["CHANGED_SOURCE"]).read_bytes()
        return compile(source, self.path, "exec", dont_inherit=True)


class Reached(SourceFileLoader):
    """A loader that makes each function of a module report its first call in each test."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source with the reports added, once for all processes."""
        source = Path(self.path).read_bytes()
        name = sha256(b"\0".join((Path(__file__).read_bytes(), self.path.encode(), source))).hexdigest()
        kept = Path(f"{os.environ['REACHED']}.{sys.implementation.cache_tag}", name)
        with suppress(OSError, ValueError, EOFError):
            return marshal.loads(kept.read_bytes())  # type: ignore[no-any-return]
        tree = ast.parse(source)
        _report(tree, f"{fullname}:")
        code = compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)
        with suppress(OSError):  # as above: a test may limit the size of files
            kept.parent.mkdir(exist_ok=True)
            part = kept.with_suffix(f".{os.getpid()}")
            part.write_bytes(marshal.dumps(code))
            part.replace(kept)
        return code


def _report(node: ast.AST, place: str) -> None:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            _report(child, place)
            continue
        inner = f"{place}{child.name}"
        _report(child, f"{inner}.")
        if isinstance(child, ast.ClassDef) or KERNELS.search(" ".join(map(ast.unparse, child.decorator_list))):
            continue
        call = ast.parse(f"__reached__({inner!r})").body[0]
        for each in ast.walk(call):
            ast.copy_location(each, child.body[0])
        child.body.insert(1 if ast.get_docstring(child, clean=False) is not None else 0, call)


class Reports:
    """The file of first calls. Each report is one write, so that a killed process loses none."""

    def __init__(self, path: str) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.test, self.seen = os.environ.get("PYTEST_CURRENT_TEST", ""), set[str]()

    def begin(self, test: str) -> None:
        """Start a test, named as PYTEST_CURRENT_TEST does."""
        self.test, self.seen = test, set()

    def __call__(self, function: str) -> None:
        """Report a function that this process had not called in this test."""
        if function not in self.seen:
            self.seen.add(function)
            with suppress(OSError):  # the test closed all descriptors, or limits the size of files
                os.write(self.file, f"{function}\t{self.test}\n".encode())


class Finder:
    """A finder of the changed module, or of all modules of stend."""

    @staticmethod
    def find_spec(name: str, path: list[str] | None, target: object = None) -> ModuleSpec | None:
        """Find the module as always, and load it by `Changed` or `Reached`."""
        loader = Changed if name == os.environ.get("CHANGED") else Reached
        if loader is Reached and ("REACHED" not in os.environ or name.partition(".")[0] != "stend"):
            return None
        if (spec := PathFinder.find_spec(name, path)) is None or not str(spec.origin).endswith(".py"):
            return None
        spec.loader = loader(name, str(spec.origin))
        return spec


if "REACHED" in os.environ:
    builtins.__reached__ = Reports(os.environ["REACHED"])  # type: ignore[attr-defined]
if "CHANGED" in os.environ or "REACHED" in os.environ:
    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
