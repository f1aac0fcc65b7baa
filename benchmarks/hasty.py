"""A profile of hypothesis for `mutations`: the same examples every time, and no search for the smallest that fails."""

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "hasty",
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
