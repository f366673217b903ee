"""Codes for users of one field: each is a module of the package, or says that it was not built."""

import importlib
import importlib.util

import pytest

import ridge
from ridge import _wings

MODULES = [name for name in _wings.__all__ if importlib.util.find_spec(f"ridge.{name}")]


def test_ridge_itself_has_what_wings_give_it():
    assert MODULES and all(hasattr(ridge, name) for name in _wings.__all__)


@pytest.mark.parametrize("name", MODULES)
def test_a_wing_is_here_or_says_why_not(name):
    module = importlib.import_module(f"ridge.{name}")
    if hasattr(module, "__all__"):
        assert all(hasattr(module, given) for given in module.__all__)
    else:
        with pytest.raises(ImportError, match=f"^ridge.{name} was not built: configure Ridge with {name} in RIDGE_WINGS"):
            module.anything  # noqa: B018
