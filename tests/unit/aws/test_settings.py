import pytest

from policyscaler.model.errors import ConfigError
from policyscaler_aws.settings import AwsSettings, settings_from


def test_an_empty_environment_gives_the_defaults():
    assert settings_from({}) == AwsSettings()
    assert settings_from({"RESERVED_ENIS": "", "VM_MEMORY_OVERHEAD_PERCENT": " "}) == AwsSettings()


def test_every_setting_is_read():
    environment = {
        "POLICYSCALER_AWS_REGION": "eu-west-1",
        "POLICYSCALER_AWS_SPOT_SEED": "42",
        "VM_MEMORY_OVERHEAD_PERCENT": "0.05",
        "RESERVED_ENIS": "1",
    }
    assert settings_from(environment) == AwsSettings(
        region="eu-west-1", spot_seed=42, memory_overhead_ppm=50_000, reserved_enis=1
    )


@pytest.mark.parametrize("text", ["-0.1", "1.5", "NaN", "Infinity", "7%", "x"])
def test_an_overhead_that_is_no_fraction_is_refused(text):
    with pytest.raises(ConfigError, match="VM_MEMORY_OVERHEAD_PERCENT"):
        settings_from({"VM_MEMORY_OVERHEAD_PERCENT": text})


def test_all_bad_settings_are_named_at_once():
    with pytest.raises(ConfigError, match=r"SPOT_SEED.*RESERVED_ENIS"):
        settings_from({"RESERVED_ENIS": "one", "POLICYSCALER_AWS_SPOT_SEED": "9" * 30})
