"""The door for what others wrote: read whole, decoded into the type that is wanted, or refused in one sentence."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from stend.base import regular
from stend.base.errors import BadInput
from stend.base.text import plain
from stend.base.units import binary

MOST_BYTES = regular.MOST_BYTES
"""No file that a person writes is longer."""

BROKEN = (msgspec.MsgspecError, ValueError, RecursionError, OverflowError)
"""What decoders raise: of wrong types, of bytes that are no text, of numbers and nesting beyond any measure."""

T = TypeVar("T")


def read(path: Path, what: str) -> bytes:
    """A file that somebody wrote. BadInput where there is none, or it is no file a person writes."""
    try:
        if not path.is_file():
            path.stat()
            raise BadInput(f"{what} {path} cannot be read: it is not a file")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BadInput(f"{what} {path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > MOST_BYTES:
        raise BadInput(f"{what} {path} cannot be used: it has more than {binary(MOST_BYTES)}")
    return data


def kept(path: Path, what: str) -> bytes:
    """Return what is in a file of a run folder, which may be a stranger's. Raise BadInput where it cannot be read."""
    try:
        return regular.read(path, MOST_BYTES)
    except OSError as error:
        raise BadInput(f"{what} {path} cannot be read: {error.strerror}") from error


def toml(data: bytes, kind: type[T], what: str) -> T:
    """TOML as that type; BadInput says what is wrong with `what`."""
    try:
        return converted(msgspec.toml.decode(data), kind, what)
    except BROKEN as error:
        raise BadInput(f"{plain(what)} cannot be used: {sentence(error)}") from error


def converted(value: Any, kind: type[T], what: str, *, strict: bool = True) -> T:
    """Plain data as that type; BadInput says what is wrong with `what`."""
    try:
        return msgspec.convert(value, kind, strict=strict)
    except BROKEN as error:
        raise BadInput(f"{plain(what)} cannot be used: {sentence(error)}") from error


def fitting(facts: dict[str, Any], kinds: dict[str, Any]) -> dict[str, Any]:
    """The facts without those of another kind than they can be: these count as not told."""
    return {key: value for key, value in facts.items() if key not in kinds or _fits(value, kinds[key])}


def fit(facts: dict[str, Any], kinds: dict[str, Any]) -> None:
    """ValidationError where a fact is of another kind than it can be."""
    for key, value in facts.items():
        msgspec.convert(value, kinds.get(key, Any))


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except BROKEN:
        return False
    return True


def sentence(error: Exception) -> str:
    """A decoder's complaint with the place first, as an operator would name it."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if "int_max_str_digits" in str(error):
        return "a number in it has thousands of digits"
    text = plain(" ".join(str(error).split()))
    said, _, place = text.rpartition(" - at `")
    place = place.rstrip("`").removeprefix("$").lstrip(".")
    return f"{place}: {said[:1].lower()}{said[1:]}" if said and place else said or text
