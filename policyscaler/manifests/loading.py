"""Loads manifests: any mix of files and folders in, typed values and findings out."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import BinaryIO

from policyscaler.manifests.decoding import Loading
from policyscaler.manifests.kinds import Kind
from policyscaler.manifests.loaded import Loaded
from policyscaler.manifests.reading import (
    files_of,
    read_text,
)
from policyscaler.manifests.vocabulary import Vocabulary, vocabulary_of

__all__ = ["Loaded", "Vocabulary", "load", "load_text", "vocabulary_of"]


def load(
    paths: Sequence[str | FilePath],
    *,
    kinds: Sequence[Kind] = (),
    stdin: BinaryIO | None = None,
    vocabulary: Vocabulary | None = None,
) -> Loaded:
    """Returns everything that can be loaded from files and folders.

    Args:
        paths: files, folders (searched for .yaml, .yml, .json and .csv in sorted order) and `-`
            for standard input.
        kinds: what providers add.
        stdin: what `-` reads.
        vocabulary: the labels that providers know (`vocabulary_of(providers)`): misspelt ones
            are then refused instead of launching nothing.
    """
    loading = Loading(kinds, vocabulary=vocabulary)
    with _uncollected():
        for file in files_of(paths, sink=loading.findings):
            text = read_text(file, stdin=stdin, sink=loading.findings)
            if text is not None:
                loading.add(file, text)
    return loading.result()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keeps the garbage collector away: trees hold no cycles, and walking them doubles the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def load_text(
    text: str,
    *,
    name: str = "manifest.yaml",
    kinds: Sequence[Kind] = (),
    vocabulary: Vocabulary | None = None,
) -> Loaded:
    """Returns everything that can be loaded from a text; `name` is what positions call it."""
    loading = Loading(kinds, vocabulary=vocabulary)
    loading.add(name, text)
    return loading.result()
