"""Policies as written: a bundle's and a user's own, their parameters set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from policyscaler.manifests.findings import did_you_mean
from policyscaler.model.errors import ConfigError
from policyscaler.model.policies import Param, ScalingPolicy
from policyscaler.policy.bundles import load_bundle

NO_BUNDLE: Final = "none"
_TRUTH: Final = {"true": True, "false": False}


def written_policies(
    bundle: str, own: Sequence[ScalingPolicy], settings: Mapping[str, str]
) -> list[ScalingPolicy]:
    """Returns the policies of a bundle and a user's own, their parameters set.

    Args:
        bundle: its name, or NO_BUNDLE.
        own: a user's policies.
        settings: texts by `param` or `policy.param`.

    Raises:
        ConfigError: there is no such bundle or parameter, or the text is no value of its type.
    """
    bundled = () if bundle == NO_BUNDLE else load_bundle(bundle)
    policies = [*bundled, *own]
    known = {
        name
        for policy in policies
        for param in policy.params
        for name in (param.name, f"{policy.meta.name}.{param.name}")
    }
    for name in settings:
        if name not in known:
            hint = did_you_mean(name, known) or "no policy in force declares it"
            raise ConfigError(f'there is no parameter "{name}"; {hint}')
    return [with_settings(policy, settings) for policy in policies]


def with_settings(policy: ScalingPolicy, settings: Mapping[str, str]) -> ScalingPolicy:
    """Returns a policy whose parameters have the values that settings give them.

    Raises:
        ConfigError: a text is no value of the parameter's type.
    """
    params = tuple(
        _set(param, settings.get(f"{policy.meta.name}.{param.name}", settings.get(param.name)))
        for param in policy.params
    )
    return msgspec.structs.replace(policy, params=params) if params != policy.params else policy


def _set(param: Param, text: str | None) -> Param:
    if text is None:
        return param
    return msgspec.structs.replace(param, default=_value(param, text))


def _value(param: Param, text: str) -> bool | int | float | str:
    value: bool | int | float | str = text  # a duration stays text, and is checked with the policy
    try:
        match param.type:
            case "bool":
                value = _TRUTH[text.lower()]
            case "int":
                value = int(text)
            case "double":
                value = float(text)
    except (KeyError, ValueError):
        raise ConfigError(f'"{text}" is no {param.type}, which {param.name} is') from None
    return value
