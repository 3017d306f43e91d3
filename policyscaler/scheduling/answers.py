"""What a pool answers to one kind of pods, whatever their size."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from policyscaler.model.plan import PoolRefusal
from policyscaler.scheduling.feasibility import Feasible
from policyscaler.scheduling.offeringtable import Amounts
from policyscaler.scheduling.packing.problem import Option


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer that all classes of one kind share.

    Attributes:
        answer: how the pool can serve them, or what stands in the way.
        option: the same for packing; None after a refusal.
        best: amounts of the types that no other of the answer's beats, one row per type.
    """

    answer: Feasible | PoolRefusal
    option: Option | None = None
    best: Amounts = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
