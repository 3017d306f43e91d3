"""What expressions gave on a catalogue, kept for as long as what they read is the same.

An expression that reads only the offering is computed once a catalogue; one that reads the shape
once per combination of the fields that it reads, so a thousand pods of six kinds cost six
evaluations. Forgetting changes the time, never an answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from policyscaler.model.offerings import Catalogue
from policyscaler.policy.closures import read_field
from policyscaler.policy.columns import Mask
from policyscaler.policy.expression import Program
from policyscaler.policy.faults import EvalError
from policyscaler.policy.offeringrows import OfferingRows, offering_facts, offering_rows
from policyscaler.policy.types import BOOL
from policyscaler.policy.vocabulary import PARAMS

Values: TypeAlias = NDArray[np.bool_] | NDArray[np.float64]

_CATALOGUES: Final = 8
_BYTES: Final = 64 * 2**20
"""The most that the answers on one catalogue may take."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program gave per row; read-only.

    Attributes:
        values: bools or doubles; False and 0 where it failed.
        failed: the rows that failed.
        any_failed: whether there are any.
        error: what one of them said.
    """

    values: Values
    failed: Mask
    any_failed: bool = False
    error: str = ""


@dataclass(slots=True)
class _Kept:
    rows: OfferingRows
    answers: OrderedDict[tuple[object, ...], Answer] = field(default_factory=OrderedDict)
    facts: dict[int, dict[str, object]] = field(default_factory=dict)
    size: int = 0


class RowCache:
    """Answers of row programs by catalogue."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, _Kept] = OrderedDict()

    def rows(self, catalogue: Catalogue) -> OfferingRows:
        """Returns the columns of a catalogue."""
        return self._of(catalogue).rows

    def facts(self, catalogue: Catalogue, index: int) -> dict[str, object]:
        """Returns one offering as a mapping."""
        kept = self._of(catalogue)
        found = kept.facts.get(index)
        if found is None:
            found = kept.facts[index] = offering_facts(kept.rows.rows[index])
        return found

    def ask(self, program: Program, catalogue: Catalogue, bindings: Mapping[str, object]) -> Answer:
        """Returns what a program gives on each row of a catalogue.

        Args:
            program: reads the offering; lives as long as this cache does.
            catalogue: the rows.
            bindings: the other variables.
        """
        kept = self._of(catalogue)
        key = (id(program), *_read_values(program, bindings))
        found = kept.answers.get(key)
        if found is not None:
            kept.answers.move_to_end(key)
            return found
        answer = kept.answers[key] = self._compute(program, catalogue, bindings)
        kept.size += answer.values.nbytes + answer.failed.nbytes
        while kept.size > _BYTES and len(kept.answers) > 1:
            _, oldest = kept.answers.popitem(last=False)
            kept.size -= oldest.values.nbytes + oldest.failed.nbytes
        return answer

    def _of(self, catalogue: Catalogue) -> _Kept:
        # A catalogue without a digest is told by its identity, which its rows keep alive.
        key: object = catalogue.digest or id(catalogue)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _Kept(offering_rows(catalogue))
            if len(self._kept) > _CATALOGUES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return kept

    def _compute(
        self, program: Program, catalogue: Catalogue, bindings: Mapping[str, object]
    ) -> Answer:
        if program.engine != "columns":
            return self._row_by_row(program, catalogue, bindings)
        table = self.rows(catalogue).table
        values, failed = program.evaluate_rows(table, bindings)
        kind = np.bool_ if program.result_type == BOOL else np.float64
        if failed is None:
            return Answer(values.astype(kind), np.zeros(table.size, dtype=bool))
        first = int(np.argmax(failed))
        error = program.evaluate({**bindings, "offering": self.facts(catalogue, first)})
        kept: Values = np.where(failed, np.zeros(1, dtype=kind), values).astype(kind)
        return Answer(kept, failed, any_failed=True, error=str(error))

    def _row_by_row(
        self, program: Program, catalogue: Catalogue, bindings: Mapping[str, object]
    ) -> Answer:
        size = self.rows(catalogue).table.size
        kind = np.bool_ if program.result_type == BOOL else np.float64
        values: Values = np.zeros(size, dtype=kind)
        failed, error = np.zeros(size, dtype=bool), ""
        for index in range(size):
            value = program.evaluate({**bindings, "offering": self.facts(catalogue, index)})
            if isinstance(value, EvalError):
                failed[index], error = True, error or str(value)
            else:
                values[index] = bool(value) if kind is np.bool_ else float(str(value))
        return Answer(values, failed, any_failed=bool(error), error=error)


def _read_values(program: Program, bindings: Mapping[str, object]) -> list[object]:
    """The values of everything that a program reads beside the offering and its parameters."""
    values: list[object] = []
    for path in sorted(program.reads):
        first, *rest = path.split(".")
        if first not in ("offering", PARAMS):
            value = bindings.get(first)
            for name in rest:
                value = None if value is None else read_field(value, name)
            values.append(_frozen(value))
    return values


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in value)
    return value
