"""The machines that Karpenter's own tests use, with its labels, overhead and prices.

Source: the fake provider of Karpenter v1.14: a price of 0.1 for each CPU and each 10^9 bytes, and
1.0 for each kind of accelerator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from policyscaler.model import labels as well
from policyscaler.model.offerings import InstanceType, Offering, instance_type
from policyscaler.testing.builders import amounts

VENDOR_A: Final = "fake.com/vendor-a"
VENDOR_B: Final = "fake.com/vendor-b"
_OFFERED: Final = (
    ("test-zone-1", well.ON_DEMAND),
    ("test-zone-1", well.SPOT),
    ("test-zone-2", well.ON_DEMAND),
    ("test-zone-2", well.SPOT),
    ("test-zone-3", well.ON_DEMAND),
)
_NOTHING: Final[Mapping[str, str]] = {}


def fake_type(
    name: str,
    cpu: str = "4",
    *,
    memory: str = "4Gi",
    pods: str = "5",
    arch: str = "amd64",
    more: Mapping[str, str] = _NOTHING,
) -> InstanceType:
    """Returns one type of the fixture's making; `more` are further resources."""
    capacity = amounts({"cpu": cpu, "memory": memory, "pods": pods, **more})
    large = capacity["cpu"] > 4000 and capacity["memory"] > 8 * 2**30
    systems = ("linux", "windows", "darwin") + (("ios",) if arch == "arm64" else ())
    accelerators = sum(name in (VENDOR_A, VENDOR_B) for name in more)
    micros = capacity["cpu"] * 100 + capacity["memory"] // 10_000 + accelerators * 1_000_000
    return instance_type(
        name,
        labels={
            well.INSTANCE_TYPE: (name,),
            well.ARCH: (arch,),
            well.OS: systems,
            "size": ("large" if large else "small",),
            "special": ("optional",) if large else (),
            "integer": (str(capacity["cpu"] // 1000),),
        },
        capacity=capacity,
        overhead=amounts({"cpu": "100m", "memory": "10Mi"}),
        offerings=tuple(
            Offering(zone=zone, capacity_type=kind, price_micros_per_hour=micros)
            for zone, kind in _OFFERED
        ),
    )


def fixture_f() -> list[InstanceType]:
    """Returns the standard fixture."""
    return [
        fake_type("default-instance-type"),
        fake_type("small-instance-type", "2", memory="2Gi"),
        fake_type("gpu-vendor-instance-type", more={VENDOR_A: "2"}),
        fake_type("gpu-vendor-b-instance-type", more={VENDOR_B: "2"}),
        fake_type("arm-instance-type", "16", memory="128Gi", arch="arm64"),
        fake_type("single-pod-instance-type", pods="1"),
    ]
