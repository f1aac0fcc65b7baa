"""The page of verbs with their arguments and options, from the command line parser."""

from collections.abc import Iterator
from typing import Any

from docs.made import marks

from stend.cli import application

HIDDEN = ("help", "install_completion", "show_completion")


def tree() -> dict[str, Any]:
    """Return the parser of each verb in the order of `stend --help`; "" is `stend` itself."""
    top: Any = application()
    return {"": top} | {name: top.commands[name] for name in top.list_commands(None)}


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
    shown = [parameter for parameter in command.params if parameter.name not in HIDDEN]
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
    needed = "must be given" if parameter.required else marks.code(plain)
    return names, takes, needed, parameter.help or ""


def _range(kind: Any) -> str:
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is None and most is None:
        return ""
    return (
        f", {least:g} to {most:g}" if most is not None and least is not None and most < 1 << 40 else f", from {least:g}"
    )
