"""The page of verbs with their arguments and options, from the command line parser."""

from collections.abc import Iterator
from typing import Any

from docs.made import marks

from stend.cli import application

HIDDEN = ("help", "install_completion", "show_completion")


def tree() -> dict[str, Any]:
    """Return the parser of each verb and action in the order of `stend --help`; "" is `stend` itself."""
    top: Any = application()
    every = {"": top}
    for name in top.list_commands(None):
        every[name] = top.commands[name]
        every |= {f"{name} {action}": every[name].commands[action] for action in actions(every[name])}
    return every


def actions(command: Any) -> list[str]:
    """Return the names of a verb's actions; most verbs have none."""
    return list(command.list_commands(None)) if hasattr(command, "list_commands") else []


def page() -> str:
    """Return the page of verbs."""
    top, *verbs = tree().items()
    return marks.page(
        "verbs",
        "Verbs and options",
        *_verb(*top),
        *(part for verb in verbs for part in _verb(*verb)),
    )


def _verb(name: str, command: Any) -> Iterator[str]:
    words = f"stend {name}".strip()
    yield f"## {words}\n"
    with command.make_context(words, [], resilient_parsing=True) as context:
        yield marks.listing(context.get_usage().removeprefix("Usage: "), "text")
    for part in (command.help or "").replace("\b", "").strip().split("\n\n"):
        text = " ".join(part.split())
        yield (
            marks.listing(text.removeprefix("Example: "), "text")
            if text.startswith("Example: ")
            else f"{marks.cell(text)}\n"
        )
    shown = [one for one in command.params if one.name not in HIDDEN and not getattr(one, "hidden", False)]
    if shown:
        yield marks.table(("word", "takes", "usually", "meaning"), map(_row, shown))


def _row(parameter: Any) -> tuple[str, ...]:
    if parameter.param_type_name == "argument":
        names, takes = marks.code(parameter.metavar or parameter.name.upper()), ""
    else:
        names = ", ".join(marks.code(word) for word in (*parameter.opts, *parameter.secondary_opts))
        takes = "" if parameter.is_flag else f"{marks.code(parameter.metavar or 'N')}{_range(parameter.type)}"
    plain = (
        parameter.default if not callable(parameter.default) and parameter.default not in (None, False, (), []) else ""
    )
    plain = "" if "default" in (parameter.help or "") else plain  # the help states it in words
    needed = "must be given" if parameter.required else marks.code(plain)
    return names, takes, needed, parameter.help or ""


def _range(kind: Any) -> str:
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is None and most is None:
        return ""
    return (
        f", {least:g} to {most:g}" if most is not None and least is not None and most < 1 << 40 else f", from {least:g}"
    )
