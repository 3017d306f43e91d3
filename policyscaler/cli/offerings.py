"""`offerings`: what can be launched, filtered and sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

import click

from policyscaler.cli.options import JSON, format_option, quiet_option

if TYPE_CHECKING:
    from policyscaler.model.offerings import Catalogue, OfferingRow
    from policyscaler.policy.expression import Program

_SHOWN: Final = 50


@click.command("offerings")
@click.argument("paths", nargs=-1, metavar="[PATHS...]")
@click.option(
    "--selector", "-l", "selectors", multiple=True, metavar="REQUIREMENT",
    help="labels: key=value, key!=value, 'key in (a,b)', key, !key, 'key>4'; a key's prefix may "
    "be left out, as in 'cpu>=4'",
)  # fmt: skip
@click.option(
    "--where", metavar="CEL", help="an expression over offering, such as offering.cpu >= 4"
)
@click.option(
    "--sort", type=click.Choice(["price", "price-per-cpu", "name", "cpu", "memory"]),
    default="price", show_default=True, help="what to sort by",
)  # fmt: skip
@click.option(
    "--limit", type=click.IntRange(min=0), default=None,
    help="how many to show, 0 for all; by default 50 as text and all as json",
)  # fmt: skip
@format_option
@quiet_option
def command(
    paths: tuple[str, ...],
    selectors: tuple[str, ...],
    where: str | None,
    sort: str,
    limit: int | None,
    form: str,
    quiet: bool,
) -> None:
    """List offerings: instance type, zone, capacity type and price.

    PATHS may hold NodeClasses and Catalogues; without any, what the installed providers offer by
    default is listed.
    """
    from policyscaler.cli.inputs import catalogues_in
    from policyscaler.cli.text.terminal import show, working

    with working("reading catalogues", quiet=quiet):
        catalogues = catalogues_in(paths, quiet=quiet)
        rows = _filtered(catalogues, selectors, where)
    rows.sort(key=lambda item: (not item[1].offering.available, *_ORDERS[sort](item)))
    notes = list(dict.fromkeys(note for catalogue in catalogues for note in catalogue.notes))
    count = limit if limit is not None else (0 if form == JSON else _SHOWN)
    shown = rows[:count] if count else rows
    if form == JSON:
        from policyscaler.cli.documents.offerings import offering_list
        from policyscaler.cli.documents.values import encode

        click.echo(encode(offering_list(shown, total=len(rows), notes=notes)), nl=False)
        return
    from policyscaler.cli.text.offerings import offering_lines

    show(offering_lines([row for _, row in shown], total=len(rows), notes=notes))


def _filtered(
    catalogues: Sequence[Catalogue], selectors: tuple[str, ...], where: str | None
) -> list[tuple[str, OfferingRow]]:
    from policyscaler.cli.selectors import matches, parse_selector

    rows = [(catalogue, row) for catalogue in catalogues for row in _rows(catalogue, where)]
    known = _label_keys(catalogues)
    wanted = [term for text in selectors for term in parse_selector(text, known)]
    return [
        (catalogue.name, row)
        for catalogue, row in rows
        if all(matches(requirement, row) for requirement in wanted)
    ]


def _rows(catalogue: Catalogue, where: str | None) -> Iterable[OfferingRow]:
    """All offerings, or those for which the expression is true; where it fails it is not."""
    if where is None:
        from policyscaler.model.offerings import rows_of

        return rows_of(catalogue)
    from policyscaler.policy.offeringrows import offering_rows

    program = _filter(where)
    listed = offering_rows(catalogue)
    kept, _ = program.evaluate_rows(listed.table, {})
    return [row for row, keep in zip(listed.rows, kept, strict=True) if keep]


def _filter(text: str) -> Program:
    """The program of --where; what is wrong with it is shown under the text itself."""
    from dataclasses import replace

    from policyscaler.model.errors import PolicyError
    from policyscaler.policy.expression import compile_expression
    from policyscaler.policy.findings import Finding, render_finding
    from policyscaler.policy.vocabulary import SITES

    try:
        return compile_expression(text, SITES["offerings.filter"], allow_absent=True)
    except PolicyError as error:
        shown = [
            render_finding(replace(finding, location="--where"), text)
            for finding in error.findings
            if isinstance(finding, Finding)
        ]
        raise PolicyError("\n".join(shown) or str(error), error.findings) from error


def _label_keys(catalogues: Iterable[Catalogue]) -> frozenset[str]:
    from policyscaler.model import labels as well

    types = [kind for catalogue in catalogues for kind in catalogue.types]
    keys = {key for kind in types for key in kind.labels}
    keys.update(key for kind in types for offering in kind.offerings for key in offering.labels)
    return frozenset(keys | {well.ZONE, well.CAPACITY_TYPE})


def _name_of(item: tuple[str, OfferingRow]) -> tuple[str, str, str]:
    _, row = item
    return (row.type.name, row.offering.zone, row.offering.capacity_type)


def _price(item: tuple[str, OfferingRow]) -> tuple[object, ...]:
    return (item[1].offering.price_micros_per_hour, *_name_of(item))


def _price_per_cpu(item: tuple[str, OfferingRow]) -> tuple[object, ...]:
    from fractions import Fraction

    row = item[1]
    cpu = row.type.allocatable.get("cpu", 0)
    each = Fraction(row.offering.price_micros_per_hour, cpu) if cpu else Fraction(10**18)
    return (each, *_name_of(item))


def _amount(resource: str) -> Callable[[tuple[str, OfferingRow]], tuple[object, ...]]:
    return lambda item: (item[1].type.capacity.get(resource, 0), *_price(item))


_ORDERS: Final[dict[str, Callable[[tuple[str, OfferingRow]], tuple[object, ...]]]] = {
    "price": _price, "price-per-cpu": _price_per_cpu, "name": _name_of,
    "cpu": _amount("cpu"), "memory": _amount("memory"),
}  # fmt: skip
