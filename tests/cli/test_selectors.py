"""-l: label requirements as kubectl writes them, with comparisons beside."""

import pytest

from policyscaler.cli.selectors import matches, parse_selector
from policyscaler.model.errors import ConfigError
from policyscaler.model.labels import ARCH, CAPACITY_TYPE, ZONE
from policyscaler.model.offerings import Offering, OfferingRow, instance_type

KNOWN = {
    ARCH,
    ZONE,
    CAPACITY_TYPE,
    "example.com/instance-cpu",
    "example.com/gpu",
    "a.example.com/disk",
    "b.example.com/disk",
}
OFFERING = Offering(zone="z1", capacity_type="spot", price_micros_per_hour=1)
ROW = OfferingRow(
    instance_type(
        "m", labels={ARCH: ("amd64",), "example.com/instance-cpu": ("8",), ZONE: ("z1", "z2"), "example.com/gpu": ("",)},
        capacity={}, overhead={}, offerings=(OFFERING,),
    ),
    OFFERING,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("kubernetes.io/arch=amd64", True, id="equals"),
        pytest.param("arch==amd64", True, id="double equals, prefix left out"),
        pytest.param("arch!=amd64", False, id="differs"),
        pytest.param("arch in (arm64, amd64)", True, id="one of several"),
        pytest.param("arch notin (arm64,amd64)", False, id="none of several"),
        pytest.param("arch", True, id="has the label"),
        pytest.param("!arch", False, id="has not the label"),
        pytest.param("gpu", False, id="a label without a value is none"),
        pytest.param("!gpu", True, id="nor does it hinder its absence"),
        pytest.param("gpu!=t4", True, id="a missing label differs"),
        pytest.param("instance-cpu>7", True, id="greater"),
        pytest.param("cpu>8", False, id="not greater; instance- left out"),
        pytest.param("cpu>=8", True, id="at least"),
        pytest.param("cpu < 9, cpu >= 8", True, id="two terms, both hold"),
        pytest.param("cpu<=8,arch=arm64", False, id="two terms, one holds"),
        pytest.param("zone=z2", False, id="the offering's own zone, not its type's others"),
        pytest.param("capacity-type=spot", True, id="the offering's capacity type"),
        pytest.param("failure-domain.beta.kubernetes.io/zone=z1", True, id="a deprecated alias"),
    ],
)
def test_a_selector_picks_offerings(text, expected):
    assert all(matches(term, ROW) for term in parse_selector(text, KNOWN)) is expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("arhc=amd64", 'did you mean "arch"?', id="a typo"),
        pytest.param(
            "disk=ssd", "a.example.com/disk or b.example.com/disk", id="two labels end so"
        ),
        pytest.param("cpu>many", "no integer", id="a comparison with text"),
        pytest.param("arch in ()", "lists no value", id="an empty list"),
        pytest.param("arch=a b", "is no requirement", id="something after the value"),
        pytest.param("=a", "is no requirement", id="no key"),
        pytest.param("arch in (a", "is no requirement", id="an open bracket"),
        pytest.param("arch,,zone", "is no requirement", id="an empty term"),
    ],
)
def test_a_selector_that_cannot_be_used_says_why(text, says):
    with pytest.raises(ConfigError, match=says.replace("?", r"\?")):
        parse_selector(text, KNOWN)
