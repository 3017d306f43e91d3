"""How much of a file is read, and the error that says why it is not."""

from __future__ import annotations

from typing import Final

from policyscaler.manifests.findings import Code
from policyscaler.manifests.trees import Place
from policyscaler.model.errors import ConfigError

MAX_FILE: Final = 64 * 2**20
MAX_JSON: Final = 256 * 2**20  # 10,000 pods as kubectl prints them are 70 MiB
MAX_SCALAR: Final = 5 * 2**20
MAX_DEPTH: Final = 64
MAX_NODES: Final = 5_000_000
MAX_DIGITS: Final = 64  # no field of any kind holds a number of more characters


class ReadError(ConfigError):
    """Text that cannot be made into a tree: a code, a sentence and a place."""

    def __init__(self, code: Code, message: str, *, place: Place) -> None:
        super().__init__(message)
        self.code = code
        self.place = place
