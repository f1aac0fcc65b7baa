"""Charts for half a page: two in a row of a PDF, with letters of the size of the text around them."""

from textwrap import wrap

from stend.charts.parts import Picture

HALF = {"width": 400, "height": 215}
"""Size of the plot, in pixels."""
TITLE_LETTERS = 60
"""Letters per line of the title."""


def half(picture: Picture) -> Picture:
    """Return a chart in the size of half a page; charts of several plots stay as they are."""
    spec = picture.spec
    if "facet" in spec or "spec" in spec:
        return picture
    legend = {**spec["config"]["legend"], "orient": "bottom", "columns": 2, "labelLimit": 190}
    view = {**spec["config"]["view"], **{f"continuous{key.title()}": value for key, value in HALF.items()}}
    view |= {f"discrete{key.title()}": value for key, value in HALF.items()}
    title = {**spec["title"], "text": wrap(spec["title"]["text"], TITLE_LETTERS), "fontSize": 13}
    size = {"width": HALF["width"]} | ({"height": min(spec["height"], 300)} if "height" in spec else {})
    return picture._replace(
        spec=spec | size | {"title": title, "config": {**spec["config"], "legend": legend, "view": view}}
    )
