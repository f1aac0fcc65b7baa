"""Charts as plain Vega-Lite: every method returns a copy of the chart with more of its specification.

Altair would check each piece against Vega-Lite's schema, or cost 0.5 s of processor time at its import with the check
switched off, a fifth of a report. Tests render every chart instead.
"""

from collections.abc import Mapping
from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
SIZES = ("width", "height")
Spec = dict[str, Any]


class Chart:
    """A unit, layered or concatenated Vega-Lite view; `rows` names the data set of a unit."""

    def __init__(self, rows: str = "rows", spec: Spec | None = None) -> None:
        self.spec: Spec = {"data": {"name": rows}} if spec is None else spec

    def mark(self, kind: str, **properties: Any) -> "Chart":
        """Return the chart with a mark, such as `line` or `rect`."""
        return self.properties(mark={"type": kind, **properties})

    def encode(self, **channels: Any) -> "Chart":
        """Return the chart with more channels; a text names a field."""
        given = {name: {"field": value} if isinstance(value, str) else value for name, value in channels.items()}
        return self.properties(encoding={**self.spec.get("encoding", {}), **given})

    def transform(self, *steps: Spec) -> "Chart":
        """Return the chart with more data transforms."""
        return self.properties(transform=[*self.spec.get("transform", []), *steps])

    def properties(self, **more: Any) -> "Chart":
        """Return the chart with top-level properties, such as `width` and `height`."""
        return Chart(spec={**self.spec, **more})

    def resolve(self, **kinds: Mapping[str, str]) -> "Chart":
        """Return the chart with scales or legends of its parts that are `independent` or `shared`."""
        return self.properties(resolve={**self.spec.get("resolve", {}), **kinds})

    def facet(self, channel: Spec, columns: int) -> "Chart":
        """Return one small chart for each value of a channel. All layers have the rows of the first one."""
        first, *others = self.spec.get("layer", [self.spec])
        parts = [{key: value for key, value in part.items() if key != "data"} for part in (first, *others)]
        inner = {**self.spec, "layer": parts} if others else parts[0]
        return Chart(spec={"data": first["data"], "facet": channel, "columns": columns, "spec": inner})

    def add_params(self, *params: Spec) -> "Chart":
        """Return the chart with parameters; of several views the first one has them, as selections need a unit."""
        for parts in ("layer", "vconcat"):
            if parts in self.spec:
                first, *others = self.spec[parts]
                return self.properties(**{parts: [Chart(spec=first).add_params(*params).spec, *others]})
        return self.properties(params=[*self.spec.get("params", []), *params])

    def __add__(self, other: "Chart") -> "Chart":
        """Draw another chart over this one."""
        if "layer" not in self.spec:
            return layer(self, other)
        under = [Chart(spec=part) for part in self.spec["layer"]]
        return self.properties(**layer(*under, other).spec)

    def __and__(self, below: "Chart") -> "Chart":
        return Chart(spec={"vconcat": [self.spec, below.spec]})

    def to_dict(self) -> Spec:
        """Return the whole specification."""
        return {"$schema": SCHEMA, **self.spec}


def layer(*charts: Chart) -> Chart:
    """Return charts drawn over one another, the first one at the bottom; sizes become those of the whole."""
    sizes: Spec = {}
    parts: list[Spec] = []
    for chart in charts:
        sizes |= {key: chart.spec[key] for key in SIZES if key in chart.spec}
        parts.append({key: value for key, value in chart.spec.items() if key not in SIZES})
    return Chart(spec={**sizes, "layer": parts})
