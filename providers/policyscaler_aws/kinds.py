"""EC2NodeClass as kinds that the loader knows."""

from __future__ import annotations

from typing import Final

import msgspec

from policyscaler.manifests.kinds import Kind, define_kind
from policyscaler.manifests.reporting import Reporter
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.pools import NodeClass
from policyscaler_aws.conversion import V1, V1BETA1, convert_to_v1
from policyscaler_aws.drift import drift_hash
from policyscaler_aws.kubelet_rules import check_kubelet
from policyscaler_aws.labels import GROUP
from policyscaler_aws.launch_rules import check_launch
from policyscaler_aws.selector_rules import check_selectors
from policyscaler_aws.spec import EC2NodeClassSpec, NodeClassV1Beta1Wire, NodeClassWire

KIND: Final = "EC2NodeClass"


def _decode(wire: NodeClassWire, reporter: Reporter) -> NodeClass:
    check_selectors(wire.spec, reporter)
    check_launch(wire.spec, reporter)
    check_kubelet(wire.spec.kubelet, wire.spec.family, reporter=reporter)
    spec = EC2NodeClassSpec(
        **msgspec.structs.asdict(wire.spec), resolved_subnets=wire.status.subnets
    )
    return NodeClass(
        meta=wire.metadata.decode(namespaced=False),
        ref=NodeClassRef(group=GROUP, kind=KIND, name=wire.metadata.name),
        spec=spec,
        hash=drift_hash(spec),
        source=reporter.position(),
    )


def _decode_v1beta1(_wire: NodeClassV1Beta1Wire, _reporter: Reporter) -> None:
    """Never called: objects of this version are converted first, and read as v1."""


KINDS: Final[tuple[Kind, ...]] = (
    define_kind(V1, KIND, wire=NodeClassWire, decode=_decode),
    define_kind(
        V1BETA1, KIND, wire=NodeClassV1Beta1Wire, decode=_decode_v1beta1, convert=convert_to_v1
    ),
)
