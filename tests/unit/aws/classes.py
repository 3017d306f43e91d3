"""EC2NodeClasses as tests write them: a sound one, and whatever a test changes about it."""

import json
from collections.abc import Mapping

from policyscaler.manifests.findings import Finding
from policyscaler.manifests.loading import Loaded, load_text
from policyscaler.model.offerings import Catalogue, InstanceType
from policyscaler.model.pools import NodeClass
from policyscaler_aws.capacity import Size, size_of
from policyscaler_aws.catalogue import build_catalogue
from policyscaler_aws.facts import TypeFacts, load_facts
from policyscaler_aws.provider import provider
from policyscaler_aws.settings import AwsSettings
from policyscaler_aws.sizing import sizing_of
from policyscaler_aws.spec import EC2NodeClassSpec

SOUND: dict[str, object] = {
    "amiSelectorTerms": [{"alias": "al2023@latest"}],
    "role": "KarpenterNodeRole-demo",
    "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
    "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
}


def load_class(**fields: object) -> Loaded:
    """Returns what loading a class gives; None takes a field away from the sound class."""
    return _load(fields=fields)


def load_old_class(**fields: object) -> Loaded:
    """Returns what loading a class of v1beta1 gives; it selects no images unless told to."""
    return _load(version="v1beta1", fields={"amiSelectorTerms": None, **fields})


def _load(*, version: str = "v1", status: object = None, fields: Mapping[str, object]) -> Loaded:
    spec = {key: value for key, value in {**SOUND, **fields}.items() if value is not None}
    manifest: dict[str, object] = {
        "apiVersion": f"karpenter.k8s.aws/{version}",
        "kind": "EC2NodeClass",
        "metadata": {"name": "default"},
        "spec": spec,
    }
    if status is not None:
        manifest["status"] = status
    return load_text(json.dumps(manifest, indent=1), name="class.json", kinds=provider.kinds)


def a_class(status: object = None, **fields: object) -> NodeClass:
    """Returns a class that loads without a word."""
    loaded = _load(status=status, fields=fields)
    assert not loaded.findings, [str(finding) for finding in loaded.findings]
    return loaded.node_classes[0]


def spec_of(node_class: NodeClass) -> EC2NodeClassSpec:
    """Returns a class's spec as what it is."""
    assert isinstance(node_class.spec, EC2NodeClassSpec)
    return node_class.spec


def place_of(finding: Finding) -> tuple[int, int]:
    """Returns the line and column of a finding."""
    assert finding.position is not None
    return finding.position.line, finding.position.column


def a_spec(status: object = None, **fields: object) -> EC2NodeClassSpec:
    """Returns the spec of a class that loads without a word."""
    return spec_of(a_class(status, **fields))


def a_family(family: str, **fields: object) -> EC2NodeClassSpec:
    """Returns the spec of a class of an image family, with images by ID."""
    return a_spec(amiFamily=family, amiSelectorTerms=[{"id": "ami-0123456789abcdef0"}], **fields)


def facts_of(name: str) -> TypeFacts:
    """Returns what is known about an instance type."""
    return next(facts for facts in load_facts().types if facts.name == name)


def size(
    name: str, spec: EC2NodeClassSpec | None = None, settings: AwsSettings | None = None
) -> Size:
    """Returns capacity, overhead and allocatable of a type under a class, AL2023 by default."""
    sizing = sizing_of(a_spec() if spec is None else spec, settings or AwsSettings())
    return size_of(facts_of(name), sizing)


def a_catalogue(
    spec: EC2NodeClassSpec | None = None, settings: AwsSettings | None = None
) -> Catalogue:
    """Returns the catalogue of a class, AL2023 by default."""
    return build_catalogue(a_spec() if spec is None else spec, settings or AwsSettings())


def types_of(catalogue: Catalogue) -> Mapping[str, InstanceType]:
    """Returns the instance types of a catalogue by name."""
    return {found.name: found for found in catalogue.types}
