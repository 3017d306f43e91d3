"""Decisions as the product makes them: by the default bundle and what the pools say."""

from collections.abc import Sequence
from functools import cache

from policyscaler.manifests.loading import load_text
from policyscaler.model.plan import Plan
from policyscaler.model.policies import ScalingPolicy
from policyscaler.model.snapshot import Snapshot
from policyscaler.planning.planner import PolicyPlanner
from policyscaler.policy.bundles import load_bundle
from policyscaler.testing.builders import NOW, a_snapshot

bundle = cache(load_bundle)


def decided(*objects, policies: Sequence[ScalingPolicy] = (), now=NOW, **fields) -> Plan:
    """The plan for a snapshot of these objects, by the default bundle and further policies."""
    return decide_on(a_snapshot(*objects, **fields), policies=policies, now=now)


def decide_on(snapshot: Snapshot, *, policies: Sequence[ScalingPolicy] = (), now=NOW) -> Plan:
    """The plan for a snapshot."""
    return PolicyPlanner((*bundle(), *policies))(snapshot, now)


def a_policy(spec: str, name: str = "own") -> ScalingPolicy:
    """A policy from the YAML of its spec."""
    body = "\n".join(f"  {line}" for line in spec.strip("\n").splitlines())
    head = (
        f"apiVersion: policyscaler.dev/v1alpha1\nkind: ScalingPolicy\nmetadata: {{name: {name}}}\n"
    )
    loaded = load_text(f"{head}spec:\n{body}\n", name=f"{name}.yaml")
    assert not loaded.errors, [str(finding) for finding in loaded.errors]
    (policy,) = loaded.policies
    return policy
