"""JSON Schema of the kinds, made from the same tables that loading checks against."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from policyscaler.manifests.decoding import kinds_by_name, surroundings_of
from policyscaler.manifests.findings import did_you_mean
from policyscaler.manifests.kinds import Kind
from policyscaler.manifests.trees import Tree, map_at
from policyscaler.manifests.wire import Strict, Wire
from policyscaler.model.errors import ConfigError


def json_schema(
    kind: str, *, api_version: str = "", kinds: Sequence[Kind] = ()
) -> dict[str, object]:
    """Returns the JSON Schema (2020-12) of a kind.

    Args:
        kind: its name.
        api_version: which version; by default the served one, that is the one without conversion.
        kinds: what providers add.

    Raises:
        ConfigError: there is no such kind; the message suggests one.
    """
    known = [*kinds_by_name(kinds, surroundings_of(kinds)).values()]
    found = [k for k in known if k.kind == kind and api_version in ("", k.api_version)]
    if not found:
        hint = did_you_mean(kind, {k.kind for k in known})
        raise ConfigError(f'there is no kind "{kind[:60]}" {api_version}; {hint}'.rstrip("; "))
    chosen = min(found, key=lambda k: (k.convert is not None, k.api_version))
    (reference,), parts = msgspec.json.schema_components(
        [chosen.wire], ref_template="#/$defs/{name}", schema_hook=_anything
    )
    _close(parts)
    root = map_at(parts, chosen.wire.__name__)
    for field, value in (("apiVersion", chosen.api_version), ("kind", chosen.kind)):
        map_at(root, "properties")[field] = {"const": value}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{chosen.kind} {chosen.api_version}",
        **reference,
        "$defs": parts,
    }


def _anything(_: type) -> dict[str, object]:
    """Returns the schema of a field that is passed on as it is."""
    return {"description": "Passed on as it is."}


def _close(parts: Tree) -> None:
    """Says of every strict record that it has no other fields."""
    strict = {record.__name__ for record in _records(Strict)}
    for name in sorted(strict & parts.keys()):
        map_at(parts, name)["additionalProperties"] = False


def _records(record: type[Wire]) -> list[type[Wire]]:
    return [found for child in record.__subclasses__() for found in (child, *_records(child))]
