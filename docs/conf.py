"""The site: Sphinx, furo and MyST over the pages of this folder; `make docs` builds it in English and Russian."""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # the reference's pages are made from the code

project = "stend"
author = "The authors of stend"
project_copyright = "the authors of stend"
version = release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
exclude_patterns = ["locale"]
nitpicky = False
keep_warnings = True
highlight_language = "none"

myst_enable_extensions = ["colon_fence", "deflist", "smartquotes"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"

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
