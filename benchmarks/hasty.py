"""What makes tests quick for `mutations`: the same examples every time, none made smaller."""

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "hasty",
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
