"""Writes docs/schemas/*.json: the JSON Schema of everything that commands print with --format json."""

import sys
from pathlib import Path

import msgspec

from policyscaler.cli.documents.schemas import DOCUMENTS, document_schema

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"


def wanted() -> dict[Path, str]:
    """Returns the text of each file."""
    texts = {}
    for kind, document in DOCUMENTS.items():
        encoded = msgspec.json.encode(document_schema(kind, document))
        text = msgspec.json.format(encoded, indent=2).decode() + "\n"
        texts[FOLDER / f"{kind}.json"] = text
    return texts


def main(arguments: list[str]) -> int:
    """Writes the files, or with --check says which of them differ."""
    differing = [
        path
        for path, text in wanted().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in arguments:
        for path in differing:
            print(f"{path.relative_to(FOLDER.parents[1])} is stale: run {Path(__file__).name}")
        return int(bool(differing))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in differing:
        path.write_text(wanted()[path], encoding="utf-8")
        print(f"wrote {path.relative_to(FOLDER.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
