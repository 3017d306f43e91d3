"""Nothing grows past the point where one reads it in one go: without a gate, everything does."""

from tests.gates.repository import CODE, ROOT, functions, modules

MODULE_LINES = 400
FUNCTION_LINES = 50  # from `def` to the end, docstring included


def test_no_module_is_longer_than_400_lines():
    lengths = {
        path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in modules(*CODE)
    }
    offenders = [
        f"{path}: {lines} lines" for path, lines in lengths.items() if lines > MODULE_LINES
    ]
    assert not offenders, "split by subject:\n" + "\n".join(offenders)


def test_no_function_is_longer_than_50_lines():
    offenders = []
    for path in modules(*CODE):
        for function in functions(path):
            lines = (function.end_lineno or function.lineno) - function.lineno + 1
            if lines > FUNCTION_LINES:
                offenders.append(f"{path}:{function.lineno} {function.name}: {lines} lines")
    assert not offenders, "say what each part does by its name:\n" + "\n".join(offenders)
