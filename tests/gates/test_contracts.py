"""The import contracts cover every provider and every core package, also those added later."""

import pytest

from tests.gates.repository import ROOT, files, project

LINTER = project()["tool"]["importlinter"]
CONTRACTS = {contract["id"]: contract for contract in LINTER["contracts"]}
PROVIDERS = sorted({path.parts[1] for path in files("providers") if len(path.parts) > 2})
CORE = [
    name
    for name in ("planning", "scheduling", "policy", "model")
    if (ROOT / "policyscaler" / name).is_dir()
]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_provider_is_under_every_contract_about_providers(provider):
    assert provider in LINTER["root_packages"]
    assert provider in CONTRACTS["no-provider-named"]["forbidden_modules"]
    assert provider in CONTRACTS["providers-see-the-seam"]["source_modules"]
    assert provider in CONTRACTS["providers-apart"]["modules"]
    assert (
        f"providers/{provider}"
        in project()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    )


@pytest.mark.parametrize("package", CORE)
def test_a_core_package_is_kept_pure(package):
    assert f"policyscaler.{package}" in CONTRACTS["pure-core"]["source_modules"]
