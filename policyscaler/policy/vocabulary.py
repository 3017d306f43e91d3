"""The one table of variables and of the places where expressions stand.

The checker, the JSON Schema, the reference and completion are all made from this table and from
`functions.FUNCTIONS`; nothing else may know what an expression can see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from policyscaler.policy import cluster_types as cluster
from policyscaler.policy.offering_types import OFFERING, SHAPE
from policyscaler.policy.types import (
    BOOL,
    DOUBLE,
    LANGUAGE_VERSION,
    STRING,
    TIMESTAMP,
    Field,
    ListType,
    ObjectType,
    Type,
)


@dataclass(frozen=True, slots=True)
class Variable:
    """A name that expressions can read."""

    name: str
    type: Type
    description: str
    since: str = LANGUAGE_VERSION


@dataclass(frozen=True, slots=True)
class Site:
    """A place where an expression stands.

    Attributes:
        name: Its path in a ScalingPolicy.
        result: The type it must give.
        row: The variable that it is evaluated for, row by row; "" if there is none.
        variables: Every name it sees, the row included; `params` and `vars` are objects whose
            fields the policy itself declares.
        evaluations: Upper bound on evaluations in one tick; with a row, on rows.
        columns: Whether rows come as columns.
    """

    name: str
    result: Type
    variables: tuple[str, ...]
    row: str = ""
    evaluations: int = 1_000
    columns: bool = False
    description: str = ""
    since: str = LANGUAGE_VERSION


def _variables(*declared: Variable) -> Mapping[str, Variable]:
    return MappingProxyType({variable.name: variable for variable in declared})


VARIABLES: Mapping[str, Variable] = _variables(
    Variable("offering", OFFERING, "The machine on offer that is judged."),
    Variable("shape", SHAPE, "The class of equal pods that needs a machine."),
    Variable("node", cluster.NODE, "The node that is judged."),
    Variable("pool", cluster.POOL, "The NodePool concerned."),
    Variable("cluster", cluster.CLUSTER, "The cluster as a whole."),
    Variable("team", cluster.TEAM, "The team that the pods belong to."),
    Variable("spend", cluster.SPEND, "Money."),
    Variable("current", cluster.CURRENT, "The nodes that would go."),
    Variable("replacement", cluster.REPLACEMENT, "What would take their place."),
    Variable("disruption", cluster.DISRUPTION, "The step under judgement."),
    Variable("now", TIMESTAMP, "The time of the tick."),
)
"""Every variable but `params` and `vars`, which each policy declares for itself."""

PARAMS = "params"
VARS = "vars"

ROWS = 20_000
"""Offerings that a site must bear; the AWS catalogue has about 14,000."""
NODES = 5_000
CLASSES = 200

_COMMON = ("cluster", PARAMS, VARS, "now")
_CHOOSING = ("offering", "shape", "pool", "team", "spend", *_COMMON)
_LIMITING = ("shape", "pool", "team", "spend", *_COMMON)
_REMOVING = ("node", "pool", *_COMMON)


def _choosing(name: str, result: Type, description: str) -> Site:
    return Site(
        name,
        result,
        _CHOOSING,
        row="offering",
        evaluations=ROWS,
        columns=True,
        description=description,
    )


def _removing(name: str, result: Type, description: str) -> Site:
    return Site(
        name,
        result,
        _REMOVING,
        row="node",
        evaluations=NODES,
        columns=True,
        description=description,
    )


SITES: Mapping[str, Site] = MappingProxyType({
    site.name: site
    for site in (
        Site("match.pods", BOOL, ("shape", "team", *_COMMON), evaluations=CLASSES,
             description="Which classes of pods the policy is about."),
        Site("match.pools", BOOL, ("pool", *_COMMON), evaluations=CLASSES,
             description="Which pools the policy is about."),
        _choosing("offerings.require", BOOL, "Offerings for which it is false are not launched."),
        _choosing("offerings.prefer", BOOL, "Offerings for which it is true get the bonus or malus."),
        _choosing("offerings.prefer.bonus", DOUBLE, "How much cheaper to count it, $/h."),
        _choosing("offerings.prefer.malus", DOUBLE, "How much dearer to count it, $/h."),
        _choosing("offerings.score", DOUBLE, "What offerings are ranked by; lower is better, $/h."),
        Site("limits.when", BOOL, _LIMITING, evaluations=CLASSES, description="Whether the limit is in force."),
        Site("limits.by", STRING, _LIMITING, evaluations=CLASSES, description="What is counted together."),
        _choosing("limits.amount", DOUBLE, "What one launch counts."),
        Site("limits.max", DOUBLE, _LIMITING, evaluations=CLASSES, description="The most that all may count."),
        _removing("disruption.eligible", BOOL, "Nodes for which it is true may go for the reason."),
        Site("disruption.deny", BOOL, (*_REMOVING, "disruption"), row="node", evaluations=NODES, columns=True,
             description="Nodes for which it is true stay; disruption.reason says what for."),
        _removing("disruption.cost", DOUBLE, "What it costs to disrupt the node, $."),
        Site("disruption.replace", BOOL,
             ("current", "replacement", "disruption", "pool", *_COMMON), evaluations=CLASSES,
             description="Whether the replacement is worth it."),
        Site("offerings.filter", BOOL, ("offering",), row="offering", evaluations=ROWS, columns=True,
             description="Filters the catalogue on the command line."),
        Site("nodes.filter", BOOL, ("node", "now"), row="node", evaluations=NODES, columns=True,
             description="Filters nodes on the command line."),
    )
})  # fmt: skip


def variable_types(
    site: Site, *, params: Mapping[str, Type], variables: Mapping[str, Type]
) -> Mapping[str, Type]:
    """Return the type of every name that an expression at `site` sees.

    Args:
        site: Where the expression stands.
        params: Types of the policy's parameters, by name.
        variables: Types of the policy's own variables that are already checked, by name.
    """
    own = {PARAMS: _declared(PARAMS, params), VARS: _declared(VARS, variables)}
    return {name: own[name] if name in own else VARIABLES[name].type for name in site.variables}


def _declared(name: str, types: Mapping[str, Type]) -> ObjectType:
    fields = {key: Field(kind, "Declared by the policy.") for key, kind in sorted(types.items())}
    return ObjectType(name, fields, "Declared by the policy.")


def object_types() -> Mapping[str, ObjectType]:
    """Return every object type that a variable can reach, by name, sorted."""
    found: dict[str, ObjectType] = {}
    pending: list[Type] = [variable.type for variable in VARIABLES.values()]
    while pending:
        kind = pending.pop()
        if isinstance(kind, ListType):
            pending.append(kind.item)
        elif isinstance(kind, ObjectType) and kind.name not in found:
            found[kind.name] = kind
            pending += [field.type for field in kind.fields.values()]
    return dict(sorted(found.items()))
