"""What all documents share: version, money, names, rules and findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from policyscaler.manifests.findings import Finding
from policyscaler.model import plan
from policyscaler.model.meta import SourcePosition
from policyscaler.model.money import decimal_price
from policyscaler.model.quantities import format_resource
from policyscaler.model.resources import Resources
from policyscaler.model.snapshot import ObjectKey

API_VERSION: Final = "policyscaler.dev/v1alpha1"
ApiVersion = Literal["policyscaler.dev/v1alpha1"]

Money = Annotated[
    str,
    Meta(
        pattern=r"^-?[0-9]+(\.[0-9]*[1-9])?$",
        description="Exact decimal text in US dollars, without trailing zeros; never rounded.",
        examples=["0.192"],
    ),
]
PodName = Annotated[str, Meta(description="`namespace/name` of a pod.", examples=["default/web-0"])]
Instant = Annotated[str, Meta(description="RFC 3339 in UTC.", examples=["2026-01-01T00:00:00Z"])]
Quantities = Annotated[
    dict[str, str],
    Meta(description="Kubernetes quantities by resource name.", examples=[{"cpu": "1500m"}]),
]
Severity = Literal["error", "warning", "note"]


class Document(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The base of all documents: fields are written in camelCase."""


class PositionDocument(Document, frozen=True, kw_only=True):
    """Where something is written: lines and columns start at 1."""

    file: str
    line: int
    column: int


class RuleDocument(Document, frozen=True, kw_only=True):
    """A rule by the policy that holds it and its name, and where it is written."""

    policy: str
    rule: str
    source: PositionDocument | None


class FindingDocument(Document, frozen=True, kw_only=True):
    """Something that a person should know about a decision, or about the files it was made from."""

    severity: Severity
    code: Annotated[str, Meta(description="Of a finding about files, such as PS013; else empty.")]
    subject: str
    message: str
    rule: RuleDocument | None
    source: Annotated[PositionDocument | None, Meta(description="Of a finding about files.")]


def pod_name(key: ObjectKey) -> str:
    """Returns `namespace/name`."""
    return f"{key[0]}/{key[1]}"


def pod_names(keys: Iterable[ObjectKey]) -> list[str]:
    """Returns `namespace/name` of each, in the order given."""
    return [pod_name(key) for key in keys]


def money(micros: int) -> str:
    """Returns micro-dollars as exact decimal text in dollars."""
    return decimal_price(micros)


def quantities(resources: Resources) -> dict[str, str]:
    """Returns resources as Kubernetes quantities, sorted by name."""
    return {name: format_resource(name, resources[name]) for name in sorted(resources)}


def sorted_map(items: Mapping[str, str]) -> dict[str, str]:
    """Returns a map in the order of its keys."""
    return {key: items[key] for key in sorted(items)}


def position_document(position: SourcePosition | None) -> PositionDocument | None:
    """Returns the document of a position."""
    if position is None:
        return None
    return PositionDocument(file=position.file, line=position.line, column=position.column)


def rule_document(rule: plan.RuleRef | None) -> RuleDocument | None:
    """Returns the document of a rule."""
    if rule is None:
        return None
    return RuleDocument(policy=rule.policy, rule=rule.rule, source=position_document(rule.source))


def rule_documents(rules: Iterable[plan.RuleRef]) -> list[RuleDocument]:
    """Returns the documents of rules, in the order given."""
    return [found for rule in rules if (found := rule_document(rule)) is not None]


def finding_documents(findings: Iterable[plan.Finding]) -> list[FindingDocument]:
    """Returns the documents of a plan's findings, in the order given."""
    return [
        FindingDocument(
            severity=severity_of(finding.severity), code="", subject=finding.subject,
            message=finding.message, rule=rule_document(finding.rule), source=None,
        )
        for finding in findings
    ]  # fmt: skip


def file_finding_documents(findings: Iterable[Finding]) -> list[FindingDocument]:
    """Returns the documents of findings about files, in the order given."""
    return [
        FindingDocument(
            severity=severity_of(finding.severity), code=finding.code, subject=finding.subject,
            message=sentence(finding), rule=None, source=position_document(finding.position),
        )
        for finding in findings
    ]  # fmt: skip


def sentence(finding: Finding) -> str:
    """Returns subject, field, message and way out in one line, without the place."""
    subject = " ".join(part for part in (finding.subject, finding.path) if part)
    lead = f"{subject}: " if subject else ""
    way_out = f"; {finding.suggestion}" if finding.suggestion else ""
    return f"{lead}{finding.message}{way_out}"


def severity_of(text: str) -> Severity:
    """Returns a severity as the documents' type."""
    match text:
        case "error":
            return "error"
        case "warning":
            return "warning"
        case _:
            return "note"


def encode(document: Document) -> str:
    """Returns a document as indented JSON text with a final newline; fields keep their order."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
