"""`ridge evolve` of systems in files of users, and numbers that change from step to step."""

import numpy as np
import pytest
from test_systems import read, write

pytestmark = pytest.mark.usefixtures("folder")

LINE = """#include <ridge/systems.hpp>

inline constexpr ridge::chain::Slot<0> u;
inline constexpr ridge::chain::Slot<1> v;

struct Push {
  static constexpr const char* name = "push";
  static constexpr std::array accesses{read(u, ridge::chain::along_x(0, 1)), read(v), write(v)};
  double rate = 0.5;
  template <class At>
  RIDGE_FN void operator()(const At& at) const { at.set(v, at(v) - rate * (at(u, 1) - at(u))); }
};
struct Pull {
  static constexpr const char* name = "pull";
  static constexpr std::array accesses{read(v, ridge::chain::along_x(-1, 0)), read(u), write(u)};
  double rate = 0.5;
  template <class At>
  RIDGE_FN void operator()(const At& at) const { at.set(u, at(u) - rate * (at(v) - at(v, -1))); }
};
struct Line {
  static constexpr const char* name = "line";
  static constexpr std::array arrays{ridge::chain::update("u"), ridge::chain::update("v")};
  static constexpr std::array dimensions{ridge::chain::given(1)};
  static constexpr std::array placements{ridge::chain::placement_of({}),
                                         ridge::chain::placement_of({1, 0, 0})};
  std::tuple<Push, Pull> operations;
};
"""


def test_a_system_in_a_file_evolves_and_goes_on(ridge):
    with open("line.hpp", "w") as out:
        out.write(LINE)
    u = np.random.default_rng(7).random(40)
    write(u=u)
    ran = ridge("evolve", "./line.hpp:Line", "in.h5", "-o", "out.h5", "--device", "cpu", "--steps",
                "30", "--every", "30", "--set", "rate=0.4")
    assert ran.code == 0, ran.err  # which may say that it compiles
    v = np.zeros_like(u)
    for _ in range(30):
        v[:-1] -= 0.4 * np.diff(u)
        u = u - 0.4 * np.diff(v, prepend=0)
    np.testing.assert_allclose(read("u"), u, atol=1e-14)
    ridge.good("evolve", "--restart", "out.h5", "--steps", "1", "--device", "cpu")


DRIVEN = LINE.replace(
    "double rate = 0.5;\n  template <class At>\n  RIDGE_FN void operator()(const At& at) const { at.set(v, at(v) - rate *",
    "ridge::chain::ByStep rate{0.5};\n  template <class At>\n  RIDGE_FN void operator()(const At& at) const { "
    "at.set(v, at(v) - rate() *").replace("  std::tuple<", """  static constexpr std::array by_step{"rate"};
  template <class Numbers>
  void set_numbers(const Numbers& numbers) { numbers.set("rate", std::get<0>(operations).rate); }
  std::tuple<""")


@pytest.fixture(scope="session")
def driven(tmp_path_factory):
    """The system in a file: at one path, so that its description is compiled once."""
    assert DRIVEN.count("rate()") == 1
    file = tmp_path_factory.mktemp("driven") / "driven.hpp"
    file.write_text(DRIVEN)
    return f"{file}:Line"


def test_numbers_by_step(ridge, driven):
    device = "simt:32"
    rates = np.random.default_rng(8).random(25)
    with open("rate.txt", "w") as out:
        out.writelines(f"{rate!r}\n" for rate in rates.tolist())
    u = start = np.random.default_rng(7).random(40)
    write(u=start)
    v = np.zeros_like(u)
    for step in range(30):
        v[:-1] -= rates[min(step, 24)] * np.diff(u)
        u = u - 0.5 * np.diff(v, prepend=0)
    words = ("evolve", driven, "in.h5", "-o", "out.h5", "--device", device, "--overwrite")
    ran = ridge(*words, "--steps", "30", "--every", "30", "--by-step", "rate=rate.txt")
    assert ran.code == 0, ran.err
    assert "rate.txt has 25 values, and the run 30 steps: the last one holds after them" in ran.err
    whole = read("u")
    np.testing.assert_allclose(whole, u, atol=1e-14)
    ridge.good(*words, "--steps", "11", "--every", "11", "--by-step", "rate=rate.txt")
    assert ridge("evolve", "--restart", "out.h5", "--steps", "19", "--device", device).code == 0
    np.testing.assert_array_equal(read("u"), whole)
    ridge.good(*words, "--steps", "3")  # without a table it is the member's value


def test_numbers_by_step_that_are_refused(ridge, driven):
    write(u=np.ones(9))
    with open("rate.txt", "w") as out:
        out.write("1\ntwo\n")
    with open("none.txt", "w"):
        pass
    words = ("evolve", driven, "in.h5", "-o", "out.h5", "--device", "cpu", "--steps", "2", "--by-step")
    ridge.bad(*words, "rate", says="--by-step rate: expected NUMBER=FILE")
    ridge.bad(*words, "rate=rate.txt", says="--by-step rate.txt, line 2: 'two' is no number")
    ridge.bad(*words, "rate=none.txt", says="--by-step none.txt: it has no numbers")
    ridge.bad(*words, "speed=ricker:1", says="Line has no number 'speed' that steps may change; it has rate")
    ridge.bad(*words, "rate=ricker:1", "--by-step", "rate=ricker:2", says="rate=ricker:2: 'rate' is given twice")
    ridge.bad("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--by-step", "rate=rate.txt", says="are for systems")
