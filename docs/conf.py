"""The site: Sphinx, furo and MyST over the pages of this folder; `make docs` builds it in English and Russian."""

import logging
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # the reference's pages are made from the code

project = "stend"
author = "The authors of stend"
project_copyright = "the authors of stend"
version = release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_nb", "docs.made"]
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "build/docs/notebooks")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
logging.getLogger("traitlets").setLevel(logging.WARNING)  # that a notebook is executed is no warning
root_doc = "index"
exclude_patterns = ["locale"]
nitpicky = False
keep_warnings = True
highlight_language = "none"

myst_enable_extensions = ["colon_fence", "deflist", "smartquotes"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure", "mystnb.unknown_mime_type"]
"""A chart is Vega-Lite, which pages do not draw, and SVG, which they do."""


locale_dirs = ["locale"]
gettext_compact = False
gettext_uuid = False
gettext_location = True

html_theme = "furo"
html_title = "stend"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "languages.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {"navigation_with_keys": True}

linkcheck_anchors = False
linkcheck_timeout = 20

LABELS = {"en": ("Site", "Page", "Search"), "ru": ("Сайт", "Страница", "Поиск")}
THEIRS = {"Next": "Дальше", "Previous": "Назад", "Back to top": "Наверх", "On this page": "На этой странице"}
"""Furo's own words, which it has in English alone."""


def for_everybody(app, failed):
    """Add to furo's pages: named landmarks, code that a keyboard scrolls, real headings."""
    site, page, search = LABELS[app.config.language]
    better = {
        '<aside class="sidebar-drawer">': f'<aside class="sidebar-drawer" aria-label="{site}">',
        '<aside class="toc-drawer">': f'<aside class="toc-drawer" aria-label="{page}">',
        '<aside class="toc-drawer no-toc">': f'<aside class="toc-drawer no-toc" aria-label="{page}">',
        "<pre>": '<pre tabindex="0">',
        '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
        '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
        '<th class="head"><p></p></th>': '<td class="head"></td>',
        '<div id="search-results">': f'<h1>{search}</h1>\n<div id="search-results">',
    }
    if app.config.language == "ru":
        better |= {f"<span>{word}</span>": f"<span>{own}</span>" for word, own in THEIRS.items()}
        better |= {f"            {word}\n": f"            {own}\n" for word, own in THEIRS.items()}
    for path in Path(app.outdir).rglob("*.html") if app.builder.format == "html" and not failed else ():
        text = made = path.read_text(encoding="utf-8")
        for old, new in better.items():
            made = made.replace(old, new)
        if made != text:
            path.write_text(made, encoding="utf-8")


def setup(app):
    """Called by Sphinx."""
    app.connect("build-finished", for_everybody)
