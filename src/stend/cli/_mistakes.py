"""Sentences for mistakes on the command line: unknown verbs and options, missing words, numbers out of range."""

from collections.abc import Iterable
from typing import Any

from stend.base.text import nearest
from stend.cli import _grammar

LARGE = 1 << 40
"""Upper limits from here on are limits of the number format and are not shown."""
NO_DRIVE = "name a drive that `stend devices` lists, or a virtual one such as sim:small"
MISSING = {
    "--target": f"--target is missing: {NO_DRIVE}",
    "TEST...": "name at least one test or suite; `stend tests` lists them",
}


def unknown_verb(word: str, known: Iterable[str]) -> str:
    """Return the sentence for a word that is not a verb."""
    if word in _grammar.NO_VERB:
        return f"there is no verb {word!r}; {_grammar.NO_VERB[word]}"
    if kind := _kind_of_test(word):
        return f"there is no verb {word!r}; it is a {kind}: `stend run {word} --target DRIVE`"
    meant = next((verb for verb, words in _grammar.VERBS.items() if word in words), "") or nearest(word, known)
    return f"there is no verb {word!r}; " + (f"did you mean `stend {meant}`?" if meant else "`stend --help` lists all")


def _kind_of_test(word: str) -> str:
    """Return test or suite if this is the name of one, or an empty string."""
    from stend import suite

    return "test" if word in suite.names() else "suite" if word in suite.suites() else ""


def unknown_action(group: str, word: str, known: Iterable[str]) -> str:
    """Return the sentence for an unknown or missing action of a verb such as `stend trace`."""
    names = list(known)
    if not word:
        return f"`{group}` needs an action: {', '.join(names)}; see `{group} --help`"
    meant = nearest(word, names)
    more = f"did you mean `{group} {meant}`?" if meant else f"its actions are {', '.join(names)}"
    return f"`{group}` has no action {word!r}; {more}"


def sentence(error: Any) -> str:
    """Return the sentence for an error of the option parser."""
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    verb = context.command_path if context else "stend"
    name, kind = _name(parameter), type(error).__name__
    if kind == "NoSuchOption" and context:
        return _unknown_option(error.option_name, context.command, verb)
    if kind == "MissingParameter" and name:
        example = _example(context) if context else ""
        return MISSING.get(name, f"{name} is missing") + (f"; example: `{example}`" if example else "")
    if kind == "BadParameter" and parameter is not None and hasattr(parameter.type, "min"):
        noun = "a whole number" if "int" in parameter.type.name else "a number"
        return f"{name} must be {noun} {range_words(parameter.type)}; see `{verb} --help`"
    if kind == "BadOptionUsage":
        needs = "needs a value" if "requires an argument" in error.format_message() else "takes no value"
        return f"{error.option_name} {needs}; see `{verb} --help`"
    text = " ".join(error.format_message().split()).rstrip(".")
    if text.startswith("Got unexpected extra argument"):
        return f"`{verb}` does not take the words {text.rpartition(' (')[2].rstrip(')')}; see `{verb} --help`"
    return f"{text}; see `{verb} --help`"


def _name(parameter: Any) -> str:
    """Return the name of an option or argument as the help shows it."""
    if parameter is None:
        return ""
    return str(max(parameter.opts, key=len) if parameter.param_type_name == "option" else parameter.metavar)


LIKE = 0.7
"""Least similarity of an option that was probably meant: with less, `--json` of another verb becomes `--sooner`."""


def _unknown_option(typed: str, command: Any, verb: str) -> str:
    """Return the sentence for an unknown option, with the option that was probably meant."""
    if advice := _grammar.NO_OPTION.get((verb.removeprefix("stend "), typed)):
        return f"`{verb}` has no option {typed}; {advice}"
    known = [word for parameter in command.params for word in parameter.opts if not getattr(parameter, "hidden", False)]
    ours = (name for name, words in _grammar.OPTIONS.items() if typed in words and name in known)
    if hasattr(command, "commands"):
        return f"`{verb}` has no option {typed}; options follow the verb, as in `stend list --json`"
    near = nearest(typed.lstrip("-"), [name.lstrip("-") for name in known if name.startswith("--")], LIKE)
    meant = next(ours, "") or (f"--{near}" if near else "")
    return f"`{verb}` has no option {typed}; " + (f"did you mean {meant}?" if meant else f"see `{verb} --help`")


def _example(context: Any) -> str:
    text = context.command.help or ""
    return " ".join(text.partition("Example: ")[2].split())


def range_words(kind: Any) -> str:
    """Return the allowed range of a number in words: "from 1 to 1024"."""
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is None:
        return ""
    return f"from {least:.10g} to {most:.10g}" if most is not None and most < LARGE else f"of at least {least:.10g}"
