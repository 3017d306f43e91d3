"""Writes into README pages what commands print, so that no page shows what was never printed.

A page holds `<!-- policyscaler ARGUMENTS -->`, or `<!-- policyscaler ARGUMENTS, from PREFIX -->` to show only what
begins with the first line that starts so, and after it a block of text, which is replaced.
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("examples/*/README.md"))]
BLOCK = re.compile(
    r"(<!-- policyscaler (?P<command>[^\n]*?)(?:, from (?P<start>\w+))? -->\n)```text\n.*?```\n",
    re.DOTALL,
)


@cache
def printed(command: str) -> str:
    """Returns what a command line prints; it must end with 0."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "policyscaler", *command.split()],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"policyscaler {command} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def block(match: re.Match[str]) -> str:
    """Returns a marker with its block renewed."""
    text = printed(match["command"])
    if match["start"]:
        text = text[re.search(rf"^{match['start']}\b", text, re.MULTILINE).start() :]  # type: ignore[union-attr] # fails loudly
    return f"{match[1]}```text\n{text}```\n"


def main(arguments: list[str]) -> int:
    """Writes the pages, or with --check says which of them differ."""
    stale = []
    for page in PAGES:
        old = page.read_text(encoding="utf-8")
        new = BLOCK.sub(block, old)
        if new == old:
            continue
        stale.append(page)
        if "--check" in arguments:
            print(f"{page.relative_to(ROOT)} is stale: run {Path(__file__).name}")
        else:
            page.write_text(new, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")
    return int("--check" in arguments and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
