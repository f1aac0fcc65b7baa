"""One self-contained HTML page: scripts, styles and chart specifications inlined; opens with no network."""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stend import __version__
from stend.plain import plain_lines
from stend.record import Run
from stend.report.parts import Document
from stend.report.parts.document import document

if TYPE_CHECKING:
    import jinja2


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """`report.html`; other languages and styles in files of their own beside it."""
    name = "report" + ("" if lang == "en" else f".{lang}") + ("" if style == "review" else f".{style}") + ".html"
    path = into / name
    path.write_text(page(document(runs, lang, style)), encoding="utf-8")
    return [path]


def render(run: Run, host: dict[str, Any], lang: str = "en", style: str = "review") -> str:
    """The page of one run."""
    return page(document([(None, run, host)], lang, style))


def page(doc: Document) -> str:
    """A Document as HTML."""
    script = drawing_script()
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            doc=doc,
            t=doc.words,
            version=__version__,
            script=script,
            style_sheet=template_text("page.css"),
            csp=policy(script),
        )
    )


@cache
def environment() -> "jinja2.Environment":
    """Templates with autoescape on; a drive's own words never become markup."""
    import jinja2

    env = jinja2.Environment(
        loader=jinja2.PackageLoader("stend.report.parts", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: plain_lines(value) if type(value) is str else value,
    )
    env.filters["inline_json"] = inline_json
    env.filters["anchor"] = lambda picture: hashlib.sha1(picture.title.encode(), usedforsecurity=False).hexdigest()[:8]
    return env


def inline_json(value: Any) -> Any:
    """JSON that is safe inside a script element: no `<`, `>`, `&` or line separators in it."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 every character that could end or open an element is escaped above


@cache
def drawing_script() -> Any:
    """Vega, Vega-Lite and Vega-Embed as one script, and our own few lines that draw every figure of the page."""
    import vl_convert
    from markupsafe import Markup

    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default
    return Markup(bundle.replace("</script", "<\\/script") + "\n" + template_text("page.js"))  # noqa: S704 our own files


def policy(script: str) -> str:
    """Content security policy: this one script and nothing from anywhere, whatever a drive calls itself."""
    digest = base64.b64encode(hashlib.sha256(str(script).encode()).digest()).decode()
    # Vega compiles its expressions, which browsers count as eval.
    scripts = f"script-src 'sha256-{digest}' 'unsafe-eval'"
    return f"default-src 'none'; {scripts}; style-src 'unsafe-inline'; img-src data: blob:"


def template_text(name: str) -> str:
    """A file beside the templates."""
    return (resources.files("stend.report.parts") / "templates" / name).read_text(encoding="utf-8")
