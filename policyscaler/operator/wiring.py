"""Joins ports to what answers them: providers are found by their entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Final, cast

from policyscaler.manifests.kinds import Kind, ProviderPlugin

GROUP: Final = "policyscaler.providers"


@cache
def providers() -> tuple[ProviderPlugin, ...]:
    """Returns the providers that are installed, sorted by the names of their entry points."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(cast("ProviderPlugin", point.load()) for point in points)


def kinds() -> tuple[Kind, ...]:
    """Returns the kinds of manifests that the providers add."""
    return tuple(kind for provider in providers() for kind in provider.kinds)
