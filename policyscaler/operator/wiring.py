"""Joins ports to what answers them: providers by their entry points, bundles by their names."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Final, cast

import msgspec

from policyscaler.manifests.decoding import Loading
from policyscaler.manifests.kinds import Kind, ProviderPlugin
from policyscaler.model.errors import PolicyError
from policyscaler.model.policies import ScalingPolicy
from policyscaler.policy.bundles import bundle_files
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


@cache
def bundle_policies(name: str) -> tuple[ScalingPolicy, ...]:
    """Returns the policies of a bundle.

    Raises:
        ConfigError: there is no such bundle.
        PolicyError: one of its files cannot be loaded.
    """
    loading = Loading(())
    for file in bundle_files(name):
        # Positions say where in the bundle: where that is installed differs between machines.
        loading.add(f"{name}/{file.name}", file.read_text(encoding="utf-8"))
    loaded = loading.result()
    if loaded.errors:
        raise PolicyError(f'the bundle "{name}" cannot be loaded', loaded.errors)
    return tuple(msgspec.structs.replace(policy, bundle=name) for policy in loaded.policies)
