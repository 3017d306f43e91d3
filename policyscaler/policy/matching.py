"""Which policies are about what is asked, and what their expressions are given to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from policyscaler.policy.compiled import CompiledPolicy
from policyscaler.policy.expression import Program
from policyscaler.policy.faults import EvalError
from policyscaler.policy.verdicts import Context

Bindings = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Applied:
    """A policy that is about what is asked.

    Attributes:
        bindings: what its expressions read, its parameters included.
        doubt: why it is not certain that the policy is meant, or empty: then it may forbid, and
            may not allow.
    """

    policy: CompiledPolicy
    bindings: Bindings
    doubt: str = ""


def bindings_of(context: Context, **subjects: object) -> dict[str, object]:
    """Returns the variables of an evaluation, without parameters.

    Args:
        context: what every expression may see.
        subjects: further variables by name; None is left out.
    """
    common: dict[str, object] = {
        "cluster": context.cluster, "spend": context.spend,
        "team": context.team, "now": context.now,
    }  # fmt: skip
    return {**common, **{name: value for name, value in subjects.items() if value is not None}}


def applied(
    policies: Sequence[CompiledPolicy], bindings: Bindings, *, about: Sequence[str]
) -> Iterator[Applied]:
    """Yields the policies whose `match` does not leave this out.

    Args:
        policies: in the order in which they are asked.
        bindings: the variables without parameters.
        about: which of `pods` and `pools` the question is about.
    """
    pool = bindings.get("pool")
    name = pool.get("name") if isinstance(pool, Mapping) else None
    for policy in policies:
        if policy.pool and name is not None and policy.pool != name:
            continue
        own = {**bindings, "params": policy.params}
        programs = {"pods": policy.match_pods, "pools": policy.match_pools}
        answers = [_answer(programs[name], own) for name in about]
        if False not in answers:
            doubt = next((str(answer) for answer in answers if isinstance(answer, EvalError)), "")
            yield Applied(policy, own, doubt)


def _answer(program: Program | None, bindings: Bindings) -> object:
    return True if program is None else program.evaluate(bindings)
