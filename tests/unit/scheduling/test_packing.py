"""Packings: the baseline against a plain one, the others against the baseline."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyscaler.scheduling.packing.choose import choose_packing
from policyscaler.scheduling.packing.greedy import pack_greedy
from policyscaler.scheduling.packing.incremental import pack_incremental
from policyscaler.scheduling.packing.signatures import IMPOSSIBLE, Signatures
from policyscaler.scheduling.packing.split import split_nodes
from policyscaler.scheduling.validator import violations
from policyscaler.testing.builders import (
    a_container,
    a_daemon_set,
    a_pod,
    a_pool,
    a_type,
    needs,
    replicas,
)
from tests.unit.scheduling.problems import a_problem, plain_greedy

TYPES = (
    a_type("a2", "2", memory="8Gi", price="0.10", spot="0.03", zones=("z1",)),
    a_type("a4", "4", memory="16Gi", price="0.20", labels={"arch": "arm64"}),
    a_type("a8", "8", memory="8Gi", price="0.33", capacity={"pods": "6"}),
    a_type("a16", "16", memory="64Gi", price="0.70", spot="0.40", unavailable=("spot",)),
)
SELECTORS = ({}, {}, {"topology.kubernetes.io/zone": "z1"}, {"topology.kubernetes.io/zone": "z2"},
             {"kubernetes.io/arch": "amd64"}, {"kubernetes.io/arch": "arm64"},
             {"karpenter.sh/capacity-type": "spot"})  # fmt: skip


@st.composite
def some_pods(draw):
    pods = []
    for number in range(draw(st.integers(1, 6))):
        selector = draw(st.sampled_from(SELECTORS))
        large = ("100m", "900m", "1") + (
            ("3",) if "karpenter.sh/capacity-type" not in selector else ()
        )
        pods += replicas(
            f"w{number}", draw(st.integers(1, 8)), cpu=draw(st.sampled_from(large)),
            memory=draw(st.sampled_from(["0", "1Gi", "3Gi"])), node_selector=selector,
        )  # fmt: skip
    return pods


def packed(nodes, templates, shapes):
    """(pool, price, names of pods by count) of every node, comparable with the plain packer's."""
    taken = [0] * len(shapes)
    found = []
    for node in nodes:
        names = []
        for shape, count in node.content:
            names += [name for _, name in shapes[shape].pods[taken[shape] : taken[shape] + count]]
            taken[shape] += count
        found.append((templates[node.pool].pool.name, node.price, sorted(names)))
    return sorted(found)


def sizes(nodes):
    """(pool, price, how many pods of each workload) of every node: equal pods are exchangeable."""
    return sorted(
        (pool, price, sorted(n.rpartition("-")[0] for n in names)) for pool, price, names in nodes
    )


@given(some_pods())
def test_the_baseline_is_karpenters_packing(pods):
    pools = [a_pool("p", weight=5), a_pool("q")]
    problem, templates, shapes = a_problem(pools, TYPES, pods)
    packing = pack_greedy(problem, Signatures(problem))
    assert sizes(packed(packing.nodes, templates, shapes)) == sizes(
        plain_greedy(pools, TYPES, pods)
    )
    wanted = {index: shape.count for index, shape in enumerate(shapes)}
    assert violations(packing, templates, shapes, wanted) == []


@given(some_pods(), st.sampled_from([0.0, 0.5, 0.8]))
def test_other_packings_pack_everything_and_the_cheapest_is_chosen(pods, weight):
    problem, templates, shapes = a_problem([a_pool("p")], TYPES, pods)
    wanted = {index: shape.count for index, shape in enumerate(shapes)}
    signatures = Signatures(problem)
    greedy = pack_greedy(problem, signatures)
    other = pack_incremental(problem, signatures, weight)
    split = split_nodes(problem, signatures, greedy)
    for packing in (other, split):
        assert violations(packing, templates, shapes, wanted) == []
    assert split.price <= greedy.price
    choice = choose_packing(problem)
    assert choice.packing.price == min(choice.prices.values()) <= greedy.price
    assert choice.prices["greedy"] == greedy.price


def test_price_decides_where_filling_up_would_not():
    pods = replicas("w", 10, cpu="3")
    types = (a_type("c8", "8", memory="64Gi", spot="0.10"), a_type("c32", "32", memory="128Gi"))
    problem, _, _ = a_problem([a_pool("p")], types, pods)
    assert choose_packing(problem, incremental=0).prices == {"greedy": 1_600_000}
    choice = choose_packing(problem)
    assert choice.packing.price == 500_000
    assert choice.packing.name != "greedy"


def test_a_split_node_may_still_become_what_it_was():
    types = (
        a_type("s2", "1900m", price="0.085"),
        a_type("s16", "15800m", memory="64Gi", price="0.68"),
        a_type("s32", "31700m", memory="128Gi", price="1.40"),
    )
    agent = a_daemon_set("agent", cpu="1")
    problem, _, _ = a_problem([a_pool("p")], types, replicas("w", 40, cpu="700m"), [agent])
    choice = choose_packing(problem)
    assert choice.packing.name == "greedy-split"
    assert [node.types.tolist() for node in choice.packing.nodes] == [[True, False, True]] * 2
    assert [kind.name for kind in problem.pools[0].table.types] == ["s16", "s2", "s32"]


def test_a_split_is_not_made_where_a_pod_fits_nothing_cheaper():
    types = (a_type("s2", "2", price="0.10"), a_type("s16", "16", price="0.68"))
    problem, _, _ = a_problem(
        [a_pool("p")], types, [a_pod("large", cpu="9"), *replicas("w", 7, cpu="1")]
    )
    signatures = Signatures(problem)
    greedy = pack_greedy(problem, signatures)
    assert split_nodes(problem, signatures, greedy).nodes == greedy.nodes


def test_an_empty_problem_has_an_empty_packing():
    problem, _, _ = a_problem([a_pool("p")], TYPES, [])
    assert choose_packing(problem).packing.nodes == ()


def test_tiers_come_before_prices():
    pools = [a_pool("dear", "type In a16", weight=9), a_pool("cheap", "type In a2")]
    problem, templates, _ = a_problem(pools, TYPES, replicas("w", 3, cpu="100m"))
    for packing in (pack_greedy(problem, Signatures(problem)), choose_packing(problem).packing):
        assert [templates[node.pool].pool.name for node in packing.nodes] == ["dear"]


def test_many_nodes_of_many_pods():
    # More nodes and pods than the columns have room for at first.
    problem, templates, shapes = a_problem(
        [a_pool("p", "type In a2")],
        TYPES,
        [*replicas("w", 700, cpu="900m"), *replicas("v", 300, cpu="1")],
    )
    for packing in (
        pack_greedy(problem, Signatures(problem)), pack_incremental(problem, Signatures(problem), 0.8),
    ):  # fmt: skip
        assert violations(packing, templates, shapes, {0: 300, 1: 700}) == []
        assert len(packing.nodes) == 500


@pytest.mark.parametrize("pack", [pack_greedy, lambda p, s: pack_incremental(p, s, 0.0)])
def test_resources_beyond_the_primary_ones_count(pack):
    gpu = a_type("g", "8", memory="64Gi", capacity={"example.com/gpu": "2"})
    pods = replicas(
        "w", 5, containers=(a_container(requests={"cpu": "100m", "example.com/gpu": "1"}),)
    )
    problem, _, _ = a_problem([a_pool("p")], (*TYPES, gpu), pods)
    assert [sum(c for _, c in n.content) for n in pack(problem, Signatures(problem)).nodes] == [
        2,
        2,
        1,
    ]


@pytest.mark.parametrize("pack", [pack_greedy, lambda p, s: pack_incremental(p, s, 0.0)])
def test_a_node_keeps_as_many_values_as_its_pool_demands(pack):
    pool = a_pool("p", requirements=(needs("type Exists", min_values=3),))
    problem, _, _ = a_problem([pool], TYPES, replicas("w", 6, cpu="1"))
    nodes = pack(problem, Signatures(problem)).nodes
    assert all(int(node.types.sum()) >= 3 for node in nodes)
    assert all(sum(count for _, count in node.content) <= 4 for node in nodes)


def test_daemons_take_their_share_of_every_node():
    types = (a_type("a2", "2"), a_type("a4", "4"))
    problem, _, _ = a_problem([a_pool("p")], types, replicas("w", 3, cpu="1"),
                              [a_daemon_set("d", cpu="1500m", must=("type In a4",))])  # fmt: skip
    assert problem.pools[0].available[:, 0].tolist() == [2000, 2500]


def test_signatures_join_when_their_demands_do():
    pods = [
        a_pod("a", must=("zone In z1 z2",)),
        a_pod("b", must=("zone In z2 z3",)),
        a_pod("c", must=("zone In z3",)),
    ]
    problem, _, _ = a_problem([a_pool("p"), a_pool("q")], TYPES, pods)
    signatures = Signatures(problem)
    a, b, c = (signatures.of_option(item.options[0]) for item in problem.items)
    joined = signatures.join(a, b)
    assert joined == signatures.join(b, a) != IMPOSSIBLE
    zones = {
        problem.pools[0].table.rows[i].offering.zone
        for i in signatures.all[joined].rows.nonzero()[0]
    }
    assert zones == {"z2"}
    assert signatures.join(a, c) == IMPOSSIBLE
    other_pool = signatures.of_option(problem.items[0].options[1])
    assert signatures.join(a, other_pool) == IMPOSSIBLE
