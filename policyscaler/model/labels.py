"""Label, annotation, taint and finalizer keys, and the rules about them.

Source: the keys of Kubernetes and Karpenter (API group karpenter.sh v1).
"""

from __future__ import annotations

from typing import Final

NODEPOOL: Final = "karpenter.sh/nodepool"
CAPACITY_TYPE: Final = "karpenter.sh/capacity-type"
REGISTERED: Final = "karpenter.sh/registered"
INITIALIZED: Final = "karpenter.sh/initialized"
DO_NOT_SYNC_TAINTS: Final = "karpenter.sh/do-not-sync-taints"
ZONE: Final = "topology.kubernetes.io/zone"
REGION: Final = "topology.kubernetes.io/region"
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
ARCH: Final = "kubernetes.io/arch"
OS: Final = "kubernetes.io/os"
HOSTNAME: Final = "kubernetes.io/hostname"
WINDOWS_BUILD: Final = "node.kubernetes.io/windows-build"

DO_NOT_DISRUPT: Final = "karpenter.sh/do-not-disrupt"
NODEPOOL_HASH: Final = "karpenter.sh/nodepool-hash"
NODEPOOL_HASH_VERSION: Final = "karpenter.sh/nodepool-hash-version"
NODECLASS_HASH: Final = "policyscaler.dev/nodeclass-hash"
POOL_HASH: Final = "policyscaler.dev/nodepool-hash"
GRACEFUL_EXPIRY: Final = "policyscaler.dev/graceful-expiry"
POD_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
RUN_TIME: Final = "policyscaler.dev/run-time"
TERMINATION_TIMESTAMP: Final = "karpenter.sh/nodeclaim-termination-timestamp"

FINALIZER: Final = "karpenter.sh/termination"

DISRUPTED_TAINT: Final = "karpenter.sh/disrupted"
UNREGISTERED_TAINT: Final = "karpenter.sh/unregistered"
NOT_READY_TAINT: Final = "node.kubernetes.io/not-ready"
UNREACHABLE_TAINT: Final = "node.kubernetes.io/unreachable"
UNSCHEDULABLE_TAINT: Final = "node.kubernetes.io/unschedulable"
UNINITIALIZED_TAINT: Final = "node.cloudprovider.kubernetes.io/uninitialized"
READINESS_DOMAIN: Final = "readiness.k8s.io/"

ON_DEMAND: Final = "on-demand"
SPOT: Final = "spot"
RESERVED: Final = "reserved"
CAPACITY_TYPES: Final = (ON_DEMAND, SPOT, RESERVED)

WELL_KNOWN: Final = frozenset(
    {NODEPOOL, ZONE, REGION, INSTANCE_TYPE, ARCH, OS, CAPACITY_TYPE, WINDOWS_BUILD}
)
"""Labels that a node may come to have without a NodePool naming them; providers add theirs."""

ALIASES: Final = {
    "failure-domain.beta.kubernetes.io/zone": ZONE,
    "failure-domain.beta.kubernetes.io/region": REGION,
    "beta.kubernetes.io/arch": ARCH,
    "beta.kubernetes.io/os": OS,
    "beta.kubernetes.io/instance-type": INSTANCE_TYPE,
    # The AWS EBS driver's name for the zone; Karpenter's AWS provider registers it likewise.
    "topology.ebs.csi.aws.com/zone": ZONE,
}
"""Deprecated keys and the stable key that each is read as."""

RESTRICTED_DOMAIN: Final = "karpenter.sh"


def stable_key(key: str) -> str:
    """Returns the key that a deprecated alias stands for, or the key itself."""
    return ALIASES.get(key, key)


def is_restricted(key: str) -> bool:
    """Returns whether users may not set or require this label.

    Source: karpenter.sh and its sub-domains, and the host name, less the well-known labels.
    """
    if key == HOSTNAME:
        return True
    domain = key.partition("/")[0] if "/" in key else ""
    in_domain = domain == RESTRICTED_DOMAIN or domain.endswith("." + RESTRICTED_DOMAIN)
    return in_domain and key not in WELL_KNOWN


def node_class_label(group: str, kind: str) -> str:
    """Returns the key of the label that names a node's NodeClass."""
    return f"{group}/{kind.lower()}"
