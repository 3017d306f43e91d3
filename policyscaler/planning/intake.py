"""Which pending pods are planned for, and what is said to the others.

Source: Karpenter's validation before scheduling: restricted labels and match fields are refused,
pods that shun NodePools are not ours, volumes must be usable.
"""

from __future__ import annotations

from dataclasses import dataclass

from policyscaler.model import labels as well
from policyscaler.model.plan import PoolRefusal, Unschedulable
from policyscaler.model.pods import PodSpec, Volume
from policyscaler.model.requirements import from_manifest
from policyscaler.model.snapshot import Snapshot
from policyscaler.scheduling.shapes import Shape
from policyscaler.scheduling.unsupported import hard_constraints


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """Shapes to plan for, and those that are turned away before."""

    accepted: tuple[Shape, ...]
    rejected: tuple[Unschedulable, ...]


def take_in(shapes: list[Shape], snapshot: Snapshot) -> Intake:
    """Returns the shapes split into those to plan for and those turned away with a reason."""
    accepted, rejected = [], []
    for shape in shapes:
        if _avoids_pools(shape):
            continue
        reason = _reason(shape, snapshot)
        if reason is None:
            accepted.append(shape)
            continue
        constraint, message, fix = reason
        refusal = PoolRefusal(pool="", constraint=constraint, message=message, nearest_miss=fix)
        rejected.append(Unschedulable(pods=shape.pods, refusals=(refusal,)))
    return Intake(accepted=tuple(accepted), rejected=tuple(rejected))


def _avoids_pools(shape: Shape) -> bool:
    """Whether the pods ask for a node of no NodePool, as Karpenter's own pods do."""
    return all(
        well.NODEPOOL in option and option[well.NODEPOOL].operator == "DoesNotExist"
        for option in shape.alternatives
    )


def _reason(shape: Shape, snapshot: Snapshot) -> tuple[str, str, str] | None:
    spec = shape.spec
    unsupported = hard_constraints(spec) + _volume_constraints(shape, snapshot)
    if unsupported:
        names = ", ".join(unsupported)
        return "unsupported", f"not supported yet: {names}", "rehearse without the constraint"
    return _restricted(spec) or _contradiction(shape) or _unusable_volume(shape, snapshot)


def _contradiction(shape: Shape) -> tuple[str, str, str] | None:
    """Whether the pods ask for one label in ways that exclude each other, in each alternative."""
    found = [
        next((key for key, wanted in sorted(option.items()) if wanted.is_impossible), "")
        for option in shape.alternatives
    ]
    if not all(found):
        return None
    text = f"the pod's own demands on label {found[0]} exclude each other"
    return "requirements", text, f"change what it asks of {found[0]}"


def _restricted(spec: PodSpec) -> tuple[str, str, str] | None:
    keys = set(spec.node_selector)
    for term in spec.required_terms:
        keys.update(expression.key for expression in term.expressions)
        if term.fields:
            text = "matchFields in required node affinity cannot be promised for a new node"
            return "requirements", text, "select by labels instead"
    for key in sorted(keys):
        stable = well.stable_key(key)
        if stable == well.HOSTNAME or (well.is_restricted(stable) and stable != well.NODEPOOL):
            text = f'label "{key}" is restricted: no NodePool can promise it for a new node'
            return "requirements", text, f"drop {key} from the pod"
    return _unknown_capacity_type(spec)


def _unknown_capacity_type(spec: PodSpec) -> tuple[str, str, str] | None:
    for term in spec.required_terms:
        for expression in term.expressions:
            if expression.key != well.CAPACITY_TYPE or expression.operator != "In":
                continue
            wanted = from_manifest(expression)
            if not wanted.values & set(well.CAPACITY_TYPES):
                listed = ", ".join(sorted(wanted.values))
                text = f"{well.CAPACITY_TYPE} has no value {listed}"
                return "requirements", text, f"use one of {', '.join(well.CAPACITY_TYPES)}"
    return None


def _claims(shape: Shape) -> list[tuple[Volume, str]]:
    name = shape.pods[0][1]
    return [
        (volume, f"{name}-{volume.name}" if volume.ephemeral else volume.claim)
        for volume in shape.spec.volumes
        if volume.ephemeral or volume.claim
    ]


def _volume_constraints(shape: Shape, snapshot: Snapshot) -> tuple[str, ...]:
    found = []
    for volume, claim_name in _claims(shape):
        claim = snapshot.volume_claims.get((shape.namespace, claim_name))
        bound = snapshot.volumes.get(claim.volume) if claim and claim.volume else None
        class_name = claim.storage_class if claim else volume.storage_class
        storage = snapshot.storage_classes.get(class_name)
        if (bound is not None and bound.terms) or (
            bound is None and storage is not None and storage.topologies
        ):
            found.append(f"volume {volume.name} that is tied to a place")
    return tuple(found)


def _unusable_volume(shape: Shape, snapshot: Snapshot) -> tuple[str, str, str] | None:
    for volume, claim_name in _claims(shape):
        claim = snapshot.volume_claims.get((shape.namespace, claim_name))
        text = ""
        if claim is None:
            if volume.ephemeral:
                continue
            text = f"volume claim {shape.namespace}/{claim_name} does not exist"
        elif claim.meta.deleted is not None:
            text = f"volume claim {shape.namespace}/{claim_name} is being deleted"
        elif claim.phase == "Lost":
            text = f"volume claim {shape.namespace}/{claim_name} has lost its volume"
        elif claim.volume and claim.volume not in snapshot.volumes:
            text = f"volume {claim.volume} of claim {claim_name} does not exist"
        elif not claim.volume and claim.storage_class not in snapshot.storage_classes:
            text = f'claim {claim_name} names no StorageClass that exists ("{claim.storage_class}")'
        elif not claim.volume and not snapshot.storage_classes[claim.storage_class].binds_late:
            text = f"claim {claim_name} waits to be bound at once by its StorageClass"
        if text:
            return "volumes", text, "a node would not help; see to the claim"
    return None
