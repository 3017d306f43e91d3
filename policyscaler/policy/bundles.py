"""Where the bundles of policies are: the one place that knows, in a wheel and in a checkout."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from policyscaler.manifests.decoding import Loading
from policyscaler.model.errors import ConfigError, PolicyError
from policyscaler.model.policies import ScalingPolicy
from policyscaler.policy.findings import did_you_mean

DEFAULT: Final = "karpenter"


def policies_path() -> Path:
    """Returns the folder that holds one folder a bundle.

    Raises:
        ConfigError: the installation has none.
    """
    package = Path(str(files("policyscaler")))
    for candidate in (package / "_bundled" / "policies", package.parent / "policies"):
        if candidate.is_dir():
            return candidate
    raise ConfigError("this installation has no policy bundles; install policyscaler again")


def bundle_names() -> list[str]:
    """Returns the names of all bundles, sorted."""
    return sorted(path.name for path in policies_path().iterdir() if path.is_dir())


def bundle_files(name: str) -> list[Path]:
    """Returns the policy files of a bundle, sorted by name; its tests are left out.

    Raises:
        ConfigError: there is no such bundle.
    """
    names = bundle_names()
    if name not in names:
        hint = did_you_mean(name, names) or f"there are: {', '.join(names)}"
        raise ConfigError(f'there is no policy bundle "{name}"; {hint}')
    return sorted((policies_path() / name).glob("*.yaml"))


@cache
def load_bundle(name: str = DEFAULT) -> tuple[ScalingPolicy, ...]:
    """Returns the policies of a bundle, marked as such.

    Raises:
        ConfigError: there is no such bundle.
        PolicyError: a file of it does not load; the findings say where.
    """
    loading = Loading(())
    for file in bundle_files(name):
        # Positions say where in the bundle: where that is installed differs between machines.
        loading.add(f"{name}/{file.name}", file.read_text(encoding="utf-8"))
    loaded = loading.result()
    if loaded.errors:
        raise PolicyError(f"bundle {name}: {loaded.errors[0]}", tuple(loaded.errors))
    return tuple(msgspec.structs.replace(policy, bundle=name) for policy in loaded.policies)
