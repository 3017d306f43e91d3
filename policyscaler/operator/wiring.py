"""Joins ports to what answers them: providers by their entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Final, cast

from policyscaler.manifests.kinds import Kind, ProviderPlugin
from policyscaler.simulation.scenario_loading import API_VERSION, KIND
from policyscaler.simulation.scenario_wire import ScenarioWire

GROUP: Final = "policyscaler.providers"


@cache
def providers() -> tuple[ProviderPlugin, ...]:
    """Returns the providers that are installed, sorted by the names of their entry points."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(cast("ProviderPlugin", point.load()) for point in points)


SCENARIO: Final = Kind(
    api_version=API_VERSION, kind=KIND, wire=ScenarioWire, build=lambda _tree, _reporter: None
)
"""A folder of manifests may hold a scenario: its fields are checked, and it is no object."""


def kinds() -> tuple[Kind, ...]:
    """Returns the kinds of manifests that providers and simulation add."""
    return (SCENARIO, *(kind for provider in providers() for kind in provider.kinds))
