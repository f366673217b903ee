"""`--check` and `--set` with kernels of a user's own."""

import numpy as np
import pytest

from user_kernels import cache, env, sources  # noqa: F401 -- fixtures

# Wrong in whole packs of lanes only: not where the reference, or the rest of a row, is computed.
KINDS = """
#include <ridge/stencil/kernel.hpp>
struct Kinds {
  static constexpr ridge::stencil::Footprint<1> footprint{{{{0, 0, 0}}}};
  int order = 1;
  bool flag = false;
  char letter = 'a';
  long long seed = 0;
  float share = 1;
  double off = 0;
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    using V = decltype(u(0, 0, 0));
    const V value = double(order) * u(0, 0, 0) + double(share);
    if constexpr (ridge::lanes_of<V> > 1) return value + off;
    return value + (flag ? double(letter) : double(seed % 1000));
  }
};
"""
DEFAULTS = {"order": "2", "flag": "0", "letter": "65", "seed": "9007199254740993", "share": "0.5", "off": "993"}


def words(**changed):
    all_of = {**DEFAULTS, **changed}
    return [w for member, number in all_of.items() for w in ("--set", f"{member}={number}")]


@pytest.fixture
def apply(ridge, env, sources, tmp_path):
    import h5py

    if not (sources / "kinds.hpp").exists():  # at one path, and with the same members set, it is compiled once
        (sources / "kinds.hpp").write_text(KINDS)

    def run(values, *set_words):
        with h5py.File(tmp_path / "in.h5", "w") as file:
            file["u"] = values
        return ridge("apply", f"{sources / 'kinds.hpp'}:Kinds", f"{tmp_path / 'in.h5'}:/u", "-o",
                     f"{tmp_path / 'out.h5'}:/f", "--device", "cpu", "--check", "--overwrite", *set_words, env=env)
    return run


def test_a_huge_value_does_not_hide_errors_elsewhere(apply):
    values = np.random.default_rng(1).random((5, 6, 64))
    assert apply(values, *words()).code == 0  # seed % 1000 is 993
    values[2, 3, 4] = 9.96921e36
    assert apply(values, *words()).code == 0
    wrong = apply(values, *words(off="994"))
    assert wrong.code == 1 and "exceeds" in wrong.err
    values[1, 2, 3], values[0, 0, 0] = np.nan, -np.inf
    assert apply(values, *words()).code == 0
    assert apply(values, *words(off="994")).code == 1


@pytest.mark.parametrize("setting, holds", [
    ("order=2.7", "whole numbers from -2147483648 to 2147483647"), ("order=1e20", "whole numbers"),
    ("flag=2", "whole numbers from 0 to 1"), ("letter=300", "whole numbers from -128 to 127"),
    ("seed=9223372036854775808", "whole numbers"), ("share=1e300", "magnitudes"), ("share=1e-60", "magnitudes")])
def test_members_take_what_they_hold(apply, setting, holds):
    member, number = setting.split("=")
    result = apply(np.ones((3, 3, 3)), *words(**{member: number}))
    assert result.code == 2
    assert f"--set {setting}: " in result.err and holds in result.err
