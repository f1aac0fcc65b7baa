"""Parse untrusted XML: UTF-8 only, and without a document type, which prevents entity expansion."""

import re
from xml.etree import ElementTree

from stend.base.errors import BadInput
from stend.base.units import MiB, binary

MOST_BYTES = 16 * MiB
"""Largest text: its tree of elements takes about ten times that memory."""
DECLARED = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")


def tree(data: bytes) -> ElementTree.Element:
    """Return the root element. Raise BadInput for anything but plain XML."""
    if len(data) > MOST_BYTES:
        raise BadInput(f"it has more than {binary(MOST_BYTES)} of XML")
    try:
        text = DECLARED.sub("", data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput("its XML is not in UTF-8") from error
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadInput(
            "its XML declares a document type, which is not accepted: entities in it could expand without end"
        )
    try:
        return ElementTree.fromstring(text)  # noqa: S314 no entity is declared in it
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        raise BadInput(f"its XML is broken: {error}") from error
