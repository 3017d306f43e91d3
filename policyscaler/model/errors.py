"""Every error that policyscaler raises on purpose, in one tree.

    PolicyScalerError
    ├─ ConfigError                bad flags, files or manifests (exit code 2 for flags)
    │  ├─ QuantityError           text that is no Kubernetes quantity
    │  └─ DurationError           text that is no duration
    ├─ PolicyError                a policy that cannot be loaded or evaluated
    │  ├─ PolicySyntaxError
    │  ├─ PolicyTypeError
    │  ├─ PolicyLimitExceeded     over the cost budget: carries budget and used
    │  └─ PolicyRuntimeError
    ├─ ProviderError              what a provider answers when it does not do as asked
    │  ├─ InsufficientCapacity    carries the offerings that have none
    │  ├─ InstanceNotFound
    │  └─ LaunchRefused           a request that will never succeed as it stands
    └─ InvariantViolation         a bug in policyscaler: never caught below the outermost loop

The decision whether to retry is in the type, never in the text of the message. The texts name
the object, the field, the value and the fix.
"""

from __future__ import annotations


class PolicyScalerError(Exception):
    """The root: everything policyscaler raises on purpose."""


class ConfigError(PolicyScalerError):
    """A flag, a file or a manifest that cannot be used as it stands."""


class QuantityError(ConfigError, ValueError):
    """Text that is no Kubernetes quantity; the message suggests a near form if there is one."""


class DurationError(ConfigError, ValueError):
    """Text that is no duration, or a duration that the field does not accept."""


class PolicyError(PolicyScalerError):
    """A policy that cannot be loaded or evaluated.

    Args:
        message: one sentence for people.
        findings: what was found, with positions; empty when there is only the message.
    """

    def __init__(self, message: str, findings: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings


class PolicySyntaxError(PolicyError):
    """The text is not an expression of the policy language."""


class PolicyTypeError(PolicyError):
    """The expression reads or combines what does not exist or does not fit."""


class PolicyLimitExceeded(PolicyError):
    """The expression could cost more than its budget.

    Args:
        message: one sentence for people.
        findings: what was found, with positions.
        budget: the bound, in the same unit as `used`.
        used: the static estimate.
    """

    def __init__(
        self, message: str, findings: tuple[object, ...] = (), *, budget: int, used: int
    ) -> None:
        super().__init__(message, findings)
        self.budget = budget
        self.used = used


class PolicyRuntimeError(PolicyError):
    """An expression that failed on the values it was given."""


class ProviderError(PolicyScalerError):
    """What a provider answers when it does not do as asked."""


class InsufficientCapacity(ProviderError):
    """None of the offerings asked for can be had now; others may, and these may later.

    Args:
        offerings: (instance type, zone, capacity type) triples that have no capacity.
    """

    def __init__(self, offerings: tuple[tuple[str, str, str], ...]) -> None:
        named = ", ".join("/".join(offering) for offering in offerings[:3])
        more = f" and {len(offerings) - 3} more" if len(offerings) > 3 else ""
        super().__init__(f"no capacity for {named}{more}")
        self.offerings = offerings


class InstanceNotFound(ProviderError):
    """The instance does not exist (any more)."""


class LaunchRefused(ProviderError):
    """The provider will never accept this request as it stands."""


class InvariantViolation(PolicyScalerError):
    """Something that must never happen did: a bug in policyscaler, not in its input."""
