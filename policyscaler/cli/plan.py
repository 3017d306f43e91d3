"""`plan`: what would be done now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from policyscaler.cli.options import JSON, decision_options

if TYPE_CHECKING:
    from policyscaler.cli.inputs import State
    from policyscaler.model.plan import Plan


@decision_options
@click.command("plan")
@click.option(
    "--detailed-exitcode", is_flag=True,
    help="exit with 0 when there is nothing to do, 2 when there is, 1 on an error",
)  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context, /, detailed_exitcode: bool, form: str, quiet: bool, **_further: object
) -> int:
    """Show what would be launched, placed and removed, and why.

    PATHS are any mix of pods, workloads, nodes, NodePools, NodeClasses, catalogues and policies,
    in files and folders; what kubectl writes with -o yaml or -o json will do. Pods that are bound
    to no node are pending, and a workload stands for the replicas that it lacks.

    Exit codes: 0; 1 when an object was left out because of an error. With --detailed-exitcode:
    0 nothing to do, 1 an error, 2 something to do.
    """
    from policyscaler.cli.inputs import read_state, request_of
    from policyscaler.cli.text.terminal import working
    from policyscaler.planning.decide import decide

    with working("reading", quiet=quiet):
        state = read_state(request_of(ctx))
    with working("planning", quiet=quiet):
        plan = decide(state.snapshot, state.policies, state.now)
    _show(plan, state, form=form)
    if state.errors:
        return 1
    return 2 if detailed_exitcode and _has_work(plan) else 0


def _show(plan: Plan, state: State, *, form: str) -> None:
    if form == JSON:
        from policyscaler.cli.documents.plan import plan_document
        from policyscaler.cli.documents.values import encode

        document = plan_document(plan, now=state.instant, found=state.findings, notes=state.notes)
        click.echo(encode(document), nl=False)
        return
    from policyscaler.cli.text.plan import plan_lines
    from policyscaler.cli.text.terminal import show

    notes = [f"decided as of {state.instant}", *state.notes]
    if state.errors:
        notes.insert(0, f"error: {state.errors} faults in the files: what they are in is left out")
    show(plan_lines(plan, pods=state.snapshot.pods, notes=notes))


def _has_work(plan: Plan) -> bool:
    return bool(plan.launches or plan.existing or plan.unschedulable or plan.disruptions)
