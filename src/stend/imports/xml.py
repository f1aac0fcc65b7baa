"""XML of strangers: UTF-8 without a document type, so that no entity can grow; a tree of elements or one sentence."""

import re
from xml.etree import ElementTree

from stend.base.errors import BadInput
from stend.base.units import MiB, binary

MOST_BYTES = 16 * MiB
"""A tree takes some ten times the memory of its text."""
DECLARED = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")


def tree(data: bytes) -> ElementTree.Element:
    """The root element. BadInput for anything else than plain XML."""
    if len(data) > MOST_BYTES:
        raise BadInput(f"it has more than {binary(MOST_BYTES)} of XML")
    try:
        text = DECLARED.sub("", data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput("its XML is not in UTF-8") from error
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadInput("its XML declares a document type, which no result has and bombs are made of")
    try:
        return ElementTree.fromstring(text)  # noqa: S314 no entity is declared in it
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        raise BadInput(f"its XML is broken: {error}") from error
