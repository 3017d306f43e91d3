"""Acceptance: NodeOverlays and CapacityBuffers are validated, and have no effect yet (§9.A)."""

import pytest

from tests.unit.manifests.trees import a_requirement, an_object, loaded


def overlay(case, sentence, says=None, **spec):
    tree = an_object("karpenter.sh/v1alpha1", "NodeOverlay", **spec)
    return pytest.param(tree, says, id=f"{case} {sentence}")


def buffer(case, sentence, says=None, **spec):
    tree = an_object("autoscaling.x-k8s.io/v1beta1", "CapacityBuffer", **spec)
    return pytest.param(tree, says, id=f"{case} {sentence}")


WEB = {"apiGroup": "apps", "kind": "Deployment", "name": "web"}
POD = {"name": "pod"}
BAD_PRICES = ("+42", ".5", "42.", "42%", "3,14", "1e10", "0x42", "42 ", "42.0.0", "-")
GOOD_ADJUSTMENTS = ("+1%", "-1%", "-100%", "+100.102%", "+298%", "+43", "-43", "+34.43", "-34.43")

CASES = [
    overlay("A18", "NotIn without values", "at least one value", requirements=[a_requirement("a", "NotIn")]),
    overlay("A27", "price and priceAdjustment", "exclude each other", price="1", priceAdjustment="+1"),
    *(overlay("A28", f"price {price!r}", "not a price", price=price) for price in BAD_PRICES),
    *(overlay("A28", f"price {price}", price=price) for price in ("42", "3.14")),
    *(overlay("A29", f"adjustment {a}", "not an adjustment", priceAdjustment=a) for a in ("1%", "1", "1.3")),
    overlay("A29", "adjustment -101%", "below -100%", priceAdjustment="-101%"),
    *(overlay("A29", f"adjustment {a}", priceAdjustment=a) for a in GOOD_ADJUSTMENTS),
    *(overlay("A30", f"capacity of {r}", "cannot be overlaid", capacity={r: "1"}) for r in ("cpu", "memory", "pods", "ephemeral-storage")),
    overlay("A30", "capacity of an extended resource", capacity={"smarter-devices/fuse": "1"}),
    buffer("A31", "both references", "exactly one", podTemplateRef=POD, scalableRef=WEB, replicas=1),
    buffer("A31", "podTemplateRef alone", "needs replicas or limits", podTemplateRef=POD),
    buffer("A31", "scalableRef alone", scalableRef=WEB),
    buffer("A31", "negative replicas", "0 or more", scalableRef=WEB, replicas=-1),
    buffer("A31", "a negative percentage", "0 or more", scalableRef=WEB, percentage=-1),
    buffer("A31", "zeros, and replicas with percentage", scalableRef=WEB, replicas=0, percentage=0),
    buffer("A31", "podTemplateRef with limits", podTemplateRef=POD, limits={"cpu": "1"}),
    *(buffer("A32", f"empty {f}", "must not be empty", scalableRef={**WEB, f: ""}) for f in ("kind", "name")),
    buffer("A32", "an empty apiGroup", scalableRef={**WEB, "apiGroup": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "says"), CASES)
def test_object_is_accepted_or_refused_with_a_reason(tree, says):
    result = loaded(tree)
    if says is None:
        (finding,) = result.findings
        assert finding.severity == "note"
        assert "no effect yet" in finding.message
        assert len(result.announced) == 1
    else:
        assert not result.announced
        assert says in "\n".join(str(error) for error in result.errors)
