"""What every test shares: repeatable examples and golden files.

Order is random (pytest-randomly prints its seed) and warnings are errors. Hypothesis is repeatable by
default, so that a run says the same on every machine; `make deflake` explores new examples instead.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.acceptance.table"]

GOLDEN = Path(__file__).parent / "golden"

# No deadline and no complaint about slow generation: both measure the machine, and the time limit
# of each test already stands.
_SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=_SLOW
)
settings.register_profile(
    "explore", max_examples=500, deadline=None, print_blob=True, suppress_health_check=_SLOW
)
settings.load_profile("repeatable")  # `--hypothesis-profile explore` comes later and wins


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what tests/golden should hold, then review the diff",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Returns a check that a text equals the file of that name under tests/golden."""
    update = request.config.getoption("--update-golden")

    def check(name: str, actual: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8")
        assert path.exists(), f"tests/golden/{name} is missing: run this test with --update-golden"
        assert actual == path.read_text(encoding="utf-8"), (
            f"differs from tests/golden/{name}; if that is right: --update-golden"
        )

    return check
