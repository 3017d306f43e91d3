"""Where text goes: plain on pipes and under NO_COLOR, coloured on terminals; progress on stderr."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console

_PATIENCE_SECONDS: Final = 2.0
_REPEAT_SECONDS: Final = 10.0
_STYLES: Final = {
    "ps.heading": "bold",
    "ps.error": "bold red",
    "ps.warning": "yellow",
    "ps.money": "green",
    "ps.dim": "dim",
}
_PATTERNS: Final = [
    r"(?P<heading>^[A-Z][A-Z ]+\b)",
    r"(?P<error>\berror\b)",
    r"(?P<warning>\bwarning\b)",
    r"(?P<money>-?\$[0-9.,]+(?:/h)?)",
    r"(?P<dim>\([^ ()]+:[0-9]+:[0-9]+\))",
]


def show(lines: Iterable[str]) -> None:
    """Prints lines on standard output, coloured where that is a terminal."""
    if sys.stdout.isatty():
        console = _console(stderr=False)
        for line in lines:
            console.print(line, soft_wrap=True, markup=False, emoji=False)
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def complain(lines: Iterable[str]) -> None:
    """Prints lines on standard error."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


def _console(*, stderr: bool) -> Console:
    from rich.console import Console
    from rich.highlighter import RegexHighlighter
    from rich.theme import Theme

    class Highlighter(RegexHighlighter):
        base_style = "ps."
        highlights = _PATTERNS

    return Console(stderr=stderr, highlighter=Highlighter(), theme=Theme(_STYLES))


@contextmanager
def working(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Says on standard error what takes so long, once it has taken two seconds.

    Args:
        what: such as `planning`.
        quiet: say nothing.
    """
    if quiet:
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(what, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(what: str, done: threading.Event) -> None:
    waited = _PATIENCE_SECONDS
    if done.wait(waited):
        return
    if sys.stderr.isatty():
        with _console(stderr=True).status(f"{what} …"):
            done.wait()
        return
    complain([f"{what} …"])
    while not done.wait(_REPEAT_SECONDS):
        waited += _REPEAT_SECONDS
        complain([f"{what} … {waited:.0f} s"])
