"""A type of the code in words: fields with kind, unit, range, usual value and meaning, by msgspec and the source."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from docs.made import marks
from docs.made.words import WORDS
from msgspec import inspect as kinds

HEAD = ("field", "kind", "unit", "range", "usually", "meaning")


def structs(*every: type) -> list[type]:
    """These types and all that their fields hold, each once, in the order they are met."""
    found: dict[type, None] = {}

    def walk(kind: Any) -> None:
        if isinstance(kind, kinds.StructType):
            if kind.cls in found:
                return
            found[kind.cls] = None
            for field in kind.fields:
                walk(field.type)
        for inner in _inner(kind):
            walk(inner)

    for one in every:
        walk(kinds.type_info(one))
    return list(found)


def section(one: type, title: str = "", level: int = 2, before: str = "") -> str:
    """A type under its name or a title: its docstring, after what goes before it, and a table of its fields."""
    text = "\n\n".join(filter(None, (before, inspect.cleandoc(one.__doc__ or ""))))
    return f"{'#' * level} {title or one.__name__}\n\n{text}\n\n{marks.table(HEAD, fields(one))}"


def fields(one: type) -> Iterator[tuple[str, ...]]:
    """A row for each field."""
    said = meanings(one)
    info = kinds.type_info(one)
    if isinstance(info, kinds.StructType):
        if info.tag is not None:
            yield (marks.code(info.tag_field), "word", "", "", marks.code(info.tag), "which kind of object it is")
        for field in info.fields:
            unit = marks.unit(field.name) if numeric(field.type) else ""
            known = WORDS["usual"].get(f"{one.__name__}.{field.name}") or usual(field)
            row = marks.code(field.encode_name), called(field.type), unit, span(field.type), known
            yield (*row, said.get(field.name, ""))


@cache
def meanings(one: type) -> dict[str, str]:
    """The strings that stand below fields in the source; those of bases too."""
    told: dict[str, str] = {}
    for base in reversed(one.__mro__):
        if base.__module__.startswith("stend"):
            body: Any = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
            for node, after in zip(body.body, body.body[1:], strict=False):
                if (
                    isinstance(node, ast.AnnAssign)
                    and isinstance(after, ast.Expr)
                    and isinstance(after.value, ast.Constant)
                ):
                    told[ast.unparse(node.target)] = " ".join(str(after.value.value).split())
    return told


def numeric(kind: Any) -> bool:
    """Whether it is a number, or numbers."""
    inner = list(_inner(kind))
    return isinstance(kind, kinds.IntType | kinds.FloatType) or (bool(inner) and any(map(numeric, inner)))


def called(kind: Any) -> str:  # noqa: PLR0911 a case each
    """A type as people say it."""
    match kind:
        case kinds.LiteralType(values=values):
            return ", ".join(f"`{value}`" for value in values)
        case kinds.StructType(cls=cls):
            return f"[{cls.__name__}](#{cls.__name__.lower()})"
        case kinds.UnionType(types=types):
            return " or ".join(dict.fromkeys(called(one) for one in types))
        case kinds.ListType(item_type=item) | kinds.VarTupleType(item_type=item):
            return f"list of {called(item)}"
        case kinds.TupleType(item_types=items):
            return f"[{', '.join(map(called, items))}]"
        case kinds.DictType(value_type=value):
            return "table" if isinstance(value, kinds.AnyType) else f"table of {called(value)}"
    return NAMES.get(type(kind).__name__, type(kind).__name__)


NAMES = {
    "IntType": "whole number",
    "FloatType": "number",
    "StrType": "word",
    "BoolType": "yes or no",
    "NoneType": "nothing",
    "AnyType": "any value",
}


def span(kind: Any) -> str:
    """The range that a number, a word or a list may have."""
    least, most = getattr(kind, "ge", None), getattr(kind, "le", None)
    above, below = getattr(kind, "gt", None), getattr(kind, "lt", None)
    parts = [
        f"{sign} {_short(bound)}"
        for sign, bound in (("≥", least), (">", above), ("≤", most), ("<", below))
        if bound is not None
    ]
    if isinstance(kind, kinds.UnionType):
        return " or ".join(filter(None, dict.fromkeys(map(span, kind.types))))
    longest = [
        f"{sign} {many}"
        for sign, many in (("≥", getattr(kind, "min_length", None)), ("≤", getattr(kind, "max_length", None)))
        if many
    ]
    own = parts or (
        [f"{' '.join(longest)} {'letters' if isinstance(kind, kinds.StrType) else 'items'}"] if longest else []
    )
    inner = "" if own and parts else " ".join(filter(None, dict.fromkeys(map(span, _plain_inner(kind)))))
    return "; ".join(filter(None, (" ".join(own), inner)))


def usual(field: Any) -> str:
    """A field's value where nothing is said; `must be given` where there is none."""
    if field.required:
        return "must be given"
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if value in ("", None, (), [], {}):
        return ""
    if isinstance(value, msgspec.Struct):
        return f"as in {type(value).__name__}"
    return marks.code(str(value).lower() if isinstance(value, bool) else value)


def _inner(kind: Any) -> Iterator[Any]:
    yield from getattr(kind, "types", ())
    yield from getattr(kind, "item_types", ())
    yield from (getattr(kind, name) for name in ("item_type", "value_type", "key_type") if getattr(kind, name, None))


def _plain_inner(kind: Any) -> Iterator[Any]:
    yield from (one for one in _inner(kind) if not isinstance(one, kinds.StructType))


def _short(number: float) -> str:
    power = int(number).bit_length() - 1
    if isinstance(number, int) and number >= 1 << 16 and number == 1 << power:
        return f"2^{power}"
    if isinstance(number, int) and number == (1 << 63) - 1:
        return "2^63 - 1"
    return f"{number:g}"
