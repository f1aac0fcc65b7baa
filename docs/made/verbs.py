"""Every verb with its arguments and options, from the command line itself."""

from collections.abc import Iterator
from typing import Any

from docs.made import marks

from stend.cli import application

HIDDEN = ("help", "install_completion", "show_completion")


def tree() -> dict[str, Any]:
    """Each verb as typer has it, in the order a new user meets them; "" is stend itself."""
    top: Any = application()
    return {"": top} | {name: top.commands[name] for name in top.list_commands(None)}


def page() -> str:
    """The whole page."""
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
    shown = [one for one in command.params if one.name not in HIDDEN]
    if shown:
        yield marks.table(("word", "takes", "usually", "meaning"), map(_row, shown))


def _row(one: Any) -> tuple[str, ...]:
    if one.param_type_name == "argument":
        names, takes = marks.code(one.metavar or one.name.upper()), ""
    else:
        names = ", ".join(marks.code(word) for word in (*one.opts, *one.secondary_opts))
        takes = "" if one.is_flag else f"{marks.code(one.metavar or 'N')}{_range(one.type)}"
    plain = one.default if not callable(one.default) and one.default not in (None, False, (), []) else ""
    needed = "must be given" if one.required else marks.code(plain)
    return names, takes, needed, one.help or ""


def _range(kind: Any) -> str:
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is None and most is None:
        return ""
    return (
        f", {least:g} to {most:g}" if most is not None and least is not None and most < 1 << 40 else f", from {least:g}"
    )
