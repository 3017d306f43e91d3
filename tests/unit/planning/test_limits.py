"""Admission under limits, and what is shared out of the rest."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from policyscaler.planning.limits import Admitted, Cap, admit, share_out

ROWS = 6
AMOUNTS = st.lists(st.integers(0, 20), min_size=ROWS, max_size=ROWS)


@st.composite
def candidates(draw):
    caps = {key: np.array(draw(AMOUNTS)) for key in ("a", "b", "free")}
    found = []
    for opener in range(draw(st.integers(1, 6))):
        rows = np.array(draw(st.permutations(range(ROWS)))[: draw(st.integers(1, ROWS))])
        keys = draw(st.lists(st.sampled_from(sorted(caps)), unique=True, max_size=3))
        found.append(
            Admitted(
                node=None, row=int(rows[0]), flexible=rows, opener=opener,
                caps=tuple(Cap(key=key, amounts=caps[key]) for key in keys),
            )
        )  # fmt: skip
    return found


@given(candidates(), st.dictionaries(st.sampled_from(["a", "b"]), st.integers(-5, 60), min_size=2))
def test_no_limit_is_overshot_whatever_the_nodes_become(some, limits):
    remaining = dict(limits)
    within, beyond = admit(some, remaining)
    assert sorted(n.opener for n in (*within, *beyond)) == list(range(len(some)))
    shared = share_out(within, remaining)
    for key, limit in limits.items():
        worst = sum(int(cap.amounts[node.flexible].max()) for node in shared for cap in node.caps
                    if cap.key == key)  # fmt: skip
        assert worst <= limit or worst == 0
    for before, after in zip(within, shared, strict=True):
        assert after.flexible[0] == before.row
        assert [row for row in before.flexible if row in after.flexible] == after.flexible.tolist()


@given(candidates(), st.dictionaries(st.sampled_from(["a", "b"]), st.integers(0, 60), min_size=2))
def test_what_is_refused_would_not_have_fitted_then(some, limits):
    remaining = dict(limits)
    _, beyond = admit(some, remaining)
    for node in beyond:
        takes = {cap.key: int(cap.amounts[node.row]) for cap in node.caps}
        assert any(amount > remaining.get(key, 10**9) for key, amount in takes.items())
