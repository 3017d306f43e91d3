"""Runs a scenario from its first to its last instant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import msgspec

from policyscaler.model.errors import ConfigError
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.policies import ScalingPolicy
from policyscaler.model.pools import NodeClass
from policyscaler.planning.planner import PolicyPlanner
from policyscaler.ports.observation import ClusterView, Observer
from policyscaler.ports.provider import Provider
from policyscaler.simulation.market import Market
from policyscaler.simulation.objects import Objects, objects_of
from policyscaler.simulation.report import Report, make_report
from policyscaler.simulation.safety import Safety
from policyscaler.simulation.scenario import Scenario
from policyscaler.simulation.script import Script
from policyscaler.simulation.simulation import Simulation
from policyscaler.simulation.snapshots import Planner
from policyscaler.simulation.timeline import Progress, Timeline
from policyscaler.simulation.world import World

PlannerSource: TypeAlias = Callable[[tuple[ScalingPolicy, ...]], Planner]
"""Makes a planner of the user's policies; bundles are its own affair."""


class Watcher(Observer, Protocol):
    """An observer that lists what must not have happened."""

    @property
    def violations(self) -> Sequence[str]:
        """One sentence each."""
        ...


def run_scenario(
    scenario: Scenario,
    *,
    policies: Sequence[ScalingPolicy],
    providers: Sequence[Provider] = (),
    progress: Progress | None = None,
    watchers: Sequence[Callable[[ClusterView], Watcher]] = (),
    planners: PlannerSource | None = None,
) -> Report:
    """Returns the report of a run; equal arguments give equal reports, byte for byte.

    Args:
        scenario: what `load_scenario` returned.
        policies: those of the bundle and of the command line; to them come those of the
            scenario's manifests, which policy events replace.
        providers: whose NodeClasses can be launched from.
        progress: called with every notable event as it happens.
        watchers: made for the run; what they find joins the report's violations.
        planners: what decides instead of the real planner, for tests.

    Raises:
        PolicyError: the policies do not compile.
    """
    make_planner = planners or (lambda user: PolicyPlanner((*policies, *user)))
    world = World(
        start=scenario.start, seed=scenario.seed, settings=scenario.settings,
        timeline=Timeline(scenario.start, progress),
    )  # fmt: skip
    market = Market({})
    simulation = Simulation(world, market=market, planner=make_planner(scenario.objects.policies))
    watching = [Safety(simulation), *(make(simulation) for make in watchers)]
    world.observers.extend(watching)
    classes = Classes(market, providers)
    objects = Objects(simulation, classes.adopt)
    for value in objects_of(scenario.objects):
        objects.apply(value)
    simulation.actors.kubelets.adopt()
    script = Script(
        simulation, objects=objects,
        on_policies=lambda user: simulation.engine.use(make_planner(user)),
    )  # fmt: skip
    for event in scenario.events:
        script.schedule(event, end=scenario.end)
    simulation.run(scenario.end)
    return make_report(
        simulation, name=scenario.name, seed=scenario.seed,
        violations=[text for watcher in watching for text in watcher.violations],
        notes=(*classes.problems, *_notes(market)),
    )  # fmt: skip


def _notes(market: Market) -> list[str]:
    notes = {note: None for _, c in sorted(market.catalogues.items()) for note in c.notes}
    return list(notes)


class Classes:
    """Gives NodeClasses the catalogue and the drift hash of their provider.

    Attributes:
        problems: classes that no catalogue can be made for, one sentence each.
    """

    def __init__(self, market: Market, providers: Sequence[Provider]) -> None:
        self.problems: list[str] = []
        self._market = market
        self._providers = {(p.group, p.kind): p for p in providers}

    def adopt(self, node_class: NodeClass) -> NodeClass:
        """Serves a class's catalogue and returns the class with its hash."""
        ref: NodeClassRef = node_class.ref
        provider = self._providers.get((ref.group, ref.kind))
        if provider is None:
            if ref not in self._market.catalogues:
                self.problems.append(f"{ref}: no provider and no Catalogue serves it")
            return node_class
        try:
            self._market.serve(ref, provider.catalogue(node_class))
        except ConfigError as error:
            self.problems.append(f"{ref}: {error}")
            return node_class
        return msgspec.structs.replace(node_class, hash=provider.drift_hash(node_class))
