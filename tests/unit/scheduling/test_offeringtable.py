"""Catalogues in columns, against the rows themselves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from policyscaler.model.labels import CAPACITY_TYPE, ZONE
from policyscaler.model.offerings import Catalogue, Offering, instance_type
from policyscaler.model.requirements import from_manifest
from policyscaler.scheduling.offeringtable import OfferingTable
from policyscaler.testing.builders import a_catalogue, a_type, needs


def with_own_labels():
    """A type whose rack is known by offering, and in one zone not at all."""
    offerings = [
        Offering(zone=zone, capacity_type="on-demand", price_micros_per_hour=1, labels=labels)
        for zone, labels in (("z1", {"rack": "r1"}), ("z2", {}))
    ]
    return instance_type(
        "own", labels={"os": ("linux", "windows"), "rack": ("r9",)}, capacity={"cpu": 1000},
        overhead={}, offerings=tuple(offerings),
    )  # fmt: skip


TABLE = OfferingTable(
    a_catalogue(
        [
            a_type("a", "2", spot="0.01", zones=("z1", "z2"), labels={"size": "2"}),
            a_type("b", "8", zones=("z2",), labels={"size": "8", "gpu": "x"}),
            with_own_labels(),
            instance_type("none", labels={}, capacity={}, overhead={}, offerings=()),
        ]
    )
)
TEXTS = ["zone In z1", "zone NotIn z1", "ct In spot", "size Gt 2", "size Exists", "size DoesNotExist",
         "gpu Exists", "gpu NotIn x", "rack In r1", "rack In r9", "rack DoesNotExist", "os In windows",
         "os NotIn linux", "os NotIn linux windows", "nobody In x"]  # fmt: skip


def values(row, key):
    own = {
        ZONE: row.offering.zone,
        CAPACITY_TYPE: row.offering.capacity_type,
        **row.offering.labels,
    }
    return (own[key],) if key in own else row.type.labels.get(key, ())


def expected(wanted, row):
    if wanted.key not in TABLE.keys:
        return True
    options = values(row, wanted.key)
    return any(map(wanted.allows, options)) if options else wanted.excludes_nothing_positive


@given(st.lists(st.sampled_from(TEXTS), max_size=3))
def test_masks_say_what_rows_say(texts):
    wanted = [from_manifest(needs(text, min_values=3)) for text in texts]
    mask = TABLE.mask_all({str(i): w for i, w in enumerate(wanted) if w.key == str(i)})
    assert mask.all()
    for one in wanted:
        assert TABLE.mask(one).tolist() == [expected(one, row) for row in TABLE.rows]


def test_several_requirements_hold_together():
    both = {w.key: w for w in map(from_manifest, (needs("zone In z2"), needs("size Gt 2")))}
    assert [
        row.name for row, kept in zip(TABLE.rows, TABLE.mask_all(both), strict=True) if kept
    ] == ["b/z2/on-demand"]


def test_types_without_offerings_are_no_rows():
    assert [kind.name for kind in TABLE.types] == ["a", "b", "own"]
    assert TABLE.first_row.tolist() == [0, 4, 5]
    assert len(TABLE) == 7


def test_columns_are_per_type_and_zero_where_a_resource_is_missing():
    assert TABLE.allocatable("cpu").tolist() == [2000, 8000, 1000]
    assert TABLE.capacity("pods").tolist() == [110, 110, 0]


def test_types_and_values_of_rows():
    rows = TABLE.mask(from_manifest(needs("zone In z1")))
    assert TABLE.types_of(rows).tolist() == [True, False, True]
    assert TABLE.values_of("size", rows) == {"2"}
    assert TABLE.values_of("zone", rows) == set()
    assert TABLE.values_of(ZONE, rows) == {"z1"}
    assert TABLE.values_of("rack", np.ones(7, dtype=bool)) == {"r1", "r9"}


def test_an_empty_catalogue_has_no_rows():
    table = OfferingTable(Catalogue(name="empty"))
    assert table.types_of(np.zeros(0, dtype=bool)).tolist() == []
    assert table.mask(from_manifest(needs("zone In z1"))).tolist() == []
