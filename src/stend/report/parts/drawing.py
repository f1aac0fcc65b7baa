"""Pictures as SVG, drawn offline from the same specifications as in the page; many of them on several processors."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from stend.charts import Picture

FEW = 12
"""So many are drawn before another process could help."""
HELPERS = 3


def svg(picture: Picture) -> str:
    """One picture."""
    return _drawn(picture.spec)


def _drawn(spec: dict[str, Any]) -> str:
    import vl_convert

    made: str = vl_convert.vegalite_to_svg(spec)
    return made


def svgs(pictures: Sequence[Picture]) -> list[str]:
    """All of them in order: other processes draw from the first on, this one from the last on until it meets them."""
    helpers = min((os.cpu_count() or 1) - 1, HELPERS)
    if len(pictures) <= FEW or not helpers:
        return [svg(picture) for picture in pictures]
    with ProcessPoolExecutor(helpers, mp_context=get_context("spawn")) as pool:
        asked = [pool.submit(_drawn, picture.spec) for picture in pictures]
        ours = [svg(p) for p, other in zip(reversed(pictures), reversed(asked), strict=True) if other.cancel()]
        return [other.result() for other in asked if not other.cancelled()] + ours[::-1]
