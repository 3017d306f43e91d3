"""A policy as YAML for people: what `policyscaler compile` prints, and what loads again.

Strings are double-quoted where YAML could take them for something else, and expressions always
are, so that no expression needs to know YAML. Each rule says in a comment where it comes from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from policyscaler.model.policies import (
    ENFORCE,
    Expression,
    LimitRule,
    Preference,
    Rule,
    ScalingPolicy,
)

_INDENT: Final = "  "
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS_OF_YAML: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})

_Entry = tuple[str, Mapping[str, object]]
"""One item of a list of rules: a comment, which may be empty, and its fields."""


def render(policy: ScalingPolicy) -> str:
    """Returns a policy as one YAML document: stable, and equal policies give equal texts."""
    metadata: dict[str, object] = {"name": policy.meta.name}
    for name, entries in (("labels", policy.meta.labels), ("annotations", policy.meta.annotations)):
        if entries:
            metadata[name] = dict(sorted(entries.items()))
    lines = ["apiVersion: policyscaler.dev/v1alpha1", "kind: ScalingPolicy"]
    lines += _mapping({"metadata": metadata, "spec": _spec(policy)}, 0)
    return "\n".join(lines) + "\n"


def render_all(policies: Sequence[ScalingPolicy]) -> str:
    """Returns several policies as one YAML stream."""
    return "---\n".join(render(policy) for policy in policies)


def _spec(policy: ScalingPolicy) -> dict[str, object]:
    match = _given({"pods": policy.match_pods, "pools": policy.match_pools})
    offerings: dict[str, object] = {
        "require": [_rule(rule, "expr") for rule in policy.require],
        "prefer": [_preference(rule) for rule in policy.prefer],
        "score": _given({"base": policy.score}),
    }
    disruption: dict[str, object] = {
        "eligible": [_rule(rule, "when") for rule in policy.eligible],
        "deny": [_rule(rule, "when") for rule in policy.deny],
        "cost": policy.cost,
        "replace": [_rule(rule, "expr") for rule in policy.replace],
        "budgets": [("", budget) for budget in policy.budgets],
    }
    return _given(
        {
            "priority": policy.priority,
            "mode": policy.mode if policy.mode != ENFORCE else "",
            "match": match,
            "params": {param.name: _param(param) for param in policy.params},
            "variables": dict(policy.variables),
            "offerings": _given(offerings),
            "limits": [_limit(rule) for rule in policy.limits],
            "disruption": _given(disruption),
            "launch": policy.launch,
        }
    )


def _param(param: object) -> dict[str, object]:
    fields = ("type", "default", "min", "max")
    values = {name: getattr(param, name) for name in fields}
    return {name: value for name, value in values.items() if value is not None}


def _rule(rule: Rule, expression: str) -> _Entry:
    fields = {
        "name": rule.name,
        "reason": rule.reason,
        expression: rule.expr,
        "message": rule.message,
        "final": rule.final,
        "onError": rule.on_error,
    }
    return _comment(rule), _given(fields)


def _preference(rule: Preference) -> _Entry:
    fields = {"name": rule.name, "expr": rule.expr, "bonus": rule.bonus, "malus": rule.malus}
    return _comment(rule), _given(fields)


def _limit(rule: LimitRule) -> _Entry:
    fields = {
        "name": rule.name, "when": rule.when, "by": rule.by, "amount": rule.amount,
        "max": rule.max, "onError": rule.on_error,
    }  # fmt: skip
    return _comment(rule), _given(fields)


def _comment(rule: Rule | Preference | LimitRule) -> str:
    return f"from {rule.source}" if rule.source else ""


def _given(fields: Mapping[str, object]) -> dict[str, object]:
    """Leaves out what is empty, false or zero: all of them are the default."""
    return {name: value for name, value in fields.items() if value}


def _mapping(fields: Mapping[str, object], level: int) -> Iterator[str]:
    for name, value in fields.items():
        yield from _field(f"{_INDENT * level}{_key(name)}:", value, level)


def _field(head: str, value: object, level: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield head
        yield from _mapping(value, level + 1)
    elif isinstance(value, list | tuple):
        yield head
        for item in value:
            yield from _item(item, level + 1)
    else:
        yield f"{head} {_scalar(value)}"


def _item(item: object, level: int) -> Iterator[str]:
    lead = _INDENT * level
    comment, fields = item if isinstance(item, tuple) else ("", item)
    if comment:
        yield f"{lead}# {comment}"
    if not isinstance(fields, Mapping):
        yield f"{lead}- {_scalar(fields)}"
        return
    lines = list(_mapping(fields, level + 1))
    yield f"{lead}- {lines[0].lstrip()}"
    yield from lines[1:]


def _key(name: str) -> str:
    return (
        name if _PLAIN.fullmatch(name) and name.lower() not in _WORDS_OF_YAML else json.dumps(name)
    )


def _scalar(value: object) -> str:
    if isinstance(value, Expression):
        return json.dumps(value.text, ensure_ascii=False)
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    text = str(value)
    plain = _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS_OF_YAML
    return text if plain else json.dumps(text, ensure_ascii=False)
