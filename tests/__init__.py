"""Tests. What holds for all of them stands here: examples are the same in every run, and no time is measured."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "tidewire", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tidewire")
