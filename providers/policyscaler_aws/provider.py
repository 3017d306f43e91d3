"""The provider as the product finds it: through the entry point `aws`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

import msgspec

from policyscaler.manifests.kinds import ProviderPlugin
from policyscaler.model.errors import ConfigError
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.offerings import Catalogue
from policyscaler.model.pools import NodeClass
from policyscaler_aws.catalogue import build_catalogue
from policyscaler_aws.drift import drift_hash
from policyscaler_aws.kinds import KIND, KINDS
from policyscaler_aws.labels import GROUP, WELL_KNOWN
from policyscaler_aws.settings import AwsSettings, settings_from
from policyscaler_aws.spec import EC2NodeClassSpec, ImageTerm

_REMEMBERED: Final = 32  # catalogues, of about a megabyte each


class AwsProvider:
    """Amazon EC2, offline.

    Args:
        settings: None reads the environment when a catalogue is first asked for.
        environment: what is read then; None stands for the process's own.
    """

    name = "aws"
    group = GROUP
    kind = KIND
    kinds = KINDS
    well_known_labels = WELL_KNOWN
    restricted_domains = frozenset({GROUP})

    def __init__(
        self, settings: AwsSettings | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._settings = settings
        self._environment = os.environ if environment is None else environment
        self._catalogues: dict[tuple[bytes, AwsSettings], Catalogue] = {}

    def catalogue(self, node_class: NodeClass) -> Catalogue:
        """Returns all instance types as nodes of this class would be; the same object if asked again.

        Raises:
            ConfigError: the class or the settings say something that no catalogue can be made of.
        """
        spec = _spec_of(node_class)
        settings = self._settings or settings_from(self._environment)
        key = (msgspec.json.encode(spec, order="deterministic"), settings)
        if key not in self._catalogues:
            if len(self._catalogues) == _REMEMBERED:
                self._catalogues.clear()
            self._catalogues[key] = build_catalogue(spec, settings)
        return self._catalogues[key]

    def default_node_class(self) -> NodeClass:
        """Returns a class with default images and no subnets, for looking at the catalogue."""
        ref = NodeClassRef(group=GROUP, kind=KIND, name="default")
        spec = EC2NodeClassSpec(ami_selector_terms=(ImageTerm(alias="al2023@latest"),))
        return NodeClass(meta=ObjectMeta(name="default"), ref=ref, spec=spec)

    def drift_hash(self, node_class: NodeClass) -> str:
        """Returns the digest of the fields whose change makes nodes drift."""
        return drift_hash(_spec_of(node_class))


def _spec_of(node_class: NodeClass) -> EC2NodeClassSpec:
    if isinstance(node_class.spec, EC2NodeClassSpec):
        return node_class.spec
    raise ConfigError(
        f"{node_class.ref} was not read as an EC2NodeClass of {GROUP}/v1; "
        "give its manifest together with the pools that use it"
    )


provider: ProviderPlugin = AwsProvider()
