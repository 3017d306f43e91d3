"""A name says what is inside, and every package says it once more in a sentence."""

import ast
import re

from tests.gates.repository import CODE, PRODUCT, ROOT, files, modules, tree

SAYS_NOTHING = re.compile(r"(?:^|_)(?:utils?|helpers?|commons?|managers?|misc)(?:_|$)")


def test_no_folder_or_module_has_a_name_that_says_nothing():
    names = {path: (*path.parent.parts, path.stem) for path in files(*CODE, "policies", "examples")}
    offenders = [
        str(path)
        for path, parts in names.items()
        if any(SAYS_NOTHING.search(part.lower()) for part in parts)
    ]
    assert not offenders, "name it for the thing it holds:\n" + "\n".join(offenders)


def test_every_package_of_the_product_says_what_lives_in_it():
    folders = sorted({path.parent for path in modules(*PRODUCT)})
    offenders = []
    for folder in folders:
        init = folder / "__init__.py"
        if not (ROOT / init).exists():
            offenders.append(f"{folder}: no __init__.py")
        elif not ast.get_docstring(tree(init)):
            offenders.append(f"{init}: no docstring")
    assert not offenders, "\n".join(offenders)
