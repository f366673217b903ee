"""The stubs of the modules of C++ say what these have: names, and those of parameters."""

import ast
import importlib
import pathlib
import re

import pytest

import ridge

STUBS = sorted(pathlib.Path(ridge.__file__).parent.glob("_*.pyi"))


def parameters(nanobind_function):
    """Names of a function's parameters, by the first line of its documentation."""
    signature = nanobind_function.__doc__.splitlines()[0]
    inside = signature[signature.index("(") + 1:signature.rindex(") ->")] if ") ->" in signature else \
        signature[signature.index("(") + 1:signature.rindex(")")]
    return re.findall(r"(?:^|, )(\w+)(?=[:,=]|$)", re.sub(r"\[[^][]*\]", "", inside))


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.stem)
def test_the_stub_is_what_the_module_has(stub):
    module = importlib.import_module(f"ridge.{stub.stem}")
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    here = {n for n in vars(module) if not n.startswith("_")}
    assert {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))} == here
    checked = 0
    for node in tree.body:
        owner = getattr(module, getattr(node, "name", ""), None)
        if isinstance(node, ast.FunctionDef):
            assert parameters(owner) == [a.arg for a in node.args.args], node.name
            checked += 1
        elif isinstance(node, ast.ClassDef) and issubclass(owner, Exception) is False:
            methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
            public = {n for n in vars(owner) if not n.startswith("_")}
            assert set(methods) - {"__init__"} == public
            for name, method in methods.items():
                found = parameters(getattr(owner, name))
                assert found == [a.arg for a in method.args.args], (node.name, name)
                checked += 1
    assert checked > (10 if stub.stem == "_core" else 1)
