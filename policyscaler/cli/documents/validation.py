"""`validate --format json` (kind ValidationReport) and `--format sarif`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from policyscaler import __version__
from policyscaler.cli.documents.values import (
    API_VERSION,
    ApiVersion,
    Document,
    Severity,
    sentence,
    severity_of,
)
from policyscaler.manifests.findings import ERROR, NOTE, WARNING, Finding

_SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


class ProblemDocument(Document, frozen=True, kw_only=True):
    """One fault, doubt or remark; errors keep the object from being used."""

    severity: Severity
    code: Annotated[
        str, Meta(pattern="^PS[0-9]{3}$", description="Stable from release to release.")
    ]
    message: str
    file: Annotated[str, Meta(description="Empty for what was read from no file.")]
    line: Annotated[int, Meta(description="From 1; 0 when there is no file.")]
    column: Annotated[int, Meta(description="From 1; 0 when there is no file.")]
    subject: Annotated[str, Meta(description="`Kind/name` of the object, or empty.")]
    path: Annotated[str, Meta(description="The field, or empty.")]
    suggestion: Annotated[str, Meta(description="The way out, or empty.")]


class ValidationDocument(Document, frozen=True, kw_only=True):
    """What `policyscaler validate` found, in the order of the files."""

    api_version: ApiVersion
    kind: Literal["ValidationReport"]
    objects: Annotated[int, Meta(description="How many objects can be used.")]
    errors: int
    warnings: int
    notes: int
    findings: list[ProblemDocument]


def problem_document(finding: Finding) -> ProblemDocument:
    """Returns the document of a finding about what was loaded."""
    place = finding.position
    return ProblemDocument(
        severity=severity_of(finding.severity), code=finding.code, message=finding.message,
        file=place.file if place else "", line=place.line if place else 0,
        column=place.column if place else 0, subject=finding.subject, path=finding.path,
        suggestion=finding.suggestion,
    )  # fmt: skip


def validation_document(findings: Sequence[Finding], *, objects: int) -> ValidationDocument:
    """Returns the document of a validation."""
    counted = {
        level: sum(finding.severity == level for finding in findings)
        for level in (ERROR, WARNING, NOTE)
    }
    return ValidationDocument(
        api_version=API_VERSION, kind="ValidationReport", objects=objects,
        errors=counted[ERROR], warnings=counted[WARNING], notes=counted[NOTE],
        findings=[problem_document(finding) for finding in findings],
    )  # fmt: skip


def sarif_text(findings: Iterable[Finding]) -> str:
    """Returns the findings as SARIF 2.1.0, which code hosts show beside the lines."""
    results = [_sarif_result(finding) for finding in findings]
    codes = sorted({str(result["ruleId"]) for result in results})
    driver = {
        "name": "policyscaler",
        "version": __version__,
        "rules": [{"id": code} for code in codes],
    }
    report = {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def _sarif_result(finding: Finding) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.code,
        "level": severity_of(finding.severity),
        "message": {"text": sentence(finding)},
    }
    if finding.position is not None:
        region = {"startLine": finding.position.line, "startColumn": finding.position.column}
        place = {"artifactLocation": {"uri": finding.position.file}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    return result
