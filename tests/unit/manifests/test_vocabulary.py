"""Labels of a provider's own domain are known to the last letter."""

import pytest

from policyscaler.manifests.converting import write_yaml
from policyscaler.manifests.loading import Vocabulary, load_text, vocabulary_of
from policyscaler.model import labels
from tests.unit.manifests.trees import a_pool_tree, a_requirement, requiring

OWN = Vocabulary(
    well_known=labels.WELL_KNOWN | {"machines.example.com/family"},
    restricted_domains=frozenset({"machines.example.com"}),
)


def findings_of(tree):
    return load_text(write_yaml(tree), vocabulary=OWN).findings


@pytest.mark.parametrize(
    ("key", "severity", "hint"),
    [
        ("machines.example.com/family", "", ""),
        ("machines.example.com/fammily", "error", "machines.example.com/family"),
        ("machines.example.com/colour-of-door", "error", ""),
        ("example.com/family", "", ""),
        ("topology.kubernetes.io/zome", "warning", "topology.kubernetes.io/zone"),
        ("team", "", ""),
    ],
)
def test_required_label(key, severity, hint):
    found = findings_of(requiring(a_requirement(key, "In", "x")))
    assert [finding.severity for finding in found] == ([severity] if severity else [])
    assert all((f'"{hint}"' in finding.suggestion) == bool(hint) for finding in found)


def test_label_of_a_pool_in_the_reserved_domain_is_refused():
    found = findings_of(
        a_pool_tree(template__metadata__labels={"machines.example.com/fammily": "x"})
    )
    assert [finding.severity for finding in found] == ["error"]


def test_no_provider_restricts_nothing_more():
    assert vocabulary_of([]) == Vocabulary()
