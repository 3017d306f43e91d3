"""The policies in force, and the questions that planning asks them.

Immutable in what they answer: the same question gives the same answer whatever was asked before.
Policies are asked in one order whatever order they were loaded in: generated ones, then bundles,
then a user's own, each by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from policyscaler.manifests.findings import ERROR, Finding
from policyscaler.model.errors import PolicyError
from policyscaler.model.offerings import Catalogue
from policyscaler.model.policies import OFF, ScalingPolicy
from policyscaler.policy.checks import check_names, check_set
from policyscaler.policy.choosing import judge_offerings
from policyscaler.policy.compiled import CompiledPolicy, compile_policy
from policyscaler.policy.compiler import is_compiled
from policyscaler.policy.explaining import RuleTrace, explain_row
from policyscaler.policy.limiting import charges
from policyscaler.policy.matching import applied, bindings_of
from policyscaler.policy.removing import judge_node, judge_replacement
from policyscaler.policy.rowcache import RowCache
from policyscaler.policy.verdicts import (
    Context,
    DisruptionVerdict,
    LimitCharge,
    OfferingVerdict,
    RuleVerdict,
)

Facts = Mapping[str, object]
NO_OVERRIDES: Mapping[str, object] = {}


class Policies:
    """A set of policies that was checked as a whole; make one with `compile`.

    Attributes:
        policies: those in force, in the order in which they are asked.
        findings: warnings about them.
        digest: equal for equal policies and parameters.
        rules_offerings: whether any policy says anything about offerings.
        rules_limits: whether any policy limits launches.
        launch_reads: what those read of the pods and their team, as dotted paths, sorted.
            Classes of pods that are equal in these get equal answers.
    """

    def __init__(
        self, policies: Sequence[CompiledPolicy], *, findings: Sequence[Finding], digest: str
    ) -> None:
        self.policies = tuple(policies)
        self.findings = tuple(findings)
        self.digest = digest
        self._cache = RowCache()
        self.rules_offerings = any(policy.choosing for policy in self.policies)
        self.rules_limits = any(policy.limiting for policy in self.policies)
        self.launch_reads = _launch_reads(self.policies)

    @classmethod
    def compile(
        cls, policies: Iterable[ScalingPolicy], *, params: Mapping[str, object] = NO_OVERRIDES
    ) -> Policies:
        """Returns the policies ready to be asked; those with `mode: off` are checked and left out.

        Args:
            policies: in any order.
            params: values of parameters by name, for every policy that declares one.

        Raises:
            PolicyError: something is wrong; `findings` holds everything that was found, each with
                the file, line and column of the character.
        """
        compiled, findings = _compile(policies, params)
        errors = [finding for finding in findings if finding.severity == ERROR]
        if errors:
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise PolicyError(f"{errors[0]}{more}", tuple(findings))
        in_force = [policy for policy in compiled if policy.policy.mode != OFF]
        warnings = [*findings, *check_set(in_force)]
        errors = [finding for finding in warnings if finding.severity == ERROR]
        if errors:
            raise PolicyError(str(errors[0]), tuple(warnings))
        digest = _digest([policy.policy for policy in compiled], params)
        return cls(in_force, findings=warnings, digest=digest)

    def offerings(  # noqa: PLR0917 - catalogue, pool, pods, rows: the order of narrowing
        self,
        catalogue: Catalogue,
        pool: Facts,
        shape: Facts,
        rows: NDArray[np.bool_],
        context: Context,
    ) -> OfferingVerdict:
        """Returns which offerings a class of pods may have in a pool, and how they rank.

        Args:
            catalogue: of the pool's NodeClass.
            pool: facts of the pool.
            shape: facts of the class of pods.
            rows: the offerings that are feasible so far, in the order of `rows_of(catalogue)`.
            context: everything else that expressions see.
        """
        about = applied(
            self.policies, bindings_of(context, pool=pool, shape=shape), about=("pods", "pools")
        )
        return judge_offerings(list(about), catalogue, rows, cache=self._cache)

    def limits(
        self, catalogue: Catalogue, shape: Facts, context: Context, *, pool: Facts | None = None
    ) -> tuple[LimitCharge, ...]:
        """Returns the limits that a launch for a class of pods counts against.

        Limits of NodePools are left out: the solver keeps them.

        Args:
            catalogue: of the pool's NodeClass.
            shape: facts of the class of pods that opens the node.
            context: everything else that expressions see.
            pool: facts of the pool; without, what depends on the pool leaves no room.
        """
        bindings = bindings_of(context, pool=pool, shape=shape)
        about = applied(self.policies, bindings, about=("pods", "pools"))
        return charges(list(about), catalogue, cache=self._cache)

    def disruption(self, node: Facts, pool: Facts, context: Context) -> DisruptionVerdict:
        """Returns whether a node may go, for which reasons, and what it would cost.

        `deny` rules see the reason; `eligible` in the verdict is what is left after them.
        """
        bindings = bindings_of(context, node=node, pool=pool)
        return judge_node(list(applied(self.policies, bindings, about=("pools",))))

    def replace(
        self, current: Facts, replacement: Facts, disruption: Facts, context: Context,
        *, pool: Facts | None = None,
    ) -> tuple[RuleVerdict, ...]:  # fmt: skip
        """Returns what each `replace` rule says; a replacement is right when all pass.

        Args:
            current: facts of the nodes that would go.
            replacement: facts of what would come.
            disruption: reason and cost.
            context: everything else that expressions see.
            pool: facts of the pool of the nodes that would go.
        """
        bindings = bindings_of(
            context, current=current, replacement=replacement, disruption=disruption, pool=pool
        )
        return judge_replacement(list(applied(self.policies, bindings, about=("pools",))))

    def explain_offering(  # noqa: PLR0917 - as `offerings`, with one row
        self, catalogue: Catalogue, row: int, pool: Facts, shape: Facts, context: Context
    ) -> tuple[RuleTrace, ...]:
        """Returns what every rule about offerings says of one row, with all that led there."""
        bindings = bindings_of(context, pool=pool, shape=shape)
        about = applied(self.policies, bindings, about=("pods", "pools"))
        return explain_row(list(about), self._cache.facts(catalogue, row))


def _launch_reads(policies: Sequence[CompiledPolicy]) -> tuple[str, ...]:
    programs = [
        program
        for policy in policies
        if policy.choosing or policy.limiting
        for program in (*policy.choosing, *policy.limiting, policy.match_pods, policy.match_pools)
        if program is not None
    ]
    reads = {path for program in programs for path in program.reads}
    return tuple(sorted(path for path in reads if path.partition(".")[0] in ("shape", "team")))


def load_findings(
    policies: Iterable[ScalingPolicy], *, params: Mapping[str, object] = NO_OVERRIDES
) -> tuple[Finding, ...]:
    """Returns everything that is wrong or doubtful about a set of policies, and raises nothing."""
    try:
        return Policies.compile(policies, params=params).findings
    except PolicyError as error:
        return tuple(finding for finding in error.findings if isinstance(finding, Finding))


def _compile(
    policies: Iterable[ScalingPolicy], params: Mapping[str, object]
) -> tuple[list[CompiledPolicy], list[Finding]]:
    ordered = sorted(policies, key=_order)
    findings = list(check_names(ordered, params))
    return [compile_policy(policy, params, findings) for policy in ordered], findings


def _order(policy: ScalingPolicy) -> tuple[int, str, str]:
    rank = 0 if is_compiled(policy) else 1 if policy.bundle else 2
    return rank, policy.bundle, policy.meta.name


def _digest(policies: Sequence[ScalingPolicy], params: Mapping[str, object]) -> str:
    """The digest of what policies say; where they are written does not matter."""
    content = [msgspec.to_builtins(policy) for policy in policies]
    text = msgspec.json.encode([_without_places(content), params], order="deterministic")
    return hashlib.sha256(text).hexdigest()[:16]


def _without_places(value: object) -> object:
    if isinstance(value, dict):
        places = ("source", "lines")
        return {key: _without_places(item) for key, item in value.items() if key not in places}
    if isinstance(value, list | tuple):
        return [_without_places(item) for item in value]
    return value
