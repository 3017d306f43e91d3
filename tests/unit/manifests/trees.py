"""Manifests as trees, for tests to bend one field of, and what loading them says."""

from policyscaler.manifests.converting import write_yaml
from policyscaler.manifests.loading import load_text

REF = {"group": "example.com", "kind": "MachineClass", "name": "base"}
REMOVED = object()


def a_requirement(key, operator, *values, **more):
    return {"key": key, "operator": operator, "values": list(values), **more}


def a_pool_tree(**changes):
    """Returns a valid NodePool; `disruption__budgets=…` sets spec.disruption.budgets and so on.

    `template__spec__…` reaches into the template; a value of REMOVED takes the field out.
    """
    tree = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "general"},
        "spec": {"template": {"spec": {"requirements": [], "nodeClassRef": dict(REF)}}},
    }
    return _changed(tree, changes)


def a_claim_tree(**changes):
    tree = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {"name": "general-1"},
        "spec": {"requirements": [], "nodeClassRef": dict(REF)},
    }
    return _changed(tree, changes)


def an_object(api_version, kind, **spec):
    return {
        "apiVersion": api_version, "kind": kind, "metadata": {"name": "it"}, "spec": spec,
    }  # fmt: skip


def _changed(tree, changes):
    for path, value in changes.items():
        *steps, last = path.split("__")
        target = tree["spec"]
        for step in steps:
            target = target.setdefault(step, {})
        if value is REMOVED:
            target.pop(last, None)
        else:
            target[last] = value
    return tree


def requiring(*requirements, **changes):
    return a_pool_tree(template__spec__requirements=list(requirements), **changes)


def loaded(*trees, kinds=()):
    return load_text("---\n".join(write_yaml(tree) for tree in trees), kinds=kinds)


def errors_of(tree, kinds=()):
    """Returns `path: message; suggestion` of every error, in order."""
    return [f"{e.path}: {e.message}; {e.suggestion}" for e in loaded(tree, kinds=kinds).errors]


def the_pool(tree):
    result = loaded(tree)
    assert not result.errors, [str(error) for error in result.errors]
    (pool,) = result.pools
    return pool
