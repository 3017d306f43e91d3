"""v1beta1 read as v1: what changes, what is added and what is said about it."""

from pathlib import Path

import pytest

from policyscaler.manifests.loading import load
from policyscaler_aws.provider import provider
from tests.unit.aws.classes import load_old_class, place_of, spec_of

EXAMPLES = Path(__file__).parents[3] / "examples"
IMAGES = [{"id": "ami-0123456789abcdef0"}]
VERSION = "apiVersion karpenter.k8s.aws/v1beta1 → apiVersion: karpenter.k8s.aws/v1"
HOP_LIMIT = (
    "added spec.metadataOptions.httpPutResponseHopLimit: 2 "
    "(the default of v1beta1; that of v1 is 1)"
)


def converted(**fields):
    loaded = load_old_class(**fields)
    assert not loaded.errors, [str(finding) for finding in loaded.errors]
    return spec_of(loaded.node_classes[0]), [
        str(change) for change in loaded.translations[0].changes
    ]


@pytest.mark.parametrize(
    ("family", "alias"),
    [
        ("AL2", "al2@latest"),
        ("AL2023", "al2023@latest"),
        ("Bottlerocket", "bottlerocket@latest"),
        ("Windows2019", "windows2019@latest"),
        ("Windows2022", "windows2022@latest"),
    ],
)
def test_a_family_without_terms_becomes_its_alias_and_every_change_is_told(family, alias):
    spec, changes = converted(amiFamily=family)
    assert (spec.alias, spec.ami_family, spec.family.name) == (alias, "", family)
    assert changes == [
        VERSION,
        (
            f"spec.amiFamily {family} → spec.amiSelectorTerms[0].alias: {alias} "
            "(v1 names default images by an alias)"
        ),
        HOP_LIMIT,
    ]


def test_a_family_with_terms_is_kept():
    spec, changes = converted(amiFamily="Custom", amiSelectorTerms=IMAGES)
    assert spec.ami_family == "Custom"
    assert changes == [VERSION, HOP_LIMIT]


def test_a_hop_limit_that_was_written_stays_and_nothing_is_added():
    options = {"httpPutResponseHopLimit": 1, "httpTokens": "optional"}
    spec, changes = converted(amiFamily="AL2", metadataOptions=options)
    assert spec.metadata_options.http_put_response_hop_limit == 1
    assert HOP_LIMIT not in changes


def test_a_hop_limit_is_added_beside_other_metadata_options():
    spec, _ = converted(amiFamily="AL2", metadataOptions={"httpTokens": "optional"})
    options = spec.metadata_options
    assert (options.http_put_response_hop_limit, options.http_tokens) == (2, "optional")


def test_ubuntu_with_images_becomes_al2_with_the_root_disk_that_it_had():
    loaded = load_old_class(amiFamily="Ubuntu", amiSelectorTerms=IMAGES)
    node_class = loaded.node_classes[0]
    assert spec_of(node_class).family.name == "AL2"
    assert spec_of(node_class).block_device_mappings[0].volume_size == "20Gi"
    assert node_class.meta.annotations == {
        "compatibility.karpenter.k8s.aws/v1beta1-ubuntu": "amiFamily,blockDeviceMappings"
    }
    assert [finding.severity for finding in loaded.findings] == ["warning"]


def test_ubuntu_with_its_own_disks_keeps_them():
    disks = [{"deviceName": "/dev/sda1", "ebs": {"volumeSize": "50Gi"}}]
    loaded = load_old_class(amiFamily="Ubuntu", amiSelectorTerms=IMAGES, blockDeviceMappings=disks)
    assert len(spec_of(loaded.node_classes[0]).block_device_mappings) == 1
    assert set(loaded.node_classes[0].meta.annotations.values()) == {"amiFamily"}


@pytest.mark.parametrize("family", ["Ubuntu", "Custom"])
def test_a_family_that_v1_has_no_images_of_needs_terms(family):
    loaded = load_old_class(amiFamily=family)
    assert [finding.path for finding in loaded.errors] == ["spec.amiFamily"]
    assert "select images with amiSelectorTerms" in str(loaded.errors[0])


def test_a_fault_keeps_its_place_through_the_translation(tmp_path):
    manifest = (EXAMPLES / "01-inflate" / "ec2nodeclass.yaml").read_text(encoding="utf-8")
    broken = tmp_path / "class.yaml"
    broken.write_text(manifest.replace("role: ", "instanceStorePolicy: RAID1\n  role: "), "utf-8")
    (error,) = load([broken], kinds=provider.kinds).errors
    assert place_of(error) == (8, 24)
    both = tmp_path / "both.yaml"
    both.write_text(manifest.replace("role: ", "instanceProfile: x\n  role: "), "utf-8")
    (error,) = load([both], kinds=provider.kinds).errors
    assert (place_of(error)[0], error.path) == (7, "spec")


def test_fields_of_v1_are_unknown_to_v1beta1():
    loaded = load_old_class(amiFamily="AL2", ipPrefixCount=1)
    assert [finding.path for finding in loaded.errors] == ["spec.ipPrefixCount"]


@pytest.mark.parametrize(
    ("example", "alias", "storage_gib", "changes"),
    [("01-inflate", "al2023@latest", 20, 3), ("02-rolling-fleet", "al2@latest", 70, 2)],
)
def test_the_classes_of_the_examples_load(example, alias, storage_gib, changes):
    loaded = load([EXAMPLES / example / "ec2nodeclass.yaml"], kinds=provider.kinds)
    assert not loaded.findings
    (node_class,) = loaded.node_classes
    assert spec_of(node_class).alias == alias
    assert spec_of(node_class).metadata_options.http_put_response_hop_limit == 2
    assert len(loaded.translations[0].changes) == changes
    m5 = next(t for t in provider.catalogue(node_class).types if t.name == "m5.large")
    assert m5.capacity["ephemeral-storage"] == storage_gib * 2**30
