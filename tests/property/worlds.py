"""Random small clusters, and a check of plans that knows nothing but the raw values."""

from hypothesis import strategies as st

from policyscaler.model.nodes import Taint
from policyscaler.model.plan import Plan
from policyscaler.model.pods import Toleration
from policyscaler.model.requests import effective_requests, pod_requests
from policyscaler.model.snapshot import Snapshot
from policyscaler.testing.builders import (
    REF,
    a_claim,
    a_daemon_set,
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    a_term,
    a_type,
    replicas,
)

DEDICATED = Taint(key="dedicated")
TOLERATES = Toleration(key="dedicated", operator="Exists")
GPU = "example.com/gpu"
OF_POOLS = ("ct In on-demand", "zone In z1 z2", "zone NotIn z3", "size Gt 2", "size Lte 8",
            "tier Exists", "arch In amd64")  # fmt: skip
OF_PODS = ("zone In z1", "zone In z2 z3", "zone NotIn z1", "arch In arm64", "ct In spot", "size Gt 3",
           "tier In gold", "tier In iron gold", "tier DoesNotExist", "tier NotIn iron", "team In a", "team NotIn b")  # fmt: skip


@st.composite
def kinds(draw):
    types = []
    for number in range(draw(st.integers(1, 5))):
        cpu = draw(st.sampled_from([1, 2, 3, 4, 8, 16]))
        capacity = {GPU: "2"} if draw(st.integers(0, 4)) == 0 else {}
        types.append(
            a_type(
                f"t{number}", str(cpu), memory=f"{draw(st.sampled_from([2, 4, 16]))}Gi",
                price=f"0.{draw(st.integers(1, 9))}{cpu:02}",
                spot=draw(st.sampled_from(["", "0.05", "0.1"])),
                zones=draw(st.sampled_from([("z1",), ("z1", "z2"), ("z1", "z2", "z3")])),
                unavailable=draw(st.sampled_from([(), (), (), ("spot",), ("on-demand",)])),
                labels={"size": str(cpu), "arch": draw(st.sampled_from(["amd64", "arm64"]))},
                overhead={"cpu": draw(st.sampled_from(["0", "100m"]))},
                capacity={"pods": draw(st.sampled_from(["2", "5", "110"])), **capacity},
            )
        )  # fmt: skip
    return types


@st.composite
def pools(draw):
    found = []
    for name in draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)):
        limits = {
            resource: draw(st.sampled_from(amounts))
            for resource, amounts in (("cpu", ["4", "10", "40"]), ("nodes", ["1", "3"]))
            if draw(st.integers(0, 3)) == 0
        }
        found.append(
            a_pool(
                name, *draw(st.lists(st.sampled_from(OF_POOLS), max_size=2, unique=True)),
                weight=draw(st.sampled_from([0, 0, 10])), limits=limits,
                labels=draw(st.sampled_from([{}, {}, {"team": "a"}])),
                taints=draw(st.sampled_from([(), (), (DEDICATED,)])),
            )
        )  # fmt: skip
    return found


def sizes(draw):
    return {
        "cpu": draw(st.sampled_from(["100m", "500m", "900m", "1", "1500m", "3"])),
        "memory": draw(st.sampled_from(["0", "128Mi", "1Gi", "3Gi"])),
    }


@st.composite
def pending(draw):
    pods = []
    for number in range(draw(st.integers(1, 5))):
        terms = draw(st.lists(st.sampled_from(OF_PODS), max_size=2, unique=True))
        fields = {"must": tuple(terms)}
        if draw(st.integers(0, 5)) == 0:
            fields = {"required_terms": tuple(a_term(term) for term in (*terms, "zone In z2"))}
        pods += replicas(
            f"w{number}", draw(st.integers(1, 7)), **sizes(draw), **fields,
            priority=draw(st.sampled_from([0, 0, 100])),
            tolerations=draw(st.sampled_from([(), (TOLERATES,)])),
        )  # fmt: skip
    return pods


@st.composite
def worlds(draw, *, limited=True):
    """A snapshot of a few pools, machines, nodes with pods, daemons and pending pods."""
    types, some_pools = draw(kinds()), draw(pools())
    if not limited:
        some_pools = [a_pool(pool.name, requirements=pool.requirements, taints=pool.taints,
                             weight=pool.weight, labels=pool.labels) for pool in some_pools]  # fmt: skip
    objects = [types, some_pools, draw(pending())]
    for number in range(draw(st.integers(0, 3))):
        kind, pool = draw(st.sampled_from(types)), draw(st.sampled_from(some_pools))
        node = a_node(f"n{number}", kind, pool=pool.name, labels=pool.labels, taints=pool.taints)
        bound = a_pod(
            f"on-n{number}", cpu="500m", node=node.meta.name, phase="Running", unschedulable=False
        )
        objects += [node, a_claim(node), bound] if draw(st.booleans()) else [node, a_claim(node)]
    for number in range(draw(st.integers(0, 2))):
        where = draw(st.sampled_from([(), ("arch In amd64",), ("zone In z1",)]))
        objects.append(a_daemon_set(f"d{number}", cpu="100m", memory="64Mi", must=where))
    return a_snapshot(objects)


def holds(requirement, values):
    """Whether a label with one of these values (none at all when empty) satisfies a requirement."""
    match requirement.operator:
        case "In":
            return any(value in requirement.values for value in values)
        case "NotIn":
            return not values or any(value not in requirement.values for value in values)
        case "Exists":
            return bool(values)
        case "DoesNotExist":
            return not values
    bound = int(requirement.values[0])
    return any(
        {
            "Gt": int(v) > bound,
            "Gte": int(v) >= bound,
            "Lt": int(v) < bound,
            "Lte": int(v) <= bound,
        }[requirement.operator]
        for v in values
    )


def accepts(pod, labels):
    """Whether real or promised labels (values by key) satisfy a pod."""
    spec = pod.spec
    chosen = all(value in labels.get(key, ()) for key, value in spec.node_selector.items())
    terms = spec.required_terms
    return chosen and (
        not terms
        or any(all(holds(e, labels.get(e.key, ())) for e in term.expressions) for term in terms)
    )


def tolerated(taints, tolerations):
    return all(any(t.key in ("", taint.key) for t in tolerations) for taint in taints)


def total(requests):
    found = {}
    for amounts in requests:
        for name, amount in amounts.items():
            found[name] = found.get(name, 0) + amount
    return found


def exceeds(used, room):
    return {name for name, amount in used.items() if amount > room.get(name, 0)}


def faults(snapshot: Snapshot, plan: Plan) -> list[str]:
    """What is wrong with a plan, by the raw values of the snapshot."""
    found = _lost(snapshot, plan)
    for node in plan.launches:
        found += _wrong_launch(snapshot, node)
    for placement in plan.existing:
        found += _wrong_placement(snapshot, placement)
    return found + _over_limits(snapshot, plan)


def _lost(snapshot, plan):
    places = [node.pods for node in plan.launches] + [p.pods for p in plan.existing]
    told = sorted(key for pods in [*places, *(e.pods for e in plan.unschedulable)] for key in pods)
    asked = sorted(key for key, pod in snapshot.pods.items() if not pod.node)
    return [] if told == asked else [f"pods {asked} became {told}"]


def _wrong_launch(snapshot, node):
    pool = snapshot.pools[node.pool]
    pods = [snapshot.pods[key] for key in node.pods]
    types = {kind.name: kind for kind in snapshot.catalogues[REF].types}
    found = [f"{node.name}: taints" for p in pods if not tolerated(pool.taints, p.spec.tolerations)]
    for offering in node.offerings:
        kind = types[offering.instance_type]
        row = next(o for o in kind.offerings
                   if (o.zone, o.capacity_type) == (offering.zone, offering.capacity_type))  # fmt: skip
        labels = {
            **{key: (value,) for key, value in node.labels.items()}, **kind.labels,
            "topology.kubernetes.io/zone": (row.zone,),
            "karpenter.sh/capacity-type": (row.capacity_type,),
        }  # fmt: skip
        where = f"{node.name} as {offering}"
        found += [f"{where} is not to be had"] if not row.available else []
        found += [f"{where}: {r}" for r in pool.requirements if not holds(r, labels.get(r.key, ()))]
        found += [f"{where}: {pod.meta.name}" for pod in pods if not accepts(pod, labels)]
        used = total([*map(pod_requests, pods), *_daemons(snapshot, labels, pool.taints)])
        found += [f"{where}: {name}" for name in exceeds(used, kind.allocatable)]
    return found


def _daemons(snapshot, labels, taints):
    for daemon in snapshot.daemon_sets.values():
        spec = daemon.template.spec
        if tolerated(taints, spec.tolerations) and accepts(daemon.template, labels):
            yield effective_requests(spec)


def _wrong_placement(snapshot, placement):
    node = snapshot.nodes[placement.node]
    pods = [snapshot.pods[key] for key in placement.pods]
    labels = {key: (value,) for key, value in node.meta.labels.items()}
    found = [f"{placement.node}: {pod.meta.name}" for pod in pods
             if not accepts(pod, labels) or not tolerated(node.taints, pod.spec.tolerations)]  # fmt: skip
    held = [pod for pod in snapshot.pods.values() if pod.node == placement.node]
    used = total([*map(pod_requests, [*held, *pods]), *_daemons(snapshot, labels, node.taints)])
    return found + [f"{placement.node}: {name}" for name in exceeds(used, node.allocatable)]


def _over_limits(snapshot, plan):
    types = {kind.name: kind for kind in snapshot.catalogues[REF].types}
    found = []
    for pool in snapshot.pools.values():
        there = [claim.capacity for claim in snapshot.claims.values() if claim.pool == pool.name]
        launches = [node for node in plan.launches if node.pool == pool.name]
        for resource, limit in pool.limits.items():
            if resource == "nodes":
                new, used = len(launches), len(there)
            else:
                new = sum(max(types[o.instance_type].capacity.get(resource, 0) for o in n.offerings)
                          for n in launches)  # fmt: skip
                used = sum(capacity.get(resource, 0) for capacity in there)
            if new and new + used > limit:
                found.append(f"{pool.name}: {used} + {new} of {resource}, limit {limit}")
    return found
