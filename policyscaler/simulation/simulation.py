"""The whole simulated world, wired: its actors, and the engine's loops that run in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from policyscaler.model.nodes import Node, NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.pools import NodePool
from policyscaler.model.snapshot import ObjectKey
from policyscaler.model.workloads import DisruptionBudget
from policyscaler.ports.observation import SETTLED, InstanceState, Moment
from policyscaler.simulation.attempts import LaunchAttempts
from policyscaler.simulation.commands import Commands
from policyscaler.simulation.daemonsets import DaemonSets
from policyscaler.simulation.deployments import Deployments
from policyscaler.simulation.disruption import Disruption
from policyscaler.simulation.interruption import Interruption
from policyscaler.simulation.jobs import CronJobs, Jobs
from policyscaler.simulation.kubelets import Kubelets, Machines
from policyscaler.simulation.lifecycle import Lifecycle
from policyscaler.simulation.market import Market
from policyscaler.simulation.nominations import Nominations
from policyscaler.simulation.ordered import StatefulSets
from policyscaler.simulation.pdb import Evictions, expected_pods
from policyscaler.simulation.podlife import PodLife
from policyscaler.simulation.provider import SimulatedProvider
from policyscaler.simulation.provisioning import Provisioning
from policyscaler.simulation.quiet import Quiet
from policyscaler.simulation.replicas import ReplicaSets
from policyscaler.simulation.scheduler import Scheduler
from policyscaler.simulation.snapshots import CapacityMemory, Planner, Snapshots
from policyscaler.simulation.statistics import Statistics
from policyscaler.simulation.termination import Termination
from policyscaler.simulation.world import World


class Actors:
    """Those who know nothing of the planner."""

    def __init__(self, world: World, market: Market) -> None:
        self.pods = PodLife(world)
        self.provider = SimulatedProvider(world, market)
        self.scheduler = Scheduler(world)
        self.kubelets = Kubelets(world, self.pods)
        self.machines = Machines(world, provider=self.provider, pods=self.pods)
        self.evictions = Evictions(world, self.pods)
        self.replica_sets = ReplicaSets(world, self.pods)
        self.deployments = Deployments(world)
        self.stateful_sets = StatefulSets(world, self.pods)
        self.daemon_sets = DaemonSets(world, self.pods)
        self.jobs = Jobs(world, self.pods)
        self.cron_jobs = CronJobs(world, self.jobs)


class Engine:
    """The loops that carry out what the planner decides."""

    def __init__(self, world: World, *, actors: Actors, planner: Planner) -> None:
        self.memory = CapacityMemory()
        self.attempts = LaunchAttempts(world)
        self.snapshots = Snapshots(
            world, market=actors.provider.market, memory=self.memory, attempts=self.attempts
        )
        self.lifecycle = Lifecycle(world, provider=actors.provider, memory=self.memory)
        self.quiet = Quiet(world)
        self.commands = Commands(world, self.lifecycle)
        self.termination = Termination(
            world, provider=actors.provider, pods=actors.pods, evictions=actors.evictions
        )
        self.interruption = Interruption(
            world, provider=actors.provider, lifecycle=self.lifecycle, memory=self.memory
        )
        self.provisioning = Provisioning(
            world, lifecycle=self.lifecycle, snapshots=self.snapshots, planner=planner,
            nominations=Nominations(world), attempts=self.attempts,
        )  # fmt: skip
        self.disruption = Disruption(
            world, lifecycle=self.lifecycle, snapshots=self.snapshots, planner=planner,
            commands=self.commands,
        )  # fmt: skip
        self.quiet.nearly.append(self.disruption.look_now)

    def use(self, planner: Planner) -> None:
        """Decides by another planner (other policies) from now on."""
        self.provisioning.planner = self.disruption.planner = planner
        self.wake()

    def wake(self) -> None:
        """Looks again although no object has changed: prices or policies have."""
        self.provisioning.trigger()
        self.disruption.wake()


class Simulation:
    """A world with its actors and the engine.

    Args:
        world: the common ground, still empty.
        market: prices and capacity of what can be launched.
        planner: decides.
    """

    def __init__(self, world: World, *, market: Market, planner: Planner) -> None:
        self.world = world
        self.actors = Actors(world, market)
        self.engine = Engine(world, actors=self.actors, planner=planner)
        self.statistics = Statistics(world)

    def run(self, until: datetime) -> None:
        """Lets time pass up to and including an instant."""
        settled = Moment(what=SETTLED)
        self.world.clock.run(until, settled=lambda: self.world.tell(settled))

    @property
    def now(self) -> datetime:
        """The present."""
        return self.world.now

    @property
    def pods(self) -> Mapping[ObjectKey, Pod]:
        """All pods."""
        return self.world.state.pods.items

    @property
    def nodes(self) -> Mapping[str, Node]:
        """All nodes."""
        return self.world.state.nodes.items

    @property
    def claims(self) -> Mapping[str, NodeClaim]:
        """All NodeClaims."""
        return self.world.state.claims.items

    @property
    def pools(self) -> Mapping[str, NodePool]:
        """All NodePools."""
        return self.world.state.pools.items

    @property
    def disruption_budgets(self) -> Mapping[ObjectKey, DisruptionBudget]:
        """All PodDisruptionBudgets."""
        return self.world.state.disruption_budgets.items

    @property
    def instances(self) -> Mapping[str, InstanceState]:
        """The running machines by provider ID."""
        return {
            key: InstanceState(id=key, claim=machine.claim, launched=machine.launched)
            for key, machine in self.actors.provider.instances.items()
        }

    def expected_pods(self, budget: DisruptionBudget) -> int:
        """Returns how many pods the workloads behind a budget want."""
        return expected_pods(self.world.state, budget)
