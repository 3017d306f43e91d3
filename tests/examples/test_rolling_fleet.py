"""Example 02: two days of a fleet that is recycled, consolidated, and never oversteps its bounds."""

import json
from collections import Counter
from decimal import Decimal

import pytest

from policyscaler.operator.wiring import kinds, providers
from policyscaler.operator.written import written_policies
from policyscaler.ports.observation import DISRUPT, EVICT
from policyscaler.simulation.run import run_scenario
from policyscaler.simulation.scenario_loading import load_scenario
from tests.examples.reports import EXAMPLES, events, simulated

FOLDER = EXAMPLES / "02-rolling-fleet"
DAY = 24 * 3600

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


class Guard:
    """Counts by itself what must hold, apart from the product's own watchers."""

    def __init__(self, view):
        self.view = view
        self.violations = []
        self.most_cpu = 0
        self.jobs_seen = set()

    def observe(self, moment):
        cpu = sum(claim.capacity.get("cpu", 0) for claim in self.view.claims.values())
        self.most_cpu = max(self.most_cpu, cpu)
        running = {
            k: p for k, p in self.view.pods.items() if k[1].startswith("settlement") and p.is_active
        }
        self.jobs_seen |= running.keys()
        held = {pod.node for pod in running.values() if pod.node}
        if moment.what == EVICT:
            self._evict(moment)
        if moment.what == DISRUPT and held & set(moment.nodes):
            self.violations.append(f"{moment.nodes} has a protected job and is disrupted")

    def _evict(self, moment):
        if moment.pod[1].startswith("settlement"):
            self.violations.append(f"{moment.pod} is cut")
        name = self.view.pods[moment.pod].meta.labels["app"]
        ready = [
            p
            for p in self.view.pods.values()
            if p.meta.labels.get("app") == name and p.ready and p.is_active
        ]
        budget = self.view.disruption_budgets["default", name]
        if len(ready) - 1 < self.view.expected_pods(budget) - 1:
            self.violations.append(f"{moment.pod} is evicted while another pod of {name} is away")


@pytest.fixture(scope="module")
def watched():
    """Returns the report and the guard of a run."""
    scenario, _ = load_scenario(FOLDER, kinds=kinds())
    guards = []

    def guard(view):
        guards.append(Guard(view))
        return guards[-1]

    report = run_scenario(
        scenario,
        policies=written_policies("karpenter", (), {}),
        providers=providers(),
        watchers=[guard],
    )
    return report, guards[0]


def test_no_budget_is_broken_and_the_job_is_never_cut(watched):
    report, guard = watched
    assert list(report.violations) == []
    assert guard.violations == []
    assert len(guard.jobs_seen) == 8, "every six hours, for two days"


def test_the_fleet_never_has_more_than_400_cpu(watched):
    _, guard = watched
    assert 100_000 < guard.most_cpu <= 400_000


def test_nodes_are_recycled_by_age_and_fewer_as_load_falls():
    reasons = Counter(e["data"]["reason"] for e in events(simulated(FOLDER.name), "disruption"))
    assert reasons["Expired"] > 0
    assert reasons["Underutilized"] > 0
    assert reasons["Empty"] > 0


def test_no_node_grows_much_older_than_a_day():
    report = simulated(FOLDER.name)
    born = {e["subject"]: e["offsetSeconds"] for e in events(report, "launched")}
    gone = {e["subject"]: e["offsetSeconds"] for e in events(report, "terminated")}
    ages = [gone.get(claim, 2 * DAY) - at for claim, at in born.items()]
    assert max(ages) <= DAY + 3600


def test_dearer_nodes_are_replaced_by_cheaper_ones():
    found = [
        e for e in events(simulated(FOLDER.name), "disruption")
        if e["data"]["reason"] == "Underutilized" and e["data"]["replacements"] == 1
    ]  # fmt: skip
    assert found
    assert all(Decimal(e["data"]["savingsPerHour"]) > 0 for e in found)


def test_nobody_waits_long_and_nothing_is_left_waiting():
    report = simulated(FOLDER.name)
    assert report["podsPending"] == 0
    assert report["pending"]["maxSeconds"] < 180


def test_the_command_line_reports_what_the_run_reports(watched):
    assert json.loads(watched[0].to_json()) == simulated(FOLDER.name)
