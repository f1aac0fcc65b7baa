"""The classes of verbs and of groups of verbs: short and long help, former names, and suggestions for mistakes."""

import re
import sys
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from stend.base.errors import STOPPED_EXIT_CODE, UNREAD_EXIT_CODE, BadInput, StendError
from stend.cli import _grammar, _mistakes
from stend.cli._edge import go_on
from stend.cli._options import TYPED

CODES = (
    "Exit codes: 0 done, 2 bad input, 3 refused by the gate, 4 something is missing, 5 a step failed, "
    "6 a rule or a drive failed. `man stend` lists all."
)
RANGE = re.compile(r"[\d.e+]+<=x<=[\d.e+]+|x>=[\d.]+")
"""A range of numbers as typer shows it."""
COLUMN = max(len(name) for names in _grammar.GROUPS.values() for name in names)


class Stopped(StendError):
    """Ctrl-C in a verb, with a message: typer would exit without one."""

    exit_code = STOPPED_EXIT_CODE


class Unread(StendError):
    """The reader of standard output closed it: typer would exit with the code of a defect."""

    exit_code = UNREAD_EXIT_CODE


class Verb(TyperCommand):
    """A command whose `-h` prints a summary and an example, and whose `--help` prints everything."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print the short help for `-h` before any other argument is checked. Replace former names of options."""
        if "-h" in args:
            lines = (self.help or "").strip().split("\n\n")
            example = next((line for line in lines if line.strip().startswith("Example")), "")
            typer.echo(
                f"{self.get_usage(ctx)}\n\n{lines[0].strip()}\n\n{example.strip()}\n\nMore: {ctx.command_path} --help"
            )
            ctx.exit(0)
        args = _renamed(ctx.command_path.partition(" ")[2], args)
        ctx.meta[TYPED] = list(args)
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line, without typer's braces around words that must be given."""
        return [word[1:-1] if word.startswith("{") else word for word in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the arguments and options, with ranges in words."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            rows = [_row(parameter, ctx) for parameter in self.get_params(ctx) if parameter.param_type_name == kind]
            if shown := [row for row in rows if row]:
                with formatter.section(title):
                    formatter.write_dl(shown)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb. Raise Stopped on Ctrl-C and Unread on a closed pipe. Verbs in LASTING outlive their readers."""
        if ctx.command_path.split()[1] in _grammar.LASTING:
            go_on()
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
            return answer
        except KeyboardInterrupt as error:
            raise Stopped(str(error) or "stopped") from None
        except BrokenPipeError as error:
            raise Unread("the reader of standard output closed it") from error


class Verbs(TyperGroup):
    """All verbs, in the groups and in the order in which a new user needs them."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the verbs in the order of their groups."""
        return [name for names in _grammar.GROUPS.values() for name in names if name in self.commands]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the verbs by group."""
        for title, names in _grammar.GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:<{COLUMN}}", self.commands[name].get_short_help_str(100)) for name in names]
                )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the verb. Raise BadInput with a suggestion for an unknown one."""
        if not ctx.resilient_parsing and args[0] not in self.commands and not args[0].startswith("-"):
            raise BadInput(_mistakes.unknown_verb(args[0], self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


class Actions(TyperGroup):
    """A verb that has actions: `stend trace show`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the actions in the order of their module."""
        return [name for name, command in self.commands.items() if not command.hidden]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raise BadInput if no action is named."""
        if not args and not ctx.resilient_parsing:
            raise BadInput(_mistakes.unknown_action(ctx.command_path, "", self.list_commands(ctx)))
        return super().parse_args(ctx, ["--help"] if args[:1] == ["-h"] else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the action. Raise BadInput with a suggestion for an unknown one."""
        if not ctx.resilient_parsing and args[0] not in self.commands and not args[0].startswith("-"):
            raise BadInput(_mistakes.unknown_action(ctx.command_path, args[0], self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


def add(app: typer.Typer, name: str, module: Any) -> None:
    """Add the verb of a module, or its actions as a group."""
    cls = getattr(module, "Verb", Verb)
    actions: dict[str, Callable[..., Any]] | None = getattr(module, "ACTIONS", None)
    if actions is None:
        app.command(name, cls=cls)(module.command)
        return
    group = typer.Typer(cls=Actions, help=module.HELP, rich_markup_mode=None, add_completion=False)
    for action, command in actions.items():
        group.command(action, cls=cls, hidden=action in getattr(module, "HIDDEN", ()))(command)
    app.add_typer(group, name=name)


def _row(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    """Return the names and the help of a parameter, or None if it is hidden."""
    if "default" in (parameter.help or ""):
        parameter.show_default = False  # the help states it in words
    row = parameter.get_help_record(ctx)
    return row and (row[0], RANGE.sub(_mistakes.range_words(parameter.type), row[1]))


def _renamed(verb: str, args: list[str]) -> list[str]:
    """Replace former names of options before `--`, and print the new name of each."""
    old = _grammar.OLD_OPTIONS.get(verb, {})
    end = args.index("--") if "--" in args else len(args)
    words = []
    for word in args[:end]:
        name, equals, value = word.partition("=")
        if name in old:
            say_renamed(name, old[name])
        words.append(f"{old.get(name, name)}{equals}{value}")
    return [*words, *args[end:]]


def say_renamed(old: str, new: str) -> None:
    """Print that a name has changed."""
    print(f"stend: {old} is now {new}; the old name works until version 0.2", file=sys.stderr)
