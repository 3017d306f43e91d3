"""Acceptance: what makes nodes of a class drift. The numbers are those of Karpenter's AWS cases."""

import pytest

from policyscaler_aws.provider import provider
from tests.unit.aws.classes import a_class

PLAIN_VOLUME = {"volumeSize": "20Gi"}


def drift_hash(**fields):
    node_class = a_class(**fields)
    assert provider.drift_hash(node_class) == node_class.hash
    return node_class.hash


def disks(**ebs):
    return {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {**PLAIN_VOLUME, **ebs}}]}


def case(number, sentence, before=None, **after):
    return pytest.param(before or {}, after, id=f"AWS-{number} {sentence}")


CHANGES = [
    case("55", "user data", userData="#!/bin/bash"),
    case("55", "tags", tags={"team": "platform"}),
    case("55", "context", context="x"),
    case("55", "monitoring", detailedMonitoring=True),
    case("55", "instance store policy", instanceStorePolicy="RAID0"),
    case("55", "public address", associatePublicIPAddress=False),
    case("55", "metadata endpoint", metadataOptions={"httpEndpoint": "disabled"}),
    case("55", "metadata IPv6", metadataOptions={"httpProtocolIPv6": "enabled"}),
    case("55", "metadata hop limit", metadataOptions={"httpPutResponseHopLimit": 2}),
    case("55", "metadata tokens", metadataOptions={"httpTokens": "optional"}),
    case("55", "connection tracking", connectionTracking={"udpTimeout": 30}),
    case("55", "CPU options", cpuOptions={"nestedVirtualization": "enabled"}),
    case("55", "kubelet", kubelet={"maxPods": 0}),
    case("55", "role", role="another"),
    case("55", "profile instead of role", role=None, instanceProfile="nodes"),
    case("55", "placement group", placementGroupSelector={"name": "near"}),
    case("55", "image family", amiSelectorTerms=[{"alias": "al2@latest"}]),
    *(
        case("55", f"volume {field}", disks(), **disks(**{field: value}))
        for field, value in (
            ("deleteOnTermination", True), ("encrypted", True), ("iops", 3000),
            ("kmsKeyID", "k"), ("snapshotID", "snap-0a"), ("throughput", 125),
            ("volumeSize", "21Gi"), ("volumeType", "gp3"),
        )
    ),
    case("54", "kubelets that are permutations of each other",
         {"kubelet": {"maxPods": 12, "podsPerCore": 21}}, kubelet={"maxPods": 21, "podsPerCore": 12}),
]  # fmt: skip

SAME = [
    case("56", "subnets", subnetSelectorTerms=[{"id": "subnet-0a"}]),
    case("56", "groups", securityGroupSelectorTerms=[{"id": "sg-0a"}]),
    case("56", "images of the family", amiSelectorTerms=[{"alias": "al2023@v20240625"}]),
    case("56", "reservations", capacityReservationSelectorTerms=[{"id": "cr-0a"}]),
    case("58", "tags in another order", {"tags": {"a": "1", "b": "2"}}, tags={"b": "2", "a": "1"}),
    case("58", "disks in another order",
         {"blockDeviceMappings": [{"deviceName": "a", "ebs": PLAIN_VOLUME}, {"deviceName": "b", "ebs": PLAIN_VOLUME}]},
         blockDeviceMappings=[{"deviceName": "b", "ebs": PLAIN_VOLUME}, {"deviceName": "a", "ebs": PLAIN_VOLUME}]),
    case("59", "nothing"),
    case("59", "the family of the alias spelt out", amiFamily="AL2023"),
    case("59", "address prefixes", ipPrefixCount=10),
    case("59", "monitoring off", detailedMonitoring=False),
    case("59", "an empty list of disks", blockDeviceMappings=[]),
    case("59", "defaults spelt out", metadataOptions={"httpPutResponseHopLimit": 1, "httpTokens": "required"}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_nodes_drift_after_a_change_of(before, after):
    assert drift_hash(**before) != drift_hash(**after)


@pytest.mark.parametrize(("before", "after"), SAME)
def test_nodes_do_not_drift_after_a_change_of(before, after):
    assert drift_hash(**before) == drift_hash(**after)


def test_the_hash_of_a_class_is_the_same_in_every_release():
    # A change here makes every node of every user drift: it needs a new version of the hash.
    assert drift_hash(tags={"team": "platform"}, **disks(encrypted=True)) == "d2cb3479c2563b1a"
