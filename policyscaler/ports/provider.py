"""What a provider offers: the kinds of its NodeClasses and what each can launch.

A provider is found through the entry point group `policyscaler.providers`; the product names
none. The launching half of the port comes with the controller.
"""

from __future__ import annotations

from typing import Protocol

from policyscaler.model.offerings import Catalogue
from policyscaler.model.pools import NodeClass


class Provider(Protocol):
    """A source of machines.

    Attributes:
        name: short and unique, such as `aws`.
        group: the API group of its NodeClasses.
        kind: their kind.
    """

    name: str
    group: str
    kind: str

    def catalogue(self, node_class: NodeClass) -> Catalogue:
        """Returns what this NodeClass can launch, without a network.

        Raises:
            ConfigError: the class says something that no catalogue can be made of.
        """
        ...

    def drift_hash(self, node_class: NodeClass) -> str:
        """Returns the digest of the fields whose change makes nodes drift."""
        ...
