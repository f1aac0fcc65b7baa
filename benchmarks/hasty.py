"""What makes tests quick for `mutations`: the same examples every time, none made smaller, kernels kept compiled."""

from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

from stend import compiled

ROOMS = ("trace", "replay", "capture")
"""Rooms that are drawn from but for their kernels, which would else be compiled anew after every change beside them."""

settings.register_profile(
    "hasty",
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
_sources = compiled._sources


def _unchanged(room: Path) -> str:
    return "as it was" if room.name in ROOMS else _sources(room)


compiled._sources = _unchanged  # type: ignore[assignment]
