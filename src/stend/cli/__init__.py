"""The front door: one verb a file, found by its name; one catcher for every error."""

import errno
import gc
import importlib
import os
import pkgutil
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from stend.base import extras
from stend.base.errors import EXIT_CODES, STOPPED_EXIT_CODE, UNREAD_EXIT_CODE, LeftOut, StendError, Undrawn
from stend.base.regular import NotRegular
from stend.base.text import plain
from stend.base.version import __version__
from stend.cli._asked import TYPED
from stend.cli._edge import edged

CODES = "\n".join(f"  {code:<4} {meaning}" for code, meaning in EXIT_CODES.items())
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
HOST_REFUSES = (*FULL, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""What this host may answer to any write or read, through no fault of ours."""

GARBAGE_AFTER = 50_000
"""New objects until circles are looked for: records come by the hundred thousand and hold none."""

ALONE = ("OPENBLAS_NUM_THREADS", "1")
"""Our matrices are small: numpy's other threads would only spin, from its import on and beside what is measured."""

COUNTS_ITS_OWN = "duckdb"
"""Counts, as Python ends, what nobody has taken from it, and lists it for the user."""

SHOWN = 80
NO_PATH = (errno.ENAMETOOLONG, errno.ELOOP)
"""What it answers to a path that can lead nowhere."""

EPILOG = f"Exit codes:\n\n\b\n{CODES}"


class Stopped(StendError):
    """Ctrl-C in a verb, in words: typer would end it without any."""

    exit_code = STOPPED_EXIT_CODE


class Unread(StendError):
    """The reader of standard output closed it: typer would end the verb with the code of a defect."""

    exit_code = UNREAD_EXIT_CODE


class Verb(TyperCommand):
    """A command whose `-h` is two lines and an example, and whose `--help` is everything."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Answer `-h` before anything else is looked at."""
        if "-h" in args:
            lines = (self.help or "").strip().split("\n\n")
            example = next((line for line in lines if line.strip().startswith("Example")), "")
            typer.echo(
                f"{self.get_usage(ctx)}\n\n{lines[0].strip()}\n\n{example.strip()}\n\nMore: {ctx.command_path} --help"
            )
            ctx.exit(0)
        ctx.meta[TYPED] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run it; an interruption and a closed pipe leave as errors of ours."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
            return answer
        except KeyboardInterrupt as error:
            raise Stopped(str(error) or "stopped") from None
        except BrokenPipeError as error:
            raise Unread("nobody reads what is printed") from error


class Doors(TyperGroup):
    """The verbs, in the order a new user meets them."""

    ORDER = (
        "doctor",
        "host",
        "devices",
        "tests",
        "plan",
        "run",
        "repeat",
        "resume",
        "watch",
        "show",
        "report",
        "compare",
        "batch",
        "sweep",
        "import",
        "trace",
        "verify",
        "list",
        "query",
    )

    def list_commands(self, ctx: Any) -> list[str]:
        """Known verbs first in their order, any other after them."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda n: (self.ORDER.index(n) if n in self.ORDER else 99, n))


@cache
def _verbs() -> dict[str, str]:
    """What can be asked for, and the file of each."""
    modules = (one.name for one in pkgutil.iter_modules(__path__) if not one.name.startswith("_"))
    return {name.rstrip("_"): name for name in modules}


@cache
def application(asked: str = "") -> Any:
    """The command line, made of the files of this folder; of one alone where that verb is asked for."""
    app = typer.Typer(
        cls=Doors,
        help="Measures storage drives honestly: purge, precondition, steady state, saturation, recovery, report.\n\n"
        "Example: stend run iops --target sim:small --quick",
        epilog=EPILOG,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )

    @app.callback(invoke_without_command=True)
    def top(version: bool = typer.Option(False, "--version", help="Print the version and leave.")) -> None:
        if version:
            typer.echo(f"stend {__version__}")
            raise typer.Exit

    for name in [asked] if asked else _verbs():
        verb = importlib.import_module(f"{__name__}.{_verbs()[name]}")
        app.command(name, cls=getattr(verb, "Verb", Verb), epilog=EPILOG)(verb.command)
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, act, and turn every error into one sentence and its exit code."""
    with edged(), warnings.catch_warnings():
        for kind in (Undrawn, LeftOut):
            warnings.simplefilter("always", kind)
        warnings.showwarning = _warned
        return _main(arguments)


def _warned(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """What is not as it should be, though nothing ends for it."""
    _say(str(message), 0)


def _main(arguments: Sequence[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] in ([], ["-h"]):
        words = ["--help"]
    try:
        with extras.needing(f"`stend {words[0]}`"):
            known = application(words[0] if words[0] in _verbs() else "")
            answer = known(args=words, prog_name="stend", standalone_mode=False)
    except Unread as error:
        _print_nowhere()
        return error.exit_code
    except StendError as error:
        return _say(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort) as error:  # Abort: Ctrl-C or the end of input at a question
        return _say(str(error) or "stopped", STOPPED_EXIT_CODE)
    except OSError as error:
        return _refused_by_host(error)
    except Exception as error:
        return _unexpected(error)
    return answer if isinstance(answer, int) else 0


def script() -> None:
    """The installed command. What is left after a good end goes with the process: no garbage is looked for in it."""
    os.environ.setdefault(*ALONE)
    gc.set_threshold(GARBAGE_AFTER)
    code = main()
    if not code and COUNTS_ITS_OWN not in sys.modules:
        gc.freeze()
    sys.exit(code)


def _print_nowhere() -> None:
    """Let what is still to be flushed go to /dev/null, where it ends without an error."""
    with suppress(OSError, ValueError):  # a test's stream has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refused_by_host(error: OSError) -> int:
    if error.errno in NO_PATH:
        return _say(f"{str(error.filename)[:SHOWN]}... is no path: {error.strerror}", 2)
    if isinstance(error, NotRegular):
        return _say(f"{error.filename} cannot be used: {error.strerror}", 2)
    if error.filename and error.errno in (errno.EEXIST, errno.ENOTDIR):
        return _say(f"{_file_in(Path(os.fsdecode(error.filename)))} is a file, and a folder is needed; name another", 2)
    if error.filename and error.errno == errno.EISDIR:
        return _say(f"{error.filename} is a folder, and a file is needed; name another", 2)
    said = ": ".join(str(part) for part in (error.filename, error.strerror) if part)
    return _say(said, 5) if error.errno in HOST_REFUSES else _unexpected(error)


def _file_in(path: Path) -> Path:
    """Return the part of a path that is in the way of a folder."""
    return next((part for part in (*reversed(path.parents), path) if part.exists() and not part.is_dir()), path)


def _say(sentence: str, code: int) -> int:
    print(f"stend: {plain(sentence)}", file=sys.stderr)
    return code


def _unexpected(error: Exception) -> int:
    if isinstance(error, MemoryError):
        return _say("this host has not enough free memory for that; end something else first", 5)
    if hasattr(error, "format_message"):  # the parser's own complaint
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "stend"
        said = " ".join(error.format_message().split())  # it may be a list of choices, one a line
        return _say(f"{said.rstrip('.')}; see `{path} --help`", 2)
    said = f"a defect in stend ({type(error).__name__}: {error}); please report it with"
    try:
        with tempfile.NamedTemporaryFile("w", prefix="stend-defect-", suffix=".txt", delete=False) as file:
            traceback.print_exception(error, file=file)
    except OSError:  # no place for files here
        traceback.print_exception(error)
        return _say(f"{said} what is above", 1)
    return _say(f"{said} {file.name}", 1)
