"""What an expression sees of the machines on offer, and of the pods that need one."""

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

_FEATURES = ListType(STRING, 64)
_LABELS = MapType(STRING, 128)
_AMOUNTS = MapType(DOUBLE, 64)

RESOURCES = ObjectType(
    "resources",
    {
        "cpu": Field(DOUBLE, "CPU.", unit="cores"),
        "memory": Field(DOUBLE, "Memory.", unit="bytes"),
        "pods": Field(INT, "Pods that may run."),
    },
    "Amounts that pods can use.",
)

GPU = ObjectType(
    "gpu",
    {
        "count": Field(INT, "Number of GPUs."),
        "model": Field(STRING, "Model, as the provider writes it, such as `a10g`.", optional=True),
        "manufacturer": Field(STRING, "Maker, such as `nvidia`.", optional=True),
        "memory": Field(DOUBLE, "Memory of one GPU.", unit="bytes", optional=True),
    },
    "The GPUs of an instance type.",
)

OFFERING = ObjectType(
    "offering",
    {
        "name": Field(STRING, "Instance type, such as `m5.large`."),
        "family": Field(STRING, "Family of the instance type, such as `m5`."),
        "size": Field(STRING, "Size within the family, such as `large`.", optional=True),
        "category": Field(STRING, "Category, such as `c`, `m` or `r`.", optional=True),
        "generation": Field(INT, "Generation of the family.", optional=True),
        "region": Field(STRING, "Region.", optional=True),
        "zone": Field(STRING, "Zone."),
        "zoneId": Field(STRING, "The provider's own ID of the zone.", optional=True),
        "arch": Field(STRING, "Processor architecture: `amd64` or `arm64`."),
        "os": Field(STRING, "Operating system, such as `linux`."),
        "capacityType": Field(STRING, "`on-demand`, `spot` or `reserved`."),
        "cpu": Field(DOUBLE, "CPU of the machine.", unit="cores"),
        "memory": Field(DOUBLE, "Memory of the machine.", unit="bytes"),
        "pods": Field(INT, "Pods that the machine may run."),
        "allocatable": Field(RESOURCES, "What is left for pods after system reservations."),
        "price": Field(DOUBLE, "Price.", unit="$/h"),
        "gpu": Field(GPU, "GPUs; absent without any.", optional=True),
        "hypervisor": Field(STRING, "Hypervisor, such as `nitro`.", optional=True),
        "features": Field(_FEATURES, "Traits: `burstable`, `flex`, `nvme`, `metal`."),
        "available": Field(BOOL, "Whether the provider has any now."),
        "labels": Field(_LABELS, "Labels of its nodes that have exactly one value."),
        "choices": Field(
            MapType(ListType(STRING, 64), 32),
            "Labels of which its nodes may have one of several values, and those values.",
        ),
        "resources": Field(_AMOUNTS, "Capacity by resource name, in cores, bytes or counts."),
    },
    "One instance type in one zone and capacity type.",
)

SHAPE = ObjectType(
    "shape",
    {
        "namespace": Field(STRING, "Namespace of the pods."),
        "team": Field(STRING, "Team, from the label of the namespace.", optional=True),
        "cpu": Field(DOUBLE, "CPU that one pod requests.", unit="cores"),
        "memory": Field(DOUBLE, "Memory that one pod requests.", unit="bytes"),
        "gpu": Field(INT, "GPUs that one pod requests."),
        "archs": Field(ListType(STRING, 8), "Architectures that the pods may run on."),
        "priority": Field(INT, "Priority of the pods."),
        "count": Field(INT, "Pods in the class."),
        "labels": Field(_LABELS, "Labels that all pods of the class share."),
        "requests": Field(_AMOUNTS, "Requests by resource name, in cores, bytes or counts."),
        "memPerCpu": Field(
            DOUBLE, "Memory per core that a pod requests; 0 without CPU.", unit="GiB/core"
        ),
        "owner": Field(
            ObjectType(
                "shapeOwner", {"kind": Field(STRING, "Kind, such as `ReplicaSet`; '' without.")}
            ),
            "What made the pods.",
        ),
        "restartable": Field(BOOL, "Whether the pods may be restarted elsewhere."),
        "pendingFor": Field(DURATION, "How long the oldest pod has been waiting."),
    },
    "A class of equal pending pods.",
)
