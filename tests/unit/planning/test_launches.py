"""What a planned node says of itself."""

import pytest

from policyscaler.model import labels as well
from policyscaler.model.errors import InvariantViolation
from policyscaler.planning import effort as effort_module
from policyscaler.planning import rounds
from policyscaler.planning.decide import decide
from policyscaler.planning.effort import Effort, Memo
from policyscaler.policy.evaluation import Policies
from policyscaler.testing.builders import (
    NOW,
    a_catalogue,
    a_pod,
    a_pool,
    a_snapshot,
    a_type,
    needs,
    replicas,
)

NO_POLICIES = Policies.compile(())


def launches(*objects, effort=None, memo=None, **fields):
    state = a_snapshot(*objects, **fields)
    plan = decide(state, NO_POLICIES, NOW, effort=effort or Effort(), memo=memo)
    return plan.launches


def launch(*objects, **fields):
    (node,) = launches(*objects, **fields)
    return node


M4 = a_type("m4", price="0.20", spot="0.05")


def test_offerings_are_ranked_by_price_then_name():
    node = launch(a_pool("p"), M4, a_type("m2", "2", price="0.05"), a_pod(cpu="1"))
    assert [(o.instance_type, o.zone, o.capacity_type) for o in node.offerings[:7]] == [
        *(("m2", zone, "on-demand") for zone in ("z1", "z2", "z3")),
        *(("m4", zone, "spot") for zone in ("z1", "z2", "z3")),
        ("m4", "z1", "on-demand"),
    ]


def test_a_claim_keeps_sixty_types_at_most():
    types = [a_type(f"t{n:03}", price=f"0.{n:03}") for n in range(1, 80)]
    node = launch(a_pool("p"), types, a_pod())
    assert [o.instance_type for o in node.offerings[::3]] == [f"t{n:03}" for n in range(1, 61)]
    (entry,) = [r for r in node.requirements if r.key == well.INSTANCE_TYPE]
    assert len(entry.values) == 60


def test_requirements_are_narrowed_to_what_is_left():
    pool = a_pool("p", "ct In spot on-demand")
    node = launch(pool, M4, a_pod(must=("zone In z1 z2", "ct In spot")))
    written = {entry.key: (entry.operator, entry.values) for entry in node.requirements}
    assert written[well.CAPACITY_TYPE] == ("In", ("spot",))
    assert written[well.INSTANCE_TYPE] == ("In", ("m4",))
    assert written[well.ZONE] == ("In", ("z1", "z2"))
    assert written[well.NODEPOOL] == ("In", ("p",))


@pytest.mark.parametrize(
    ("requirement", "asked", "label"),
    [
        ("tier Exists", (), "0"),
        ("tier Exists", ("tier In b a",), "a"),
        ("tier In silver gold", (), "gold"),
        ("tier Gt 7", (), "8"),
        ("tier Lt -3", (), "-4"),
        ("tier Lte 5", ("tier NotIn 0",), "1"),
        ("tier Exists", ("tier NotIn 0 1",), "2"),
        ("tier NotIn x", (), None),
        ("tier DoesNotExist", (), None),
    ],
)
def test_a_label_that_nobody_decides_is_always_the_same(requirement, asked, label):
    node = launch(a_pool("p", requirement), M4, a_pod(must=asked))
    assert node.labels.get("tier") == label


def test_labels_of_the_pool_and_its_class_are_on_the_node():
    node = launch(a_pool("p", labels={"team": "a"}, annotations={"note": "x"}), M4, a_pod())
    assert node.labels == {
        "karpenter.sh/nodepool": "p",
        "machines.example/machineclass": "default",
        "team": "a",
    }
    assert node.annotations["note"] == "x"


def test_minimum_values_are_kept_in_the_claim():
    pool = a_pool("p", requirements=(needs("type Exists", min_values=2),))
    node = launch(pool, M4, a_type("m2", "2"), a_pod())
    (entry,) = [r for r in node.requirements if r.key == well.INSTANCE_TYPE]
    assert entry.min_values == 2
    assert node.annotations["karpenter.sh/nodeclaim-min-values-relaxed"] == "false"


def test_names_count_up_within_a_plan():
    nodes = launches(a_pool("p"), a_type("m1", "1"), replicas("w", 3, cpu="1"))
    assert [node.name for node in nodes] == ["p-1", "p-2", "p-3"]
    assert [node.pods for node in nodes] == [(("default", f"w-{n}"),) for n in range(3)]


def test_columns_of_a_catalogue_are_made_once():
    memo = Memo()
    catalogue = a_catalogue([M4])
    assert memo.table(catalogue) is memo.table(a_catalogue([M4]))
    bare = type(catalogue)(name="bare", types=(M4,))
    assert memo.table(bare) is not memo.table(bare)


def test_no_more_than_a_few_catalogues_are_remembered():
    memo = Memo()
    for number in range(40):
        memo.table(a_catalogue([a_type(f"t{number}")]))
    assert len(memo.tables) <= effort_module._MOST_TABLES


def test_a_wrong_packing_is_not_used(monkeypatch):
    told = []

    def suspicious(packing, *_):
        told.append(packing.name)
        return ["wrong"] if packing.name != "greedy" else []

    monkeypatch.setattr(rounds, "violations", suspicious)
    c8, c32 = a_type("c8", "8", memory="64Gi", spot="0.10"), a_type("c32", "32", memory="128Gi")
    nodes = launches(a_pool("p"), c8, c32, replicas("w", 10, cpu="3"))
    assert [node.chosen.instance_type for node in nodes] == ["c32"]
    assert told == ["incremental-0.8", "greedy"]


def test_a_wrong_baseline_is_a_bug_and_not_a_plan(monkeypatch):
    monkeypatch.setattr(rounds, "violations", lambda *_: ["a node is upside down"])
    with pytest.raises(InvariantViolation, match="upside down"):
        launches(a_pool("p"), M4, a_pod())


def test_the_check_can_be_left_out(monkeypatch):
    monkeypatch.setattr(rounds, "violations", lambda *_: ["wrong"])
    assert launches(a_pool("p"), M4, a_pod(), effort=Effort(validate=False))
