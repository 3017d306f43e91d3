"""A small planner that stands in for the real one, and builders for small worlds.

It packs pods first-fit on the cheapest offering, removes empty and expired nodes, and one node at
a time whose pods fit elsewhere. It knows no policy.
"""

from datetime import UTC, datetime, timedelta

from policyscaler.model import labels as well
from policyscaler.model import resources as res
from policyscaler.model.meta import LabelSelector, ObjectMeta
from policyscaler.model.nodes import (
    CONSOLIDATABLE,
    DISRUPTION_REASON,
    INITIALIZED,
    Node,
    NodeClaim,
    NodeClassRef,
)
from policyscaler.model.offerings import Catalogue, Offering, instance_type
from policyscaler.model.plan import (
    ChosenOffering,
    DisruptionCommand,
    ExistingPlacement,
    Plan,
    PlannedNode,
    PoolRefusal,
    Unschedulable,
)
from policyscaler.model.pods import Container, Pod, PodSpec
from policyscaler.model.pools import EMPTY, EXPIRED, UNDERUTILIZED, Budget, NodeClass, NodePool
from policyscaler.model.requests import pod_requests
from policyscaler.model.snapshot import Snapshot
from policyscaler.model.workloads import DisruptionBudget, PodTemplate, Workload
from policyscaler.scheduling.taints import untolerated
from policyscaler.simulation.market import Market
from policyscaler.simulation.settings import Settings
from policyscaler.simulation.simulation import Simulation
from policyscaler.simulation.timeline import Timeline
from policyscaler.simulation.world import World

START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
REF = NodeClassRef(group="example.dev", kind="Metal", name="default")
GIB = 2**30


def a_catalogue(zones=("zone-a", "zone-b"), capacity_types=("on-demand", "spot")):
    types = []
    for cpus in (2, 4, 8, 16):
        offerings = tuple(
            Offering(
                zone=zone,
                capacity_type=kind,
                price_micros_per_hour=cpus * (48_000 if kind == "on-demand" else 20_000) + i,
            )
            for i, zone in enumerate(zones)
            for kind in capacity_types
        )
        types.append(
            instance_type(
                f"metal.{cpus:02}",
                labels={well.ARCH: ("amd64",), well.OS: ("linux",)},
                capacity={"cpu": cpus * 1000, "memory": cpus * 4 * GIB, "pods": 30},
                overhead={"cpu": 100, "memory": GIB},
                offerings=offerings,
            )
        )
    return Catalogue(name="test", types=tuple(types), digest="test")


def a_pool(name="default", **fields):
    fields.setdefault("expire_after", None)
    return NodePool(meta=ObjectMeta(name=name, uid=f"uid-{name}"), node_class=REF, **fields)


def a_class():
    return NodeClass(meta=ObjectMeta(name=REF.name), ref=REF, hash="class-1")


def a_spec(cpu=1000, memory=GIB, **fields):
    container = Container(name="main", requests={"cpu": cpu, "memory": memory})
    return PodSpec(containers=(container,), **fields)


def a_template(app="web", annotations=None, **spec):
    return PodTemplate(labels={"app": app}, annotations=annotations or {}, spec=a_spec(**spec))


def a_workload(name="web", replicas=1, kind="Deployment", annotations=None, **fields):
    more = {
        key: fields.pop(key)
        for key in ("parallel", "max_surge", "max_unavailable")
        if key in fields
    }
    return Workload(
        kind=kind,
        meta=ObjectMeta(name=name, namespace="default", uid=f"uid-{kind}-{name}"),
        template=a_template(name, annotations=annotations, **fields),
        replicas=replicas,
        selector=LabelSelector(match_labels={"app": name}),
        **more,
    )


def a_budget(app="web", **fields):
    return DisruptionBudget(
        meta=ObjectMeta(name=app, namespace="default"),
        selector=LabelSelector(match_labels={"app": app}),
        **fields,
    )


def a_node(name="fixed", cpu=4000, **fields):
    labels = {well.HOSTNAME: name, **fields.pop("labels", {})}
    room = {"cpu": cpu, "memory": 16 * GIB, "pods": 30}
    return Node(
        meta=ObjectMeta(name=name, labels=labels, created=START),
        capacity=room,
        allocatable=room,
        **fields,
    )


def a_world(*, planner=None, catalogue=None, seed=1, settings=None, pools=None, progress=None):
    """Returns a simulation with one class, one pool and nothing else."""
    timeline = Timeline(START, progress)
    world = World(start=START, seed=seed, settings=settings or Settings(), timeline=timeline)
    market = Market({REF: catalogue or a_catalogue()})
    simulation = Simulation(world, market=market, planner=planner or StandIn())
    world.state.node_classes.put(a_class())
    for pool in (a_pool(),) if pools is None else pools:
        world.state.pools.put(pool)
    return simulation


def step(simulation, **duration):
    simulation.run(simulation.now + timedelta(**duration))


def running(simulation, app=None):
    return [
        pod
        for pod in simulation.pods.values()
        if pod.ready and app in (None, pod.meta.labels.get("app"))
    ]


class Room:
    """What is free on a node, or on a claim that will become one."""

    def __init__(self, name, labels, taints, free):
        self.name, self.labels, self.taints, self.free = name, labels, taints, free

    def take(self, pod):
        need = pod_requests(pod)
        selector = pod.spec.node_selector.items()
        if untolerated(self.taints, pod.spec.tolerations) or not res.fits(need, self.free):
            return False
        if any(self.labels.get(key) != value for key, value in selector):
            return False
        self.free = res.subtract(self.free, need)
        return True


class StandIn:
    """The planner. `calls` counts decisions; `consolidates` lets it empty under-used nodes."""

    def __init__(self, *, consolidates=False):
        self.calls = 0
        self.consolidates = consolidates

    def __call__(self, snapshot: Snapshot, now: datetime) -> Plan:
        self.calls += 1
        state = _State(snapshot)
        launches, existing, homeless = state.place(state.pending())
        return Plan(
            launches=launches,
            existing=existing,
            unschedulable=homeless,
            disruptions=tuple(self._disruptions(state, now)),
        )

    def _disruptions(self, state, now):
        taken = set()
        for claim in state.candidates():
            allowed = state.allowed(claim)
            age = now - claim.meta.created
            if claim.expire_after is not None and age >= claim.expire_after:
                yield DisruptionCommand(reason=EXPIRED, nodes=(claim.node,), forceful=True)
            elif not claim.has(CONSOLIDATABLE) or len(taken) >= allowed:
                continue
            elif not state.movable(claim):
                taken.add(claim.node)
                yield DisruptionCommand(reason=EMPTY, nodes=(claim.node,))
            elif self.consolidates and not taken and not state.pending():
                command = self._consolidate(state, claim)
                if command:
                    taken.add(claim.node)
                    yield command

    def _consolidate(self, state, claim):
        pods = state.movable(claim)
        if any(well.DO_NOT_DISRUPT in pod.meta.annotations for pod in state.on(claim.node)):
            return None
        fresh = _State(state.snapshot, without=claim.meta.name)
        launches, _, homeless = fresh.place(pods)
        price = sum(planned.chosen.price_micros_per_hour for planned in launches)
        saving = state.price(claim) - price
        if homeless or len(launches) > 1 or saving <= 0:
            return None
        return DisruptionCommand(
            reason=UNDERUTILIZED,
            nodes=(claim.node,),
            replacements=launches,
            moves=tuple(pod.meta.key for pod in pods),
            savings_micros_per_hour=saving,
        )


class _State:
    def __init__(self, snapshot, without=""):
        self.snapshot = snapshot
        self.claims = {k: c for k, c in sorted(snapshot.claims.items()) if k != without}
        self.by_node = {c.node: c for c in self.claims.values() if c.node}
        gone = snapshot.claims[without].node if without else ""
        self.rooms = [
            Room(name, node.meta.labels, _lasting(node), self._free(node.allocatable, name))
            for name, node in sorted(snapshot.nodes.items())
            if name != gone and not self._leaving(name)
        ]
        for name, claim in self.claims.items():
            if not claim.node and claim.meta.deleted is None and claim.allocatable:
                self.rooms.append(Room(name, claim.meta.labels, claim.taints, claim.allocatable))

    def _free(self, allocatable, name):
        pods = self.on(name) + [
            p for p in self.snapshot.pods.values() if p.nominated == name and not p.node
        ]
        return res.subtract(allocatable, res.add(*(pod_requests(p) for p in pods)))

    def on(self, node):
        pods = sorted(self.snapshot.pods.items())
        return [pod for _, pod in pods if pod.node == node and not pod.is_terminal]

    def movable(self, claim):
        return [pod for pod in self.on(claim.node) if pod.is_reschedulable]

    def _leaving(self, node):
        claim = self.by_node.get(node)
        return claim is not None and (
            claim.meta.deleted is not None or claim.has(DISRUPTION_REASON)
        )

    def pending(self) -> list[Pod]:
        pods = [pod for _, pod in sorted(self.snapshot.pods.items())]
        waiting = [
            p for p in pods if p.unschedulable and not p.node and not p.nominated and p.is_active
        ]
        moving = [p for p in pods if p.node and self._leaving(p.node) and p.is_reschedulable]
        return [p for p in waiting if not p.is_daemon] + moving

    def candidates(self) -> list[NodeClaim]:
        return [
            claim
            for claim in self.claims.values()
            if claim.has(INITIALIZED) and not self._leaving(claim.node)
        ]

    def allowed(self, claim):
        pool = self.snapshot.pools[claim.pool]
        members = [c for c in self.claims.values() if c.pool == claim.pool and c.has(INITIALIZED)]
        leaving = sum(self._leaving(c.node) for c in members)
        budgets = [_value(budget, len(members)) for budget in pool.disruption.budgets]
        return min(budgets, default=len(members)) - leaving

    def price(self, claim):
        for kind in self.snapshot.catalogues[claim.node_class].types:
            for offering in kind.offerings:
                where = (kind.name, offering.zone, offering.capacity_type)
                labels = claim.meta.labels
                if where == tuple(
                    labels[k] for k in (well.INSTANCE_TYPE, well.ZONE, well.CAPACITY_TYPE)
                ):
                    return offering.price_micros_per_hour
        return 0

    def place(self, pods):
        existing: dict[str, list] = {}
        left = []
        for pod in pods:
            room = next((room for room in self.rooms if room.take(pod)), None)
            if room is None:
                left.append(pod)
            else:
                existing.setdefault(room.name, []).append(pod.meta.key)
        launches, homeless = self._launch(left)
        placements = tuple(
            ExistingPlacement(node=name, pods=tuple(keys)) for name, keys in existing.items()
        )
        return launches, placements, homeless

    def _launch(self, pods):
        launches, homeless = [], []
        for _, pool in sorted(self.snapshot.pools.items()):
            usage = [
                c.capacity or {"cpu": 16_000} for c in self.claims.values() if c.pool == pool.name
            ]
            while pods:
                used = res.add(*usage, *(_biggest(self, p) for p in launches))
                planned = self._node(pool, pods, used, len(launches))
                if planned is None:
                    break
                launches.append(planned)
                pods = [pod for pod in pods if pod.meta.key not in planned.pods]
        if pods:
            refusal = PoolRefusal(pool="default", constraint="limits", message="no room is left")
            keys = tuple(pod.meta.key for pod in pods)
            homeless.append(Unschedulable(pods=keys, refusals=(refusal,)))
        return tuple(launches), tuple(homeless)

    def _node(self, pool, pods, used, number):
        best = None
        for kind in self.snapshot.catalogues[pool.node_class].types:
            if res.exceeded(res.add(used, kind.capacity), pool.limits):
                continue
            free, fitting = kind.allocatable, []
            for pod in pods:
                if untolerated(pool.taints, pod.spec.tolerations):
                    continue
                if res.fits(pod_requests(pod), free):
                    free = res.subtract(free, pod_requests(pod))
                    fitting.append(pod)
            rows = sorted(
                (o.price_micros_per_hour, o.zone, o.capacity_type)
                for o in kind.offerings
                if o.available
            )
            if fitting and rows:
                cost = (-len(fitting), rows[0][0])
                best = min(
                    best or (cost, kind.name, rows, fitting), (cost, kind.name, rows, fitting)
                )
        if best is None:
            return None
        _, name, rows, fitting = best
        return PlannedNode(
            name=f"{pool.name}-{number + 1}",
            pool=pool.name,
            node_class=pool.node_class,
            labels={**pool.labels, well.NODEPOOL: pool.name},
            taints=pool.taints,
            startup_taints=pool.startup_taints,
            expire_after=pool.expire_after,
            termination_grace=pool.termination_grace,
            requests=res.add(*(pod_requests(pod) for pod in fitting)),
            pods=tuple(pod.meta.key for pod in fitting),
            offerings=tuple(
                ChosenOffering(
                    instance_type=name, zone=zone, capacity_type=kind, price_micros_per_hour=price
                )
                for price, zone, kind in rows
            ),
        )


def _biggest(state, planned):
    types = state.snapshot.catalogues[planned.node_class].types
    return next(kind.capacity for kind in types if kind.name == planned.chosen.instance_type)


def _lasting(node):
    return tuple(
        t for t in node.taints if t.key not in (well.NOT_READY_TAINT, well.UNREGISTERED_TAINT)
    )


def _value(budget: Budget, total):
    if budget.nodes.endswith("%"):
        return -(-int(budget.nodes[:-1]) * total // 100)
    return int(budget.nodes)
