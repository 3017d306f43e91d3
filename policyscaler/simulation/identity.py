"""Names, identifiers and chances that depend on what they are for, and on nothing else.

Every entity draws from a stream of its own, derived from the seed and the entity's name, so a
further entity in a scenario does not reshuffle the others.
"""

from __future__ import annotations

from datetime import timedelta
from hashlib import blake2b

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # as Kubernetes: no vowels, nothing that looks alike
_STEPS = 10_000


class Identities:
    """Derives identifiers and chances from a seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._births: dict[tuple[str, ...], int] = {}

    def number(self, *path: str) -> int:
        """Returns a number of 64 bits that depends on the seed and the path only."""
        text = "\0".join((str(self._seed), *path))
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")

    def suffix(self, *path: str, length: int = 5) -> str:
        """Returns a short text for a name, such as `x7k2p`."""
        number, letters = self.number("suffix", *path), []
        for _ in range(length):
            number, place = divmod(number, len(_ALPHABET))
            letters.append(_ALPHABET[place])
        return "".join(letters)

    def uid(self, kind: str, full_name: str) -> str:
        """Returns a new UID; the next object of the same name gets another one."""
        digits = f"{self.number('uid', kind, full_name, str(self.birth(kind, full_name))):016x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:]}-8000-{kind.lower():0<12.12}"

    def birth(self, *path: str) -> int:
        """Returns how many times this has been asked for the path before."""
        count = self._births.get(path, 0)
        self._births[path] = count + 1
        return count

    def vary(self, duration: timedelta, percent: int, *path: str) -> timedelta:
        """Returns a duration within so many percent of the given one."""
        if not percent:
            return duration
        place = self.number("vary", *path) % (2 * _STEPS + 1) - _STEPS
        micros = duration // timedelta(microseconds=1)
        return timedelta(microseconds=micros + micros * percent * place // (100 * _STEPS))
