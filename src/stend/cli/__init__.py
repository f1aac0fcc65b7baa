"""The command line: one verb per file, looked up by its name, and one place that handles every error."""

import errno
import gc
import importlib
import os
import pkgutil
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import typer

from stend.base import extras
from stend.base.errors import STOPPED_EXIT_CODE, LeftOut, StendError, Undrawn
from stend.base.home import search_administration
from stend.base.regular import NotRegular
from stend.base.text import plain
from stend.base.version import __version__
from stend.cli import _grammar, _mistakes, _verbs
from stend.cli._edge import edged, open_closed_streams, print_nowhere

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
HOST_REFUSES = (*FULL, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""Errors that the host may return for any read or write, without a defect in stend."""

GARBAGE_AFTER = 50_000
"""Allocations between garbage collections: records come by the hundred thousand and hold no reference cycles."""

ALONE = ("OPENBLAS_NUM_THREADS", "1")
"""Keep numpy to one thread: stend's matrices are small, and idle threads would spin beside the measurement."""

REPORTS_LEFTOVERS = "duckdb"
"""Module that counts its live objects when Python exits and prints them."""

STARTED_S = time.time()
"""When this process loaded the command line, in seconds since 1970."""

SHOWN = 80
NO_PATH = (errno.ENAMETOOLONG, errno.ELOOP)
"""Errors of the host for a path that cannot exist."""


@cache
def _modules() -> dict[str, str]:
    """Return the module of each verb, by the verb's name."""
    modules = (info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    return {name.rstrip("_"): name for name in modules}


@cache
def application(verb: str = "") -> Any:
    """Build the command line from the modules of this package, or from the module of one verb alone."""
    app = typer.Typer(
        cls=_verbs.Verbs,
        help="Measure storage drives: purge, precondition, steady state, saturation, recovery, report.\n\n"
        "Example: stend run iops --target sim:small --quick",
        epilog=_verbs.CODES,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )

    @app.callback(invoke_without_command=True)
    def top(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
        if version:
            typer.echo(f"stend {__version__}")
            raise typer.Exit

    for name in [verb] if verb else _modules():
        module = importlib.import_module(f"{__name__}.{_modules()[name]}")
        _verbs.add(app, name, module)
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code. Print every error as one sentence."""
    with edged(), warnings.catch_warnings():
        for kind in (Undrawn, LeftOut):
            warnings.simplefilter("always", kind)
        warnings.showwarning = partial(_warned, set())
        return _main(arguments)


def _warned(printed: set[str], message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Print a warning once, as `warnings.showwarning` does."""
    if str(message) not in printed:
        printed.add(str(message))
        _print_error(str(message), 0)


def _main(arguments: Sequence[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else list(arguments)
    guided = not words and sys.stdin.isatty() and sys.stdout.isatty()
    if words[:1] in ([], ["-h"], ["help"]):
        words = [*words[1:], "--help"]
    if words[0] in _grammar.OLD_VERBS:
        _verbs.say_renamed(f"`stend {words[0]}`", f"`stend {_grammar.OLD_VERBS[words[0]]}`")
        words[0] = _grammar.OLD_VERBS[words[0]]
    try:
        answer = _called(_guided() if guided else words)
    except _verbs.Unread as error:
        print_nowhere(sys.stdout)
        return error.exit_code
    except StendError as error:
        return _print_error(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort) as error:  # Abort: Ctrl-C or the end of input at a question
        return _print_error(str(error) or "stopped", STOPPED_EXIT_CODE)
    except OSError as error:
        return _refused_by_host(error)
    except Exception as error:
        return _unexpected(error)
    return answer if isinstance(answer, int) else 0


def _guided() -> list[str]:
    """Return the arguments that the guide finds, or none."""
    from stend.cli import _guide

    return _guide.ask()


def _called(words: list[str]) -> Any:
    """Run a command line, unless it is empty, and return what its verb returns."""
    if not words:
        return 0
    with extras.needing(f"`stend {words[0]}`"):
        known = application(words[0] if words[0] in _modules() else "")
        return known(args=words, prog_name="stend", standalone_mode=False)


def script() -> None:
    """Run the installed command and exit. Skip the last garbage collection when it succeeded."""
    open_closed_streams()
    os.environ.setdefault(*ALONE)
    search_administration()
    gc.set_threshold(GARBAGE_AFTER)
    code = main()
    if not code and REPORTS_LEFTOVERS not in sys.modules:
        gc.freeze()
    sys.exit(code)


def _refused_by_host(error: OSError) -> int:
    if error.errno in NO_PATH:
        return _print_error(f"{str(error.filename)[:SHOWN]}... is not a valid path: {error.strerror}", 2)
    if isinstance(error, NotRegular):
        return _print_error(f"{error.filename} cannot be used: {error.strerror}", 2)
    if error.filename and error.errno in (errno.EEXIST, errno.ENOTDIR):
        return _print_error(
            f"{_file_in(Path(os.fsdecode(error.filename)))} is a file, but a folder is needed; name another", 2
        )
    if error.filename and error.errno == errno.EISDIR:
        return _print_error(f"{error.filename} is a folder, but a file is needed; name another", 2)
    sentence = ": ".join(str(part) for part in (error.filename, error.strerror) if part)
    return _print_error(sentence, 5) if error.errno in HOST_REFUSES else _unexpected(error)


def _file_in(path: Path) -> Path:
    """Return the first part of a path that exists and is not a folder."""
    return next((part for part in (*reversed(path.parents), path) if part.exists() and not part.is_dir()), path)


def _print_error(sentence: str, code: int) -> int:
    print(f"stend: {plain(sentence)}", file=sys.stderr)
    return code


def _replaced() -> bool:
    """Return whether a file of the program is newer than this process, which then has parts of two versions."""
    files = (file for file in Path(__file__).parent.parent.rglob("*") if file.suffix in (".py", ".toml"))
    return any(file.stat().st_ctime > STARTED_S for file in files)


def _unexpected(error: Exception) -> int:
    if isinstance(error, MemoryError):
        return _print_error("not enough free memory on this host; end other programs and try again", 5)
    if hasattr(error, "format_message"):  # an error of the option parser
        return _print_error(_mistakes.sentence(error), 2)
    if _replaced():
        sentence = f"stend was replaced on this host while this command ran ({type(error).__name__}: {error})"
        return _print_error(f"{sentence}; records are kept: go on with `stend resume` or `stend report`", 5)
    sentence = f"a defect in stend ({type(error).__name__}: {error}); please report it with"
    try:
        with tempfile.NamedTemporaryFile("w", prefix="stend-defect-", suffix=".txt", delete=False) as file:
            traceback.print_exception(error, file=file)
    except OSError:  # no temporary folder can be written
        traceback.print_exception(error)
        return _print_error(f"{sentence} the text above", 1)
    return _print_error(f"{sentence} {file.name}", 1)
