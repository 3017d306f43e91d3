"""Reads Scenario files: strictly, with positions, and with everything that they name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path as FilePath
from typing import Final

import msgspec

from policyscaler.manifests.checking import check_tree
from policyscaler.manifests.decoding import BUILT_IN
from policyscaler.manifests.findings import ERROR, Code, Finding, Path, did_you_mean
from policyscaler.manifests.kinds import Kind
from policyscaler.manifests.loading import Loaded, Vocabulary, load
from policyscaler.manifests.reading import files_of, read_documents, read_text
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Document, child, map_at, text_at
from policyscaler.model.durations import parse_duration
from policyscaler.model.errors import ConfigError
from policyscaler.model.money import parse_price
from policyscaler.simulation import scenario_wire as wire
from policyscaler.simulation.market import Selection
from policyscaler.simulation.objects import DELETABLE, NAMESPACED, objects_of
from policyscaler.simulation.scenario import (
    Action,
    Apply,
    CapacityError,
    Delete,
    Interrupt,
    LaunchFailure,
    PolicyChange,
    PriceChange,
    Scale,
    Scenario,
    ScenarioEvent,
)
from policyscaler.simulation.settings import Settings

API_VERSION: Final = "policyscaler.dev/v1alpha1"
KIND: Final = "Scenario"
FILE_NAME: Final = "scenario.yaml"
DEFAULT_START: Final = datetime(2026, 1, 5, tzinfo=UTC)  # a Monday; fixed, so that runs repeat
_ACTIONS: Final = (
    "scale", "apply", "delete", "interrupt", "price", "capacityError", "launchFailure", "policy",
)  # fmt: skip


def load_scenario(
    path: str | FilePath, *, kinds: Sequence[Kind] = (), vocabulary: Vocabulary | None = None
) -> tuple[Scenario | None, tuple[Finding, ...]]:
    """Returns the scenario of a file or of a folder's scenario.yaml, and all findings.

    Args:
        path: the file, or a folder that holds scenario.yaml.
        kinds: kinds of manifests that providers add.
        vocabulary: the labels that providers know; misspelt ones are errors then.

    Returns:
        None for the scenario when the file has an error. Errors in the manifests that it names
        leave out the objects they are in, and the scenario stands.
    """
    file = FilePath(path)
    if file.is_dir():
        file = file / FILE_NAME
    findings: list[Finding] = []
    text = read_text(str(file), stdin=None, sink=findings)
    if text is None:
        return None, tuple(findings)
    documents = list(read_documents(str(file), text, sink=findings))
    if len(documents) != 1:
        if not any(finding.severity == ERROR for finding in findings):
            findings.append(_whole(file, f"holds {len(documents)} objects, not one Scenario"))
        return None, tuple(findings)
    scenario = _Reader(documents[0], kinds=kinds, vocabulary=vocabulary, sink=findings).read()
    return scenario, tuple(findings)


def _whole(file: FilePath, message: str) -> Finding:
    return Finding(
        severity=ERROR, code=Code.NOT_AN_OBJECT.value, message=f"{file} {message}",
        suggestion="put other objects into files and name those under spec.manifests",
    )  # fmt: skip


class _Reader:
    """Reads one Scenario document."""

    def __init__(
        self, document: Document, *, kinds: Sequence[Kind], vocabulary: Vocabulary | None,
        sink: list[Finding],
    ) -> None:  # fmt: skip
        self._document = document
        self._folder = FilePath(document.source.file).parent
        self._kinds = tuple(kinds)
        self._vocabulary = vocabulary
        self._sink = sink
        self._reporter = Reporter(document, sink)

    def read(self) -> Scenario | None:
        """Returns the scenario, or None after reporting why there is none."""
        tree = self._document.tree
        if not self._is_scenario() or not check_tree(
            tree, wire.ScenarioWire, reporter=self._reporter
        ):
            return None
        manifest = msgspec.convert(tree, wire.ScenarioWire)
        spec = manifest.spec
        start = spec.start or DEFAULT_START
        objects = self._load(list(spec.manifests), at=("spec", "manifests"))
        events = [self._event(event, index) for index, event in enumerate(spec.events)]
        if self._reporter.failed:
            return None
        return Scenario(
            name=manifest.metadata.name,
            start=start if start.tzinfo else start.replace(tzinfo=UTC),
            duration=parse_duration(spec.duration),
            seed=spec.seed,
            settings=_settings(spec.settings),
            objects=objects,
            events=tuple(event for event in events if event is not None),
            findings=tuple(self._sink),
        )

    def _is_scenario(self) -> bool:
        wanted = {"apiVersion": API_VERSION, "kind": KIND}
        for field, expected in wanted.items():
            found = text_at(self._document.tree, field)
            if found != expected:
                self._reporter.error(
                    Code.UNKNOWN_KIND, f'{field} is "{found[:60]}", not {expected}', at=(field,),
                    suggestion=f"write {field}: {expected}",
                )  # fmt: skip
        return not self._reporter.failed

    def _load(self, paths: list[str], *, at: Path) -> Loaded:
        missing = [p for p in paths if not (self._folder / p).exists()]
        for name in missing:
            index = (*at, paths.index(name)) if len(at) == 2 else at
            self._reporter.error(
                Code.UNREADABLE, f'"{name}" does not exist in {self._folder}', at=index
            )
        found = [self._folder / p for p in paths if p not in missing]
        itself = FilePath(self._document.source.file).resolve()
        files = [f for f in files_of(found, sink=self._sink) if FilePath(f).resolve() != itself]
        loaded = load(files, kinds=self._kinds, vocabulary=self._vocabulary)
        self._sink.extend(loaded.findings)
        return loaded

    def _event(self, event: wire.EventWire, index: int) -> ScenarioEvent | None:
        at: Path = ("spec", "events", index)
        event_tree = child(child(map_at(self._document.tree, "spec"), "events"), index)
        written = [name for name in _ACTIONS if child(event_tree, name) is not None]
        if len(written) != 1:
            what = (
                f"has {len(written)} actions: {', '.join(written)}" if written else "does nothing"
            )
            self._reporter.error(
                Code.BROKEN_RULE, what, at=at, suggestion=f"write one of {', '.join(_ACTIONS)}"
            )
            return None
        action = self._action(event, (*at, written[0]))
        if action is None:
            return None
        repeat = event.repeat
        return ScenarioEvent(
            at=parse_duration(event.at),
            action=action,
            every=parse_duration(repeat.every) if repeat else None,
            times=repeat.times if repeat else None,
        )

    def _action(self, event: wire.EventWire, at: Path) -> Action | None:
        if event.scale is not None:
            return Scale(
                kind=event.scale.kind, namespace=event.scale.namespace,
                name=event.scale.name, replicas=event.scale.replicas,
            )  # fmt: skip
        if event.launch_failure is not None:
            failure = event.launch_failure
            return LaunchFailure(count=failure.count, silently=failure.stage == "register")
        if event.capacity_error is not None:
            return CapacityError(
                offerings=_selection(event.capacity_error),
                duration=parse_duration(event.capacity_error.duration),
            )
        if event.policy is not None:
            loaded = self._load([event.policy], at=at)
            return PolicyChange(policies=loaded.policies, label=event.policy)
        return self._further_action(event, at)

    def _further_action(self, event: wire.EventWire, at: Path) -> Action | None:
        if event.price is not None:
            return self._price(event.price, at)
        if event.delete is not None:
            return self._delete(event.delete, at)
        if event.interrupt is not None:
            return self._interrupt(event.interrupt, at)
        if isinstance(event.apply, str):
            loaded = self._load([event.apply], at=at)
            return Apply(objects=objects_of(loaded), label=event.apply)
        return self._inline(at)

    def _price(self, price: wire.PriceWire, at: Path) -> PriceChange | None:
        if (price.factor is None) == (price.price is None):
            self._reporter.error(Code.BROKEN_RULE, "wants either factor or price", at=at)
            return None
        try:
            micros = parse_price(price.price) if price.price is not None else None
            factor = _factor(price.factor) if price.factor is not None else None
        except ConfigError as error:
            self._reporter.error(Code.BAD_VALUE, str(error), at=at)
            return None
        return PriceChange(offerings=_selection(price), factor=factor, price=micros)

    def _delete(self, reference: wire.ReferenceWire, at: Path) -> Delete | None:
        if reference.kind not in DELETABLE:
            self._reporter.error(
                Code.UNKNOWN_KIND, f'the kind "{reference.kind[:60]}" cannot be deleted here',
                at=(*at, "kind"),
                suggestion=did_you_mean(reference.kind, DELETABLE)
                or f"the kinds are {', '.join(sorted(DELETABLE))}",
            )  # fmt: skip
            return None
        namespace = (reference.namespace or "default") if reference.kind in NAMESPACED else ""
        return Delete(kind=reference.kind, namespace=namespace, name=reference.name)

    def _interrupt(self, interrupt: wire.InterruptWire, at: Path) -> Interrupt | None:
        ways = [bool(interrupt.node), bool(interrupt.node_selector), bool(interrupt.random)]
        if sum(ways) != 1:
            self._reporter.error(
                Code.BROKEN_RULE, "wants exactly one of node, nodeSelector and random", at=at
            )
            return None
        selector = tuple(sorted(interrupt.node_selector.items()))
        return Interrupt(node=interrupt.node, node_selector=selector, random=interrupt.random)

    def _inline(self, at: Path) -> Apply | None:
        """Decodes the object that stands in the event itself."""
        tree = map_at(self._document.tree, *at)
        names = (text_at(tree, "apiVersion"), text_at(tree, "kind"))
        kinds = {(kind.api_version, kind.kind): kind for kind in (*BUILT_IN, *self._kinds)}
        kind = kinds.get(names)
        if kind is None or kind.convert is not None:
            self._reporter.error(
                Code.UNKNOWN_KIND, f'"{" ".join(names)[:80]}" cannot be applied here', at=at,
                suggestion=did_you_mean(names[1], sorted({k for _, k in kinds}))
                or "put it into a file and name the file",
            )  # fmt: skip
            return None
        inner = Document(
            source=self._document.source, tree=tree, start=self._document.start,
            prefix=(*self._document.prefix, *at),
            root=self._document.tree if self._document.root is None else self._document.root,
        )  # fmt: skip
        reporter = Reporter(inner, self._sink)
        value = kind.decode(tree, reporter)
        if value is None or reporter.failed:
            self._reporter.failed = True
            return None
        return Apply(objects=(value,), label=reporter.subject)


def _selection(offerings: wire.OfferingsWire) -> Selection:
    return Selection(
        instance_type=offerings.instance_type, zone=offerings.zone,
        capacity_type=offerings.capacity_type,
    )  # fmt: skip


def _factor(value: str | int | float) -> Decimal:
    try:
        factor = Decimal(repr(value) if isinstance(value, float) else str(value))
    except InvalidOperation:
        raise ConfigError(f'"{value}" is not a factor; write a number such as 1.5') from None
    if not factor.is_finite() or factor < 0:
        raise ConfigError(f'"{value}" is not a factor; write zero or more')
    return factor


def _settings(written: wire.SettingsWire) -> Settings:
    changes: dict[str, timedelta | int] = {}
    for name in written.__struct_fields__:
        value = getattr(written, name)
        if value is not None:
            changes[name] = parse_duration(value) if isinstance(value, str) else value
    return msgspec.structs.replace(Settings(), **changes)
