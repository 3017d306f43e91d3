"""What the engine does with the provider's notices: leave the machine before it is taken.

The claim is deleted at once: its node takes no more pods and is drained, and its pods count as
pending for the provisioning loop, which launches their new node meanwhile.
"""

from __future__ import annotations

from policyscaler.simulation.lifecycle import Lifecycle
from policyscaler.simulation.provider import Instance, SimulatedProvider
from policyscaler.simulation.snapshots import CapacityMemory
from policyscaler.simulation.world import World


class Interruption:
    """Listens to notices."""

    def __init__(
        self, world: World, *, provider: SimulatedProvider, lifecycle: Lifecycle,
        memory: CapacityMemory,
    ) -> None:  # fmt: skip
        self._world = world
        self._lifecycle = lifecycle
        self._memory = memory
        self.count = 0
        provider.on_notice.append(self._noticed)

    def _noticed(self, instance: Instance) -> None:
        self.count += 1
        # An offering that is being reclaimed is the last one to ask for a replacement.
        self._memory.remember((instance.triple,), self._world.now)
        claim = self._lifecycle.claim_of_machine(instance.provider_id)
        name = claim.meta.name if claim is not None else instance.claim
        instance_type, zone, capacity_type = instance.triple
        self._world.note(
            "interruption", f"nodeclaim/{name}",
            f"{instance_type} in {zone}, {capacity_type}, will be taken: draining and replacing it",
            instanceType=instance_type, zone=zone, capacityType=capacity_type,
        )  # fmt: skip
        self._lifecycle.delete(name)
