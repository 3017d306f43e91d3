"""JSON Schema of every kind: manifests from their tables, documents from their Structs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from policyscaler.cli.documents.explanation import (
    NodeExplanationDocument,
    OfferingExplanationDocument,
    PodExplanationDocument,
)
from policyscaler.cli.documents.offerings import OfferingListDocument
from policyscaler.cli.documents.plan import PlanDocument
from policyscaler.cli.documents.validation import ValidationDocument
from policyscaler.cli.documents.values import API_VERSION
from policyscaler.manifests.decoding import kinds_by_name, surroundings_of
from policyscaler.manifests.schemas import json_schema
from policyscaler.operator.wiring import kinds
from policyscaler.simulation.report import Report

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
DOCUMENTS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "Plan": PlanDocument,
    "PodExplanation": PodExplanationDocument,
    "OfferingExplanation": OfferingExplanationDocument,
    "NodeExplanation": NodeExplanationDocument,
    "OfferingList": OfferingListDocument,
    "ValidationReport": ValidationDocument,
    "SimulationReport": Report,
}
"""What commands print with --format json, by kind."""


def schema_of(kind: str, api_version: str = "") -> dict[str, object]:
    """Returns the JSON Schema (2020-12) of a kind of manifest or document.

    Raises:
        ConfigError: there is no such kind.
    """
    document = DOCUMENTS.get(kind)
    if document is not None and api_version in ("", API_VERSION):
        return document_schema(kind, document)
    return json_schema(kind, api_version=api_version, kinds=kinds())


def document_schema(kind: str, document: type[msgspec.Struct]) -> dict[str, object]:
    """Returns the schema of a document that a command prints."""
    (reference,), parts = msgspec.json.schema_components([document], ref_template="#/$defs/{name}")
    return {"$schema": _DIALECT, "title": f"{kind} {API_VERSION}", **reference, "$defs": parts}


def known_kinds() -> list[tuple[str, str, str]]:
    """Returns (kind, apiVersion, what it is) of everything that has a schema, sorted."""
    manifests = kinds_by_name(kinds(), surroundings_of(kinds()))
    rows = [
        (kind.kind, kind.api_version, "old version" if kind.convert else "manifest")
        for kind in manifests.values()
    ]
    rows += [(kind, API_VERSION, "output") for kind in DOCUMENTS]
    return sorted(rows)
