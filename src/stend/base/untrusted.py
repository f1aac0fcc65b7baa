"""Read data from outside: limit its size, decode it into the wanted type, or raise BadInput with one sentence."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from stend.base import regular
from stend.base.errors import BadInput
from stend.base.text import did_you_mean, plain, small
from stend.base.units import binary

MOST_BYTES = regular.MOST_BYTES
"""Largest file that is read from an operator."""

BROKEN = (msgspec.MsgspecError, ValueError, RecursionError, OverflowError)
"""Errors that decoders raise: for wrong types, bytes that are not text, and numbers or nesting beyond limits."""

TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}
"""Type in a decoder's error message -> plain words."""
TYPE = re.compile(rf"`((?:{'|'.join(TYPES)})(?: \| (?:{'|'.join(TYPES)}))*)`")

T = TypeVar("T")
Hook = Callable[[type, Any], Any]
"""Decoder of a type that msgspec does not know."""


def read(path: Path, what: str) -> bytes:
    """Return the content of an operator's file. Raise BadInput if it is absent, not a file or too large."""
    try:
        if not path.is_file():
            path.stat()
            raise BadInput(f"{what} {path} cannot be read: it is not a file")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BadInput(f"{what} {path} cannot be read: {why_not_read(path, error)}") from error
    if len(data) > MOST_BYTES:
        raise BadInput(f"{what} {path} cannot be used: it has more than {binary(MOST_BYTES)}")
    return data


def why_not_read(path: Path, error: OSError | ValueError) -> str:
    """Return the reason of the host. If a file does not exist, add a similar name in its folder."""
    reason = str(getattr(error, "strerror", None) or error)
    if not isinstance(error, FileNotFoundError):
        return reason
    if path.is_symlink():
        return "it is a link to a file that does not exist"
    return reason + did_you_mean(path.name, [file.name for file in path.parent.glob("*")], "check its path")


def kept(path: Path, what: str) -> bytes:
    """Return the content of a file of a run folder, which may be a stranger's. Raise BadInput if it cannot be read."""
    try:
        return regular.read(path, MOST_BYTES)
    except OSError as error:
        raise BadInput(f"{what} {path} cannot be read: {error.strerror}") from error


def toml(data: bytes, kind: type[T], what: str, hook: Hook | None = None) -> T:
    """Decode TOML into a type. Raise BadInput, which names `what`, if it does not fit."""
    try:
        return converted(msgspec.toml.decode(data), kind, what, hook=hook)
    except BROKEN as error:
        raise BadInput(f"{plain(what)} cannot be used: {sentence(error)}") from error


def converted(value: Any, kind: type[T], what: str, *, strict: bool = True, hook: Hook | None = None) -> T:
    """Convert plain data into a type. Raise BadInput, which names `what`, if it does not fit."""
    try:
        return msgspec.convert(value, kind, strict=strict, dec_hook=hook)
    except BROKEN as error:
        raise BadInput(f"{plain(what)} cannot be used: {sentence(error)}") from error


def fitting(facts: dict[str, Any], kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the facts without those of a wrong type, which count as unknown."""
    return {key: value for key, value in facts.items() if key not in kinds or _fits(value, kinds[key])}


def fit(facts: dict[str, Any], kinds: dict[str, Any]) -> None:
    """Raise ValidationError if a fact has a wrong type."""
    for key, value in facts.items():
        msgspec.convert(value, kinds.get(key, Any))


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except BROKEN:
        return False
    return True


def sentence(error: Exception) -> str:
    """Return a decoder's error message in plain words, with the place first."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if "int_max_str_digits" in str(error):
        return "a number in it has thousands of digits"
    text = plain(" ".join(str(error).split())).replace("Object contains", "it has the")
    text = text.replace("Object missing", "it lacks the")
    text = TYPE.sub(lambda names: " or ".join(TYPES[name] for name in names[1].split(" | ")), text)
    problem, _, place = text.rpartition(" - at `")
    place = place.rstrip("`").removeprefix("$").lstrip(".")
    return f"{place}: {small(problem)}" if problem and place else problem or text
