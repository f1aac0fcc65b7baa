"""What makes tests quick for `mutations` and `reached`: the same examples every time, none made smaller."""

from hypothesis import HealthCheck, Phase, settings

hasty = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("hasty", hasty)
settings.register_profile("hastier", hasty, max_examples=5)
