"""What was changed to read objects of old versions."""

from __future__ import annotations

from collections.abc import Iterable

from policyscaler.manifests.loaded import Translation


def translation_lines(translations: Iterable[Translation]) -> list[str]:
    """Returns each object with its changes and every default that was added."""
    lines = []
    for translation in translations:
        lines.append(
            f"{translation.position}: {translation.subject}: "
            f"{translation.from_version} → {translation.to_version}"
        )
        lines.extend(f"  {change}" for change in translation.changes)
    return lines
