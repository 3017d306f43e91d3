"""Acceptance: the kubelet's configuration. The numbers are those of Karpenter's AWS cases.

Karpenter stores what it will not launch with and says so in a condition; here it does not load.
"""

import msgspec
import pytest

from tests.unit.aws.classes import load_class, spec_of

IMAGES = [{"id": "ami-0123456789abcdef0"}]
TAINT = {"key": "a", "effect": "NoSchedule"}


def case(number, sentence, *paths, **kubelet):
    return pytest.param(kubelet, list(paths), id=f"AWS-{number} {sentence}")


def on(family, **kubelet):
    return load_class(amiFamily=family, amiSelectorTerms=IMAGES, kubelet=kubelet)


@pytest.mark.parametrize(
    ("kubelet", "paths"),
    [
        case("32", "high equal to low", "imageGCHighThresholdPercent",
             imageGCHighThresholdPercent=50, imageGCLowThresholdPercent=50),
        case("32", "high below low", "imageGCHighThresholdPercent",
             imageGCHighThresholdPercent=40, imageGCLowThresholdPercent=50),
        case("32", "over a hundred", "imageGCHighThresholdPercent", imageGCHighThresholdPercent=101),
        case("32", "below zero", "imageGCLowThresholdPercent", imageGCLowThresholdPercent=-1),
        case("33", "soft eviction without grace", "evictionSoft[memory.available]",
             evictionSoft={"memory.available": "5%"}),
        case("33", "grace without soft eviction", "evictionSoftGracePeriod[nodefs.available]",
             evictionSoftGracePeriod={"nodefs.available": "1m"}),
        case("34", "a grace period that is none", "evictionSoftGracePeriod[pid.available]",
             evictionSoft={"pid.available": "5%"}, evictionSoftGracePeriod={"pid.available": "soon"}),
        case("34", "a negative grace period", "evictionSoftGracePeriod[pid.available]",
             evictionSoft={"pid.available": "5%"}, evictionSoftGracePeriod={"pid.available": "-1m"}),
        case("35", "taints", "registerWithTaints", registerWithTaints=[TAINT]),
        case("36", "several faults together", "evictionHard.memory", "kubeReserved.cpu",
             "registerWithTaints", evictionHard={"memory": "5%"}, kubeReserved={"cpu": "-1"},
             registerWithTaints=[TAINT]),
        case("37", "an unknown nested field", "authentication.webhook.enable",
             authentication={"webhook": {"enable": True}}),
        case("37", "an unknown field", "maxPod", maxPod=10),
        case("37", "a wrong type", "cpuCFSQuota", cpuCFSQuota="yes"),
        case("41", "an expression for pods", "maxPods", maxPods="max_pods - 2"),
        case("41", "an expression for what is reserved", "kubeReserved.cpu",
             kubeReserved={"cpu": "vcpus * 10"}),
        case("36", "an unknown reserved resource", "systemReserved.disk",
             systemReserved={"disk": "1Gi"}),
        case("36", "a threshold over a hundred percent", "evictionHard[memory.available]",
             evictionHard={"memory.available": "101%"}),
        case("36", "a percentage that is none", "evictionHard[memory.available]",
             evictionHard={"memory.available": "some%"}),
        case("36", "a negative threshold", "evictionHard[memory.available]",
             evictionHard={"memory.available": "-1Mi"}),
        case("36", "a negative count", "podsPerCore", podsPerCore=-1),
    ],
)  # fmt: skip
def test_refused_with_the_field_named(kubelet, paths):
    found = [finding.path for finding in load_class(kubelet=kubelet).errors]
    assert sorted(found) == [f"spec.kubelet.{path}" for path in paths]


@pytest.mark.parametrize(
    ("family", "kubelet", "accepted"),
    [
        *(
            pytest.param(f, {"registryPullQPS": 5}, ok, id=f"AWS-38 a passed-through field on {f}")
            for f, ok in (
                ("AL2", False), ("Bottlerocket", False), ("Windows2022", False),
                ("AL2023", True), ("Custom", True),
            )
        ),
        pytest.param("Bottlerocket", {"podsPerCore": 2}, False, id="AWS-39 podsPerCore, Bottlerocket"),
        pytest.param("AL2023", {"podsPerCore": 2}, True, id="AWS-39 podsPerCore, AL2023"),
        *(
            pytest.param(f, {"clusterDNS": ["192.0.2.1", "192.0.2.2"]}, ok, id=f"AWS-40 two addresses on {f}")
            for f, ok in (
                ("AL2", False), ("Bottlerocket", False), ("Windows2022", False), ("AL2023", True),
            )
        ),
        pytest.param("AL2", {"maxPods": 20, "evictionHard": {"memory.available": "5%"}}, True,
                     id="AWS-41 static values"),
    ],
)  # fmt: skip
def test_a_family_takes_what_it_can_deliver(family, kubelet, accepted):
    assert bool(on(family, **kubelet).errors) is not accepted


def test_aws_29_known_fields_are_kept_unaltered_at_any_depth():
    kubelet = {
        "authentication": {"x509": {"clientCAFile": "/etc/ca.pem"}},
        "featureGates": {"SomeGate": False},
        "shutdownGracePeriod": "0s",
        "maxPods": 0,
    }
    (node_class,) = load_class(kubelet=kubelet).node_classes
    assert msgspec.to_builtins(spec_of(node_class).kubelet) == kubelet


def test_aws_33_the_signal_is_named():
    (error,) = load_class(kubelet={"evictionSoft": {"memory.available": "5%"}}).errors
    assert "memory.available is in evictionSoft and not in evictionSoftGracePeriod" in str(error)
