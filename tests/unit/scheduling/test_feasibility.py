"""What a pool says to a class of pods, and what it says when it cannot."""

import pytest

from policyscaler.model.nodes import PREFER_NO_SCHEDULE, Taint
from policyscaler.model.plan import RuleRef
from policyscaler.scheduling.feasibility import Feasible, Question, Screened, examine, preferred
from policyscaler.scheduling.requirements import Conflict, nearest_key
from policyscaler.scheduling.shapes import intern_shapes
from policyscaler.testing.builders import (
    a_container,
    a_daemon_set,
    a_pod,
    a_pool,
    a_term,
    a_type,
    needs,
)
from tests.unit.scheduling.problems import a_template, asked

TYPES = (a_type("m2", "2", labels={"size": "2"}), a_type("m4", "4", labels={"size": "4"}))


def answer(pool=None, *, types=TYPES, daemons=(), remaining=None, sized=True, **pod):
    (shape,) = intern_shapes([a_pod("web", **pod)])
    return asked(
        a_template(pool or a_pool("p"), types, daemons), shape, remaining=remaining, sized=sized
    )


UNAVAILABLE = (a_type("m2", "2", unavailable=("on-demand",)),)
REFUSED = [
    ("taints", {"pool": a_pool("p", taints=(Taint(key="t"),))}, "taint t:NoSchedule", ""),
    ("requirements", {"must": ("tier In x",)}, '"tier" is set by neither', 'declare a label or requirement "tier"'),
    ("requirements", {"pool": a_pool("p", "zone In z1"), "must": ("zone In z2",)}, "zone In [z2] does not go with", "change topology"),
    ("requirements", {"must": ("size In 16",)}, "satisfies size In [16]; it has 2, 4", "drop size"),
    ("requirements", {"must": ("size In 2", "type In m4")}, "satisfies all of", ""),
    ("requirements", {"pool": a_pool("p", "size In 16")}, "the pool's own requirements", ""),
    ("resources", {"cpu": "5"}, "needs cpu 5; the most that a machine of the pool leaves is 4 (m4)", "larger machine"),
    ("resources", {"cpu": "2000000"}, "was m meant, not M?", ""),
    ("resources", {"memory": "17Gi"}, "needs memory 17Gi", ""),
    ("daemonset", {"cpu": "3500m", "daemons": [a_daemon_set("d", cpu="1")]}, "after daemons' 1", ""),
    ("offering", {"types": UNAVAILABLE}, "all 3 offerings that fit are unavailable", ""),
    ("limits", {"pool": a_pool("p", limits={"nodes": "2"}), "remaining": {"nodes": 0}}, "limit of 2 nodes", "raise limits.nodes"),
    ("limits", {"pool": a_pool("p", limits={"cpu": "9"}), "remaining": {"cpu": 1000}},
     "limit cpu 9 of pool p, used 8, smallest allowed node 2", "a limit of 10 or more"),
    ("min-values", {"pool": a_pool("p", requirements=(needs("type Exists", min_values=2),)), "cpu": "3"},
     "minValues 2 of node.kubernetes.io/instance-type cannot be kept: 1 left", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("constraint", "case", "text", "miss"), REFUSED, ids=[r[2] for r in REFUSED]
)
def test_the_first_thing_in_the_way_is_told_with_names_and_numbers(constraint, case, text, miss):
    refusal = answer(**case)
    assert not isinstance(refusal, Feasible)
    assert (refusal.pool, refusal.constraint) == ("p", constraint)
    assert text in refusal.message
    assert miss in refusal.nearest_miss
    assert len(refusal.message) <= 300


def test_limits_that_no_machine_fits_at_once():
    types = (a_type("c", "4", memory="4Gi"), a_type("m", "2", memory="16Gi"))
    pool = a_pool("p", limits={"cpu": "2", "memory": "4Gi"})
    refusal = answer(pool, types=types, remaining=dict(pool.limits))
    assert refusal.message == "no machine fits all limits of pool p at once"


def test_machines_that_have_each_resource_but_not_together():
    types = (a_type("c", "8", memory="1Gi"), a_type("m", "1", memory="64Gi"))
    refusal = answer(types=types, cpu="4", memory="8Gi")
    assert refusal.message == "no single machine of the pool has enough of everything it requests"


def test_long_lists_are_cut():
    refusal = answer(must=("size In " + " ".join(f"{n:060}" for n in range(9)),))
    assert refusal.message.endswith("…")


def test_or_ed_terms_are_tried_in_order():
    terms = (a_term("size In 16"), a_term("size In 4"))
    found = answer(required_terms=terms)
    assert found.template.table.types_of(found.rows).tolist() == [False, True]
    assert answer(required_terms=terms[:1]).constraint == "requirements"
    second = (a_term("tier In x"), a_term("size In 16"))
    assert '"tier"' in answer(required_terms=second).message


def test_an_unsized_question_leaves_sizes_aside():
    assert isinstance(answer(cpu="9", sized=False), Feasible)


def test_policy_may_cut_everything():
    rule = RuleRef(policy="own", rule="none")
    (shape,) = intern_shapes([a_pod()])
    template = a_template(a_pool("p"), TYPES)
    for message, told in (("too dear", "too dear"), ("", "policy leaves none of 6 offerings")):
        screened = Screened(
            rows=template.matching & False,
            prices=template.table.prices,
            blocking=rule,
            message=message,
        )
        question = Question(
            shape=shape, template=template, remaining={}, screen=lambda *_, s=screened: s
        )
        refusal = examine(question)
        assert (refusal.constraint, refusal.message, refusal.rule) == ("policy", told, rule)
        assert "without own/none" in refusal.nearest_miss


def test_soft_taints_are_a_last_resort():
    soft = answer(a_pool("s", taints=(Taint(key="t", effect=PREFER_NO_SCHEDULE),)))
    plain = answer()
    assert (soft.soft, plain.soft) == (True, False)
    assert preferred([soft, plain]) == [plain]
    assert preferred([soft]) == [soft]


def test_a_zero_request_for_what_no_machine_has_is_fine():
    assert isinstance(answer(containers=(a_container(requests={"example.com/x": "0"}),)), Feasible)


@pytest.mark.parametrize(
    ("key", "meant"),
    [("x/instance-cpu", "a.example/instance-cpu"), ("instance_cpu", "a.example/instance-cpu"), ("instancecpu", "a.example/instance-cpu"),
     ("example/instance", "a.example/instance-cpu"), ("zone", "z.example/zone"), ("nothing-like-it", "")],
)  # fmt: skip
def test_the_nearest_label(key, meant):
    known = ["z.example/zone", "a.example/instance-cpu", "b.example/zone-id"]
    assert nearest_key(key, known) == meant


def test_a_conflict_reads_as_a_clause():
    from policyscaler.model.requirements import requirement

    wanted = requirement("zonee", "In", ("a",))
    conflict = Conflict(key="zonee", undefined=True, want=wanted, hint="zone")
    assert str(conflict).endswith('did you mean "zone"?')
