"""Which pending pods are planned for, and what the others are told."""

import pytest

from policyscaler.model.meta import ObjectMeta
from policyscaler.model.pods import NodeSelectorTerm, TopologySpread, Volume
from policyscaler.model.workloads import PersistentVolume, StorageClass, VolumeClaim
from policyscaler.planning.intake import take_in
from policyscaler.scheduling.shapes import intern_shapes
from policyscaler.testing.builders import NOW, a_pod, a_snapshot, a_term, needs

LATE = StorageClass(meta=ObjectMeta(name="late"), binds_late=True)
AT_ONCE = StorageClass(meta=ObjectMeta(name="at-once"))
ZONAL = StorageClass(
    meta=ObjectMeta(name="zonal"), binds_late=True, topologies=(a_term("zone In z1"),)
)
CLASSES = {c.meta.name: c for c in (LATE, AT_ONCE, ZONAL)}
VOLUMES = {
    "free": PersistentVolume(meta=ObjectMeta(name="free")),
    "tied": PersistentVolume(meta=ObjectMeta(name="tied"), terms=(a_term("zone In z1"),)),
}


def taken(claims=(), **fields):
    state = a_snapshot(
        storage_classes=CLASSES, volumes=VOLUMES, volume_claims={c.meta.key: c for c in claims}
    )
    return take_in(intern_shapes([a_pod("web", **fields)]), state)


def told(**fields):
    """(constraint, message) of a pod that is turned away, or None."""
    found = taken(**fields)
    if found.accepted:
        return None
    (entry,) = found.rejected
    (refusal,) = entry.refusals
    return refusal.constraint, refusal.message


def a_volume_claim(**fields):
    meta = ObjectMeta(name="data", namespace="default", deleted=fields.pop("deleted", None))
    return VolumeClaim(meta=meta, **fields)


MOUNTED = {"volumes": (Volume(name="v", claim="data"),)}


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (None, "volume claim default/data does not exist"),
        ({"deleted": NOW, "storage_class": "late"}, "is being deleted"),
        ({"phase": "Lost"}, "has lost its volume"),
        ({"volume": "gone"}, "volume gone of claim data does not exist"),
        ({}, 'names no StorageClass that exists ("")'),
        ({"storage_class": "nope"}, 'names no StorageClass that exists ("nope")'),
        ({"storage_class": "at-once"}, "waits to be bound at once"),
    ],
)
def test_a_volume_that_no_node_would_help(claim, text):
    claims = [] if claim is None else [a_volume_claim(**claim)]
    constraint, message = told(claims=claims, **MOUNTED)
    assert constraint == "volumes"
    assert text in message


@pytest.mark.parametrize("claim", [{"storage_class": "late"}, {"volume": "free"}])
def test_a_volume_that_goes_anywhere_is_no_constraint(claim):
    assert told(claims=[a_volume_claim(**claim)], **MOUNTED) is None


@pytest.mark.parametrize("claim", [{"storage_class": "zonal"}, {"volume": "tied"}])
def test_a_volume_that_is_tied_to_a_place_is_named_as_unsupported(claim):
    constraint, message = told(claims=[a_volume_claim(**claim)], **MOUNTED)
    assert constraint == "unsupported"
    assert "volume v that is tied to a place" in message


def test_ephemeral_volumes_are_judged_by_their_class_until_they_exist():
    volume = Volume(name="scratch", ephemeral=True, storage_class="late")
    assert told(volumes=(volume,)) is None
    zonal = Volume(name="scratch", ephemeral=True, storage_class="zonal")
    assert told(volumes=(zonal,))[0] == "unsupported"
    lost = VolumeClaim(meta=ObjectMeta(name="web-scratch", namespace="default"), phase="Lost")
    assert "has lost its volume" in told(claims=[lost], volumes=(volume,))[1]


def test_volumes_of_no_claim_are_no_matter():
    assert told(volumes=(Volume(name="tmp"),)) is None


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"must": ("host In n1",)}, "kubernetes.io/hostname"),
        ({"node_selector": {"karpenter.sh/initialized": "true"}}, "karpenter.sh/initialized"),
        ({"must": ("x.karpenter.sh/y Exists",)}, "x.karpenter.sh/y"),
        ({"must": ("ct In cheap",)}, "karpenter.sh/capacity-type has no value cheap"),
        (
            {"required_terms": (NodeSelectorTerm(fields=(needs("metadata.name In n1"),)),)},
            "matchFields",
        ),
        ({"node_selector": {"tier": "a"}, "must": ("tier In b",)}, "label tier exclude each other"),
        ({"must": ("size Gt 5", "size Lt 2")}, "label size exclude each other"),
        ({"must": ("tier Exists", "tier DoesNotExist")}, "label tier exclude each other"),
    ],
)
def test_demands_that_no_new_node_can_meet(fields, text):
    constraint, message = told(**fields)
    assert constraint == "requirements"
    assert text in message


@pytest.mark.parametrize(
    "fields",
    [
        {"must": ("pool In p",)},
        {"must": ("ct In cheap spot",)},
        {"must": ("ct NotIn cheap",)},
        {"required_terms": (a_term("tier In a", "tier In b"), a_term("tier In a"))},
        {"must": ("tier DoesNotExist", "tier NotIn a")},
        {"must": ("pool Exists",)},
    ],
)
def test_demands_that_some_node_can_meet(fields):
    assert told(**fields) is None


def test_pods_that_shun_pools_are_nobodys_business():
    found = taken(must=("pool DoesNotExist",))
    assert (found.accepted, found.rejected) == ((), ())


def test_an_unsupported_constraint_comes_before_all_others():
    spread = (TopologySpread(topology_key="zone"),)
    assert told(spread=spread, must=("host In n1",))[0] == "unsupported"
