"""What an expression sees of nodes, pods, pools, money and the step under judgement."""

from __future__ import annotations

from policyscaler.policy.types import (
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    STRING,
    Field,
    ListType,
    MapType,
    ObjectType,
)

_LABELS = MapType(STRING, 128)
_AMOUNTS = MapType(DOUBLE, 64)

POD = ObjectType(
    "pod",
    {
        "namespace": Field(STRING, "Namespace."),
        "name": Field(STRING, "Name."),
        "owner": Field(
            ObjectType(
                "podOwner",
                {
                    "kind": Field(STRING, "Kind of the owner, such as `Job`; '' without one."),
                    "name": Field(STRING, "Name of the owner; '' without one."),
                },
            ),
            "What made the pod.",
        ),
        "priority": Field(INT, "Priority."),
        "runtime": Field(DURATION, "How long it has been running."),
        "doNotDisrupt": Field(BOOL, "Whether it carries karpenter.sh/do-not-disrupt."),
        "labels": Field(_LABELS, "Labels."),
        "pdbBlocked": Field(BOOL, "Whether a PodDisruptionBudget allows no eviction now."),
        "evictionCost": Field(
            DOUBLE,
            "How much it hurts to move it, -10 to 10; 1 for an ordinary pod, more for priority and "
            "pod-deletion-cost. Absent where nobody worked it out.",
            optional=True,
        ),
    },
    "A pod on a node.",
)

REQUESTED = ObjectType(
    "requested",
    {
        "cpu": Field(DOUBLE, "Share of allocatable CPU that pods request.", unit="0-1"),
        "memory": Field(DOUBLE, "Share of allocatable memory that pods request.", unit="0-1"),
    },
    "How full a node is.",
)

NODE = ObjectType(
    "node",
    {
        "name": Field(STRING, "Name."),
        "pool": Field(STRING, "NodePool; '' for a node that no pool made."),
        "type": Field(STRING, "Instance type."),
        "zone": Field(STRING, "Zone."),
        "capacityType": Field(STRING, "`on-demand`, `spot` or `reserved`."),
        "family": Field(STRING, "Family of the instance type.", optional=True),
        "cpu": Field(DOUBLE, "CPU of the machine.", unit="cores"),
        "memory": Field(DOUBLE, "Memory of the machine.", unit="bytes"),
        "price": Field(DOUBLE, "Price.", unit="$/h"),
        "age": Field(DURATION, "Time since it was created."),
        "lifetime": Field(DURATION, "Its expireAfter; absent for Never.", optional=True),
        "terminationGracePeriod": Field(
            DURATION,
            "How long draining may take before it is forced; absent for no end.",
            optional=True,
        ),
        "empty": Field(BOOL, "Whether only DaemonSet and static pods are on it."),
        "quietFor": Field(DURATION, "Time since a pod was last added or removed."),
        "drifted": Field(BOOL, "Whether its pool or class has changed since."),
        "driftReason": Field(STRING, "What changed, if drifted.", optional=True),
        "ready": Field(BOOL, "Whether it is Ready."),
        "initialized": Field(BOOL, "Whether it has ever been complete: ready, no startup taint."),
        "doNotDisrupt": Field(BOOL, "Whether it carries karpenter.sh/do-not-disrupt."),
        "requested": Field(REQUESTED, "Shares of its allocatable that pods request."),
        "labels": Field(_LABELS, "Labels."),
        "pods": Field(ListType(POD, 250), "Its pods, DaemonSet and static pods left out."),
    },
    "A node of the cluster.",
)

POOL_DISRUPTION = ObjectType(
    "poolDisruption",
    {
        "consolidateAfter": Field(DURATION, "consolidateAfter; absent for Never.", optional=True),
        "consolidationPolicy": Field(STRING, "`WhenEmpty` or `WhenEmptyOrUnderutilized`."),
    },
    "A NodePool's spec.disruption.",
)

POOL = ObjectType(
    "pool",
    {
        "name": Field(STRING, "Name."),
        "weight": Field(INT, "Weight; higher is tried first."),
        "labels": Field(_LABELS, "Labels of its nodes, from its template."),
        "limits": Field(_AMOUNTS, "Limits by resource name, in cores, bytes or counts."),
        "disruption": Field(POOL_DISRUPTION, "Its disruption settings."),
        "expireAfter": Field(DURATION, "expireAfter; absent for Never.", optional=True),
        "gracefulExpiry": Field(BOOL, "Whether expiry is graceful and inside budgets."),
        "nodes": Field(INT, "Nodes that it has now."),
    },
    "A NodePool.",
)

CLUSTER = ObjectType(
    "cluster",
    {
        "nodes": Field(INT, "Nodes."),
        "pendingPods": Field(INT, "Pods without a node."),
        "cpu": Field(DOUBLE, "CPU of all nodes.", unit="cores"),
        "memory": Field(DOUBLE, "Memory of all nodes.", unit="bytes"),
        "pricePerHour": Field(DOUBLE, "What all nodes cost.", unit="$/h"),
    },
    "The cluster as a whole.",
)

TEAM = ObjectType(
    "team",
    {
        "name": Field(STRING, "Team; '' for pods of no team."),
        "labels": Field(_LABELS, "Labels of the namespace."),
        "annotations": Field(_LABELS, "Annotations of the namespace."),
    },
    "The team that a launch is for, from its namespace.",
)

SPEND = ObjectType(
    "spend",
    {
        "perHour": Field(DOUBLE, "What all nodes cost.", unit="$/h"),
    },
    "Money.",
)

CURRENT = ObjectType(
    "current",
    {
        "price": Field(DOUBLE, "Price of the nodes together.", unit="$/h"),
        "capacityType": Field(STRING, "Capacity type; `mixed` if they differ."),
        "types": Field(ListType(STRING, 64), "Instance types, sorted."),
        "count": Field(INT, "Nodes."),
    },
    "The nodes that would go.",
)

REPLACEMENT = ObjectType(
    "replacement",
    {
        "price": Field(DOUBLE, "Price of what would come; 0 for nothing.", unit="$/h"),
        "capacityType": Field(STRING, "Capacity type; '' for nothing."),
        "type": Field(STRING, "Instance type; '' for nothing."),
        "zone": Field(STRING, "Zone; '' for nothing."),
        "candidates": Field(INT, "Offerings that the launch could take."),
        "cheaperTypes": Field(INT, "Instance types among them cheaper than what goes."),
    },
    "What would take their place.",
)

DISRUPTION = ObjectType(
    "disruption",
    {
        "reason": Field(STRING, "Empty, Underutilized, Drifted or Expired."),
        "cost": Field(DOUBLE, "Sum of all `disruption.cost`.", unit="$"),
    },
    "The step under judgement.",
)
