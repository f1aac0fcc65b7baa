"""Describe types of the code: fields with kind, unit, range, default and meaning, from msgspec and the source."""

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
    """Return these types and all structs that their fields hold, each once, in the order of appearance."""
    known: dict[type, None] = {}

    def walk(kind: Any) -> None:
        if isinstance(kind, kinds.StructType):
            if kind.cls in known:
                return
            known[kind.cls] = None
            for field in kind.fields:
                walk(field.type)
        for inner in _inner(kind):
            walk(inner)

    for kind in every:
        walk(kinds.type_info(kind))
    return list(known)


def section(kind: type, title: str = "", level: int = 2, before: str = "") -> str:
    """Return a section for a type: its name or a title, `before`, its docstring, and a table of its fields."""
    text = "\n\n".join(filter(None, (before, inspect.cleandoc(kind.__doc__ or ""))))
    return f"{'#' * level} {title or kind.__name__}\n\n{text}\n\n{marks.table(HEAD, fields(kind))}"


def fields(kind: type) -> Iterator[tuple[str, ...]]:
    """Yield a row of the table for each field of a type."""
    texts = meanings(kind)
    info = kinds.type_info(kind)
    if isinstance(info, kinds.StructType):
        if info.tag is not None:
            yield (marks.code(info.tag_field), "word", "", "", marks.code(info.tag), "which kind of object it is")
        for field in info.fields:
            unit = marks.unit(field.name) if numeric(field.type) else ""
            known = WORDS["usual"].get(f"{kind.__name__}.{field.name}") or usual(field)
            row = marks.code(field.encode_name), called(field.type), unit, span(field.type), known
            yield (*row, texts.get(field.name, ""))


@cache
def meanings(kind: type) -> dict[str, str]:
    """Return the strings below the fields of a type and its bases in the source, by field."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("stend"):
            body: Any = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
            for node, after in zip(body.body, body.body[1:], strict=False):
                if (
                    isinstance(node, ast.AnnAssign)
                    and isinstance(after, ast.Expr)
                    and isinstance(after.value, ast.Constant)
                ):
                    texts[ast.unparse(node.target)] = " ".join(str(after.value.value).split())
    return texts


def numeric(kind: Any) -> bool:
    """Return whether a type is a number or holds numbers."""
    inner = list(_inner(kind))
    return isinstance(kind, kinds.IntType | kinds.FloatType) or (bool(inner) and any(map(numeric, inner)))


def called(kind: Any) -> str:  # noqa: PLR0911 a case each
    """Return the name of a type for readers."""
    match kind:
        case kinds.LiteralType(values=values):
            return ", ".join(f"`{value}`" for value in values)
        case kinds.StructType(cls=cls):
            return f"[{cls.__name__}](#{cls.__name__.lower()})"
        case kinds.UnionType(types=types):
            return " or ".join(dict.fromkeys(called(inner) for inner in types))
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
    "CustomType": "sentence",
}


def span(kind: Any) -> str:
    """Return the permitted range of a number, of the length of a word, or of a list."""
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
    sizes = parts or (
        [f"{' '.join(longest)} {'letters' if isinstance(kind, kinds.StrType) else 'items'}"] if longest else []
    )
    inner = "" if sizes and parts else " ".join(filter(None, dict.fromkeys(map(span, _plain_inner(kind)))))
    return "; ".join(filter(None, (" ".join(sizes), inner)))


def usual(field: Any) -> str:
    """Return the default of a field, or `must be given`."""
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
    yield from (inner for inner in _inner(kind) if not isinstance(inner, kinds.StructType))


def _short(number: float) -> str:
    power = int(number).bit_length() - 1
    if isinstance(number, int) and number >= 1 << 16 and number == 1 << power:
        return f"2^{power}"
    if isinstance(number, int) and number == (1 << 63) - 1:
        return "2^63 - 1"
    return f"{number:g}"
