"""`explain`: why a pod, an offering or a node is decided as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from policyscaler.cli.options import JSON, decision_options

if TYPE_CHECKING:
    from policyscaler.cli.documents.values import Document
    from policyscaler.cli.inputs import State
    from policyscaler.model.plan import Plan
    from policyscaler.planning.explanation import Explainer


@click.group("explain")
def command() -> None:
    """Explain a decision: what was asked, what was left after each question, and what is near."""


@decision_options
@command.command("pod")
@click.argument("name")
@click.pass_context
def pod(ctx: click.Context, /, name: str, form: str, **_further: object) -> int:
    """Explain where pod NAME goes: namespace/name, name, or a workload's name for one of its pods.

    For each NodePool: how many offerings were left after each step and each rule, how many failed
    a rule, and how many that rule alone keeps out (ONLY).
    """
    from policyscaler.planning.explanation import find_pod

    state, _, explainer = _decide(ctx)
    answer = explainer.pod(find_pod(state.snapshot, name))

    def document() -> Document:
        from policyscaler.cli.documents.explanation import pod_explanation

        return pod_explanation(answer, now=state.instant)

    def text() -> list[str]:
        from policyscaler.cli.text.explanation import pod_lines

        return pod_lines(answer, pods=state.snapshot.pods)

    return _print(form, state, document=document, text=text)


@decision_options
@command.command("offering")
@click.argument("name")
@click.option("--pod", "about", required=True, metavar="POD", help="the pod that it would be for")
@click.pass_context
def offering(ctx: click.Context, /, name: str, about: str, form: str, **_further: object) -> int:
    """Explain what every rule says of offering NAME, which is type/zone/capacity-type.

    Each rule is shown with the values of its sub-expressions.
    """
    from policyscaler.planning.explanation import find_pod

    state, _, explainer = _decide(ctx)
    key = find_pod(state.snapshot, about)
    answers = explainer.offering(name, state.snapshot.pods[key])
    full_name = f"{key[0]}/{key[1]}"

    def document() -> Document:
        from policyscaler.cli.documents.explanation import offering_explanation

        return offering_explanation(answers, now=state.instant, pod=full_name)

    def text() -> list[str]:
        from policyscaler.cli.text.explanation import offering_lines

        return offering_lines(answers, pod=full_name)

    return _print(form, state, document=document, text=text)


@decision_options
@command.command("node")
@click.argument("name")
@click.pass_context
def node(ctx: click.Context, /, name: str, form: str, **_further: object) -> int:
    """Explain why node NAME stays or goes: every gate in order, and the rule behind it."""
    from policyscaler.manifests.findings import did_you_mean
    from policyscaler.model.errors import ConfigError

    state, plan, _ = _decide(ctx)
    known = {*state.snapshot.nodes, *state.snapshot.claims}
    if name not in known:
        hint = did_you_mean(name, known) or f"there are {len(known)}"
        raise ConfigError(f'there is no node "{name}"; {hint}')

    def document() -> Document:
        from policyscaler.cli.documents.explanation import node_explanation

        return node_explanation(plan, name, now=state.instant)

    def text() -> list[str]:
        from policyscaler.cli.text.explanation import gate_lines

        return gate_lines(plan, name)

    return _print(form, state, document=document, text=text)


def _decide(ctx: click.Context) -> tuple[State, Plan, Explainer]:
    from policyscaler.cli.inputs import read_state, request_of
    from policyscaler.cli.text.terminal import working
    from policyscaler.planning.decide import decide
    from policyscaler.planning.explanation import Explainer

    request = request_of(ctx)
    with working("planning", quiet=request.quiet):
        state = read_state(request)
        plan = decide(state.snapshot, state.policies, state.now)
    explainer = Explainer(state.snapshot, policies=state.policies, now=state.now, plan=plan)
    return state, plan, explainer


def _print(
    form: str,
    state: State,
    *,
    document: Callable[[], Document],
    text: Callable[[], list[str]],
) -> int:
    if form == JSON:
        from policyscaler.cli.documents.values import encode

        click.echo(encode(document()), nl=False)
    else:
        from policyscaler.cli.text.terminal import show

        show(text())
    return 1 if state.errors else 0
