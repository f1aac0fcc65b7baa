"""Shared parts of HTML pages: escaping templates, the drawing script, and a policy that allows nothing else."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from stend.base.text import plain_lines
from stend.report.parts import vega

if TYPE_CHECKING:
    import jinja2

UNIT = re.compile(
    r"(?<=\d) (?=(?:IOPS|[kKMGTкКМГТ]?[iи]?[BБ](?:/[sс])?|[mµnмн]?к?[sс]|min|мин|h|ч|days?|сут|W|Вт)\b|%|°C)"
)
"""The space between a number and its unit. The template of the PDF has the same units."""
LONE = re.compile(r"(?<![\w-])([аАвВиИкКоОсСуУяЯ]) (?=\S)")
"""A one-letter word of Russian and the space after it."""
DAY = re.compile(r"(?<=\d) (?=[^\W\d]+ (?:19|20)\d\d\b)")
"""The space between a day and its month."""
POINT = re.compile(r"\b(T\d+) (Q\d+)")
"""Threads and queue depth of a load."""
PER = re.compile(r"(?<=[SBБtт])/(?=(?:[sсWJ]|Вт|Дж)\b)")
"""The slash in a unit: MB/s, Gbit/s, IOPS/W, MB/J."""
WHOLE = re.compile(r"--[a-z][a-z-]*|\?[a-z]+=|(?<![\w.-])[A-Za-z][\w.-]{0,10}-\d\w{0,3}(?![\w-])")
"""An option of a command or of a virtual drive, or a short name such as `fw-1.0-1`. The PDF has the same ones."""


@cache
def environment() -> "jinja2.Environment":
    """Return the template environment with autoescape, so that text from a drive never becomes markup."""
    import jinja2

    env = jinja2.Environment(
        loader=jinja2.PackageLoader("stend.report.parts", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: unbroken(tied(value)) if type(value) is str else value,
    )
    env.filters["inline_json"] = inline_json
    env.filters["whole"] = whole
    env.filters["kind"] = lambda block: type(block).__name__.lower()
    return env


def tied(text: str) -> str:
    """Escape as `plain_lines`, and end no line after a one-letter word of Russian or between a day and its month."""
    text = plain_lines(text)
    return DAY.sub("\u00a0", LONE.sub("\\1\u00a0", text)) if " " in text else text


def unbroken(text: str) -> str:
    """Return a text in which no line ends between a number and its unit, or within a unit or a load's T8 Q16, and none
    begins with a dash.
    """
    text = text.replace(" — ", "\u00a0— ")
    text = POINT.sub("\\1\u00a0\\2", UNIT.sub("\u00a0", text)) if " " in text else text
    return PER.sub("/\u2060", text) if "/" in text else text


def whole(text: str) -> Any:
    """Return text in which no line ends within an option or a short name. What is copied has no other characters."""
    from markupsafe import Markup, escape

    spans = WHOLE.sub(r'<span class="whole">\g<0></span>', str(escape(unbroken(tied(text)))))
    return Markup(spans)  # noqa: S704 the text is escaped before the spans are added


def inline_json(value: Any) -> Any:
    """Return JSON that is safe inside a script element: without `<`, `>`, `&` and line separators."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 every character that could end or open an element is escaped above


@cache
def drawing_script() -> Any:
    """Return Vega, Vega-Lite, Vega-Embed and stend's code that draws every figure of the page, as one script."""
    from markupsafe import Markup

    whole = "\n".join((vega.script(), *map(template_text, ("figures.js", "page.js"))))
    return Markup(whole.replace("</script", "<\\/script"))  # noqa: S704 our own files


def policy(script: str) -> str:
    """Return a content security policy that allows only this script and loads nothing.

    It holds whatever a drive's name contains.
    """
    digest = base64.b64encode(hashlib.sha256(str(script).encode()).digest()).decode()
    # Vega compiles its expressions, which browsers treat as eval.
    scripts = f"script-src 'sha256-{digest}' 'unsafe-eval'"
    return f"default-src 'none'; {scripts}; style-src 'unsafe-inline'; img-src data: blob:"


def template_text(name: str) -> str:
    """Return the text of a file in the folder of templates."""
    return (resources.files("stend.report.parts") / "templates" / name).read_text(encoding="utf-8")
