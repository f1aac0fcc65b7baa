"""Templates of a site's pages: one environment, the names that every page has, and the policy of its content."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from stend.base.version import __version__
from stend.publish.lab import Lab
from stend.report.parts.fallback import table_of
from stend.report.parts.markup import environment
from stend.words import Language, texts

if TYPE_CHECKING:
    import jinja2

OF_SCRIPTS = ("publish.js.", "verdict.")


@cache
def templates() -> "jinja2.Environment":
    """Return the environment of the report's templates, with those of sites."""
    import jinja2

    loaders = [
        jinja2.PackageLoader("stend.publish", "templates"),
        jinja2.PackageLoader("stend.report.parts", "templates"),
    ]
    return environment().overlay(loader=jinja2.ChoiceLoader(loaders))


class Head(NamedTuple):
    """Facts about a page for its head: title, description, the day it was made, and its picture for sharing."""

    title: str
    description: str
    made: str = ""
    preview: str = ""
    type: str = "website"


def render(template: str, lab: Lab, words: Language, here: str, head: Head, **values: Any) -> str:
    """Return a page. `here` is its path below the folder of its language, `values` are those of its template.

    Values of a page itself (`page`) are given as `page_values`.
    """
    up = "../" * here.count("/")
    root = f"{up}../"
    texts_of = lab.words(words.name)
    known: Mapping[str, Any] = {
        "t": words,
        "lab": lab,
        "site": {
            "name": lab.name,
            "logo": f"assets/{logo_name(lab)}" if lab.logo else "",
            "address": lab.address.rstrip("/"),
            "colours": lab.colours,
            "line": texts_of.line,
            "intro": texts_of.intro,
            "about": texts_of.about,
        },
        "here": here,
        "up": up,
        "root": root,
        "languages": [(lang, Language(lang).format_of.name or lang, f"{root}{lang}/{here}") for lang in lab.languages],
        "version": __version__,
        "page": {**head._asdict(), "lang": words.name, "caption": "figure", **values.pop("page_values", {})},
        "fallback": lambda picture: table_of(picture, words),
    }
    return templates().get_template(template).render(**known, **values)


def first_page(lab: Lab) -> str:
    """Return the page at the site's root, which leads to the first language."""
    listed = [(lang, Language(lang).format_of.name or lang, f"{lang}/index.html") for lang in lab.languages]
    return templates().get_template("first.html.j2").render(lab=lab, languages=listed)


def logo_name(lab: Lab) -> str:
    """Return the name of the logo among the assets."""
    return f"logo.{lab.logo.rpartition('.')[2].lower()}" if lab.logo else ""


def script_texts(words: Language) -> dict[str, str]:
    """Return the phrases that the scripts of the site show."""
    found = ((key, prefix) for key in texts("en") for prefix in OF_SCRIPTS if key.startswith(prefix))
    return {key.removeprefix(prefix): words.texts[key] for key, prefix in found}


def static_files() -> dict[str, bytes]:
    """Return the scripts and styles of the site by name."""
    own = resources.files("stend.publish") / "static"
    report = resources.files("stend.report.parts") / "templates"
    named = {file.name: file.read_bytes() for file in own.iterdir() if file.name.endswith((".css", ".js", ".svg"))}
    named["site.css"] = (report / "page.css").read_bytes() + named["site.css"]
    return {name: (report / name).read_bytes() for name in ("figures.js", "page.js")} | named
