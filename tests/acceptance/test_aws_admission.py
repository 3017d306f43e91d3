"""Acceptance: which EC2NodeClasses are accepted. The numbers are those of Karpenter's AWS cases."""

import pytest

from policyscaler_aws.labels import GROUP
from policyscaler_aws.provider import provider
from tests.unit.aws.classes import a_spec, load_class, place_of

ID = {"id": "ami-0123456789abcdef0"}
TAGS = {"tags": {"team": "platform"}}
NODE = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
EFA = {"networkCardIndex": 0, "deviceIndex": 1, "interfaceType": "efa-only"}


def case(number, sentence, **fields):
    return pytest.param(fields, id=f"AWS-{number} {sentence}")


def images(*terms, family=None):
    return {"amiSelectorTerms": list(terms), "amiFamily": family}


def alias(name, family=None):
    return images({"alias": name}, family=family)


def volume(**ebs):
    return {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": ebs}]}


def subnets(*terms):
    return {"subnetSelectorTerms": list(terms)}


def groups(*terms):
    return {"securityGroupSelectorTerms": list(terms)}


def reservations(*terms):
    return {"capacityReservationSelectorTerms": list(terms)}


def tracking(**timeouts):
    return {"connectionTracking": timeouts}


def interfaces(*listed):
    return {"networkInterfaces": list(listed)}


ACCEPTED = [
    case("01", "a role alone"),
    case("01", "a profile alone", role=None, instanceProfile="nodes"),
    case("02", "a role may change, and give way to a profile", role="another"),
    case("04", "alias and its own family", **alias("al2023@latest", "AL2023")),
    case("04", "alias and Custom", **alias("al2023@latest", "Custom")),
    case("08", "Windows has only the latest", **alias("windows2022@latest")),
    case("09", "a Bottlerocket version", **alias("bottlerocket@1.10.0")),
    case("09", "an AL2 version", **alias("al2@v20240625")),
    case("12", "name and owner", **images({"name": "a-*", "owner": "self"}, family="AL2")),
    case("12", "tags and owner", **images({**TAGS, "owner": "self"}, family="AL2")),
    case("19", "reservation by tags, owner, criterion", **reservations(
        {**TAGS, "ownerID": "123456789012", "instanceMatchCriteria": "open"})),
    case("20", "no reservations", capacityReservationSelectorTerms=None),
    case("21", "karpenter.sh/custom-key as a tag", tags={"karpenter.sh/custom-key": "x"}),
    case("21", "Name as a tag", tags={"Name": "x"}),
    case("23", "one root volume", blockDeviceMappings=[
        {"rootVolume": True, "ebs": {"volumeSize": "20Gi"}}]),
    case("24", "58Ti", **volume(volumeSize="58Ti")),
    case("24", "64000G", **volume(volumeSize="64000G")),
    case("24", "18Ti, which Karpenter's pattern refuses by mistake", **volume(volumeSize="18Ti")),
    case("26", "an empty list of interfaces", **interfaces()),
    case("26", "the node's own and one for EFA", **interfaces(NODE, EFA)),
    case("27", "time-outs at their bounds", **tracking(
        tcpEstablishedTimeout=432000, udpStreamTimeout=180, udpTimeout=30)),
    case("28", "no CPU options", cpuOptions={}),
    case("83", "a placement group by name", placementGroupSelector={"name": "near"}),
    case("83", "a placement group by ID", placementGroupSelector={"id": "pg-0a"}),
]  # fmt: skip

REFUSED = [
    case("01", "neither role nor profile", role=None),
    case("01", "both role and profile", instanceProfile="nodes"),
    case("03", "Ubuntu", **images(ID, family="Ubuntu")),
    case("04", "alias and another family", **alias("al2023@latest", "AL2")),
    case("05", "neither alias nor family", **images(ID)),
    case("06", "al2023", **alias("al2023")),
    case("06", "al2023@", **alias("al2023@")),
    case("06", "@latest", **alias("@latest")),
    case("06", "al2023-latest", **alias("al2023-latest")),
    case("07", "an unknown alias family", **alias("ubuntu@latest")),
    case("07", "custom as an alias", **alias("custom@latest")),
    case("08", "a Windows version", **alias("windows2022@v1.0.0")),
    case("10", "alias and another term", **images({"alias": "al2@latest"}, ID)),
    case("10", "alias and ID", **images({"alias": "al2@latest", **ID})),
    case("10", "alias and tags", **images({"alias": "al2@latest", **TAGS})),
    case("10", "alias and name", **images({"alias": "al2@latest", "name": "x"})),
    case("10", "alias and owner", **images({"alias": "al2@latest", "owner": "self"})),
    case("11", "ID and tags", **images({**ID, **TAGS}, family="AL2")),
    case("11", "ID and name", **images({**ID, "name": "x"}, family="AL2")),
    case("11", "ID and owner", **images({**ID, "owner": "self"}, family="AL2")),
    case("13", "an empty image term", **images({}, family="AL2")),
    case("13", "an owner alone", **images({"owner": "self"}, family="AL2")),
    case("14", "an empty tag key of images", **images({"tags": {"": "x"}}, family="AL2")),
    case("14", "an empty tag value of subnets", **subnets({"tags": {"a": ""}})),
    case("14", "an empty tag key of groups", **groups({"tags": {"": "x"}})),
    case("14", "an empty tag value of reservations", **reservations({"tags": {"a": ""}})),
    case("15", "no subnets", subnetSelectorTerms=None),
    case("15", "an empty list of subnets", **subnets()),
    case("15", "no groups", securityGroupSelectorTerms=None),
    case("15", "an empty list of groups", **groups()),
    case("16", "the last of three subnet terms empty", **subnets(TAGS, TAGS, {})),
    case("16", "the last of three group terms empty", **groups(TAGS, TAGS, {})),
    case("17", "one subnet term with ID and tags", **subnets({"id": "subnet-0a", **TAGS})),
    case("17", "one group term with ID and tags", **groups({"id": "sg-0a", **TAGS})),
    case("17", "one group term with name and tags", **groups({"name": "x", **TAGS})),
    case("17", "one reservation term with ID and tags", **reservations({"id": "cr-0a", **TAGS})),
    case("18", "a reservation ID of another form", **reservations({"id": "0a"})),
    case("18", "an owner that is no account", **reservations({**TAGS, "ownerID": "12"})),
    case("18", "an owner alone", **reservations({"ownerID": "123456789012"})),
    case("18", "an unknown criterion", **reservations({**TAGS, "instanceMatchCriteria": "any"})),
    *(
        case("21", f"the tag {key}", tags={key: "x"})
        for key in (
            "kubernetes.io/cluster/x", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim",
            "karpenter.k8s.aws/ec2nodeclass", "eks:eks-cluster-name",
        )
    ),
    case("22", "a hop limit of -5", metadataOptions={"httpPutResponseHopLimit": -5}),
    case("22", "a hop limit of 65", metadataOptions={"httpPutResponseHopLimit": 65}),
    case("22", "an unknown choice in metadata", metadataOptions={"httpTokens": "maybe"}),
    case("23", "two root volumes", blockDeviceMappings=[
        {"rootVolume": True, "ebs": {"volumeSize": "20Gi"}}] * 2),
    *(
        case("24", f"the size {size or 'nothing'}", **volume(volumeSize=size))
        for size in ("0Gi", "65T", "1", "ten", "T", "", "59001Gi")
    ),
    case("25", "a rate without a snapshot", **volume(
        volumeSize="20Gi", volumeInitializationRate=100)),
    case("25", "a rate of 99", **volume(snapshotID="snap-0a", volumeInitializationRate=99)),
    case("25", "a rate of 301", **volume(snapshotID="snap-0a", volumeInitializationRate=301)),
    case("26", "no interface of the node itself", **interfaces(EFA)),
    case("26", "EFA in its place", **interfaces({**NODE, "interfaceType": "efa-only"})),
    case("26", "one place taken twice", **interfaces(NODE, NODE)),
    case("26", "two for EFA on one card", **interfaces(NODE, EFA, {**EFA, "deviceIndex": 2})),
    case("26", "a negative index", **interfaces(NODE, {**EFA, "deviceIndex": -1})),
    case("26", "an unknown type", **interfaces(NODE, {**EFA, "interfaceType": "efa"})),
    case("27", "no time-out at all", **tracking()),
    *(
        case("27", f"{name} of {value}", **tracking(**{name: value}))
        for name, values in (
            ("tcpEstablishedTimeout", (59, 432001)),
            ("udpStreamTimeout", (59, 181)),
            ("udpTimeout", (29, 61)),
        )
        for value in values
    ),
    case("21", "a tag without a key", tags={"": "x"}),
    case("83", "a placement group by name and ID",
         placementGroupSelector={"name": "near", "id": "pg-0a"}),
    case("83", "a placement group by nothing", placementGroupSelector={}),
    case("28", "perhaps nested", cpuOptions={"nestedVirtualization": "maybe"}),
]  # fmt: skip


@pytest.mark.parametrize("fields", ACCEPTED)
def test_accepted(fields):
    assert not load_class(**fields).findings


@pytest.mark.parametrize("fields", REFUSED)
def test_refused(fields):
    assert load_class(**fields).errors


def test_aws_17a_an_illegal_term_beside_a_legal_one_is_accepted_with_a_warning():
    loaded = load_class(**subnets({"id": "subnet-0a", **TAGS}, TAGS))
    assert not loaded.errors
    assert [finding.path for finding in loaded.findings] == ["spec.subnetSelectorTerms[0]"]
    assert "id selects on its own, so tags beside it has no effect" in str(loaded.findings[0])


def test_aws_30_the_group_is_reserved_but_for_the_listed_keys():
    assert GROUP in provider.restricted_domains
    assert f"{GROUP}/instance-category" in provider.well_known_labels
    assert f"{GROUP}/instance-colour" not in provider.well_known_labels


def test_a_class_as_a_cluster_returns_it_loads_without_a_word():
    status = {
        "amis": [{"id": "ami-0a", "requirements": []}],
        "conditions": [{"type": "Ready", "status": "True"}],
        "subnets": [{"id": "subnet-0a", "zone": "us-west-2a", "zoneID": "usw2-az1"}],
    }
    spec = a_spec(status)
    assert [subnet.zone_id for subnet in spec.resolved_subnets] == ["usw2-az1"]


def test_an_unknown_field_is_refused_with_its_place_and_the_field_that_was_meant():
    (error,) = load_class(subnetSelectorTerm=[]).errors
    assert place_of(error) == (28, 3)
    assert error.suggestion == 'did you mean "subnetSelectorTerms"?'


def test_several_faults_are_reported_together():
    loaded = load_class(role=None, tags={"karpenter.sh/nodepool": "x"}, **volume(iops=3000))
    assert [finding.path for finding in loaded.errors] == [
        "spec", "spec.tags[karpenter.sh/nodepool]", "spec.blockDeviceMappings[0].ebs",
    ]  # fmt: skip
