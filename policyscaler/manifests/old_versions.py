"""What translations of old versions need to know beyond the object, and what they share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from policyscaler.manifests.findings import Path, format_path
from policyscaler.manifests.kinds import Change, Conversion
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Tree, clone_child, map_at, text_at
from policyscaler.model import labels

POOL_API: Final = "karpenter.sh/v1"
KUBELET_ANNOTATION: Final = "compatibility.karpenter.sh/v1beta1-kubelet-conversion"
DEFAULT_EXPIRY: Final = "720h"
DEFAULT_BUDGET: Final = "10%"


@dataclass(slots=True)
class Surroundings:
    """What is known of the other objects when one is translated.

    Attributes:
        class_group: API group of the provider's NodeClasses, empty when no provider is there.
        class_kind: their kind.
        keep_old_defaults: write out what a Provisioner meant without saying.
        expiry: the age limit of each pool, as written; old claims get theirs from it.
        kubelet: kubelet settings that old pools carried, by (group, kind, name) of their class.
    """

    class_group: str = ""
    class_kind: str = ""
    keep_old_defaults: bool = True
    expiry: dict[str, str] = field(default_factory=dict)
    kubelet: dict[tuple[str, str, str], Tree] = field(default_factory=dict)


class Translator:
    """Records what a translation does to one object."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._changes: list[Change] = []
        self._added: list[Change] = []
        self._warnings: list[tuple[Path, str]] = []

    def moved(self, before: Path, after: Path, *, value: str, old_value: str = "") -> None:
        """Records that a field moved, or that its value changed, or both."""
        self._changes.append(
            Change(
                before=format_path(before), after=format_path(after), value=value,
                old_value=old_value, position=self._reporter.position(before),
            )
        )  # fmt: skip

    def added(self, after: Path, *, value: str, reason: str) -> None:
        """Records a field that was not written."""
        self._added.append(
            Change(
                after=format_path(after), value=value, reason=reason,
                position=self._reporter.position(),
            )
        )  # fmt: skip

    def dropped(self, before: Path, *, value: str, reason: str) -> None:
        """Records a field that has no place in the served version."""
        self._changes.append(
            Change(
                before=format_path(before), value=value, reason=reason,
                position=self._reporter.position(before),
            )
        )  # fmt: skip

    def warn(self, at: Path, message: str) -> None:
        """Records something that a person must look at."""
        self._warnings.append((at, message))

    def keep_expiry_graceful(self, root: Tree) -> None:
        """Marks a pool whose expiry respects budgets, as it did in its version."""
        annotations = clone_child(clone_child(root, "metadata"), "annotations")
        annotations[labels.GRACEFUL_EXPIRY] = "true"
        self.added(
            ("metadata", "annotations", labels.GRACEFUL_EXPIRY),
            value='"true"',
            reason="expiry respected budgets then, and goes on doing so",
        )

    def keep_kubelet(
        self, root: Tree, kubelet: Tree, *, at: Path, surroundings: Surroundings
    ) -> None:
        """Hands kubelet settings to the NodeClass, and keeps them as an annotation."""
        ref = map_at(root, "spec", "template", "spec", "nodeClassRef")
        key = (text_at(ref, "group"), text_at(ref, "kind"), text_at(ref, "name"))
        text = msgspec.json.encode(kubelet, order="sorted").decode()
        annotations = clone_child(clone_child(root, "metadata"), "annotations")
        annotations[KUBELET_ANNOTATION] = text
        first = surroundings.kubelet.setdefault(key, kubelet)
        target = f"{key[1]}/{key[2]}"
        self.moved(at, ("metadata", "annotations", KUBELET_ANNOTATION), value=text)
        if first == kubelet:
            self.warn(
                at,
                f"kubelet settings belong to the NodeClass now: put them into {target}, spec.kubelet",
            )
        else:
            self.warn(
                at, f"{target} has other kubelet settings from another pool; these are not applied"
            )

    def result(self, tree: Tree) -> Conversion:
        """Returns the translated object with everything that was recorded."""
        return Conversion(
            tree=tree,
            changes=(*self._changes, *self._added),
            warnings=tuple(self._warnings),
        )
