"""Kernels in a file of the user's own: FILE.hpp:Name."""

import os
import pathlib
import shutil

import numpy as np
import pytest

from user_kernels import cache, env, heat, sources  # noqa: F401 -- fixtures
from user_kernels import CHARGES, HEAT, RATE, is_header, lend_all, lend_headers, want_headers


def test_headers_are_compiled_once_for_many_kernels(ridge, cache, heat, sources, folder):
    """g++ reads those of the description and of the executor from the cache, but for the first few kernels, which
    would wait longer for the headers than they gain."""
    env = {**os.environ, "RIDGE_CACHE": str(folder / "mine")}
    compiler = shutil.which(env.get("RIDGE_CXX") or "g++")
    if compiler is None or "clang" in compiler:
        pytest.skip("g++ alone compiles headers beforehand")

    def headers_after(*kernel):
        ridge.good("bench", *kernel, "--device", "cpu", "--size", "40x20x12", "--repeat", 1, "--no-roof", env=env)
        return [f for f in (folder / "mine").glob("*.so") if is_header(f)]

    assert headers_after(heat, *RATE) == []
    assert [tally.read_bytes() for tally in (folder / "mine").glob("*.wanted")] == [b"x"] * 2
    want_headers(folder / "mine")
    headers = headers_after(f"{sources / 'odd.hpp'}:mine::Lopsided", "--precision", "fp32", "--schedule", "depth=4")
    assert len(headers) == 2
    for header in headers:
        with open(header, "rb") as file:
            assert file.read(4) == b"gpch", header
    lend_all(folder / "mine", cache)  # the other tests run the same kernels
    lend_headers(folder / "mine", cache)  # and want the same headers
    if "RIDGE_CACHE" in os.environ:  # as do those of other files, which begin soon
        common = pathlib.Path(os.environ["RIDGE_CACHE"])
        common.mkdir(mode=0o700, exist_ok=True)
        lend_headers(cache, common)


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_bench_checks_and_accounts_it(ridge, env, heat, device):
    (record,) = ridge.good("bench", heat, *RATE, "--device", device, "--size", "40x20x12", "--repeat", 2,
                           "--json", env=env).records()
    assert record["kernel"] == "Heat" and record["pattern"] == "stencil"
    assert record["check"]["ok"] is True
    assert record["items"] == 38 * 18 * 10
    assert (record["fraction"] is not None) == (device == "cpu")
    assert record["compiled"] in ("now", "cached")


def test_the_second_run_takes_it_from_the_cache(ridge, env, heat):
    words = ("bench", heat, *RATE, "--device", "cpu", "--size", "40x20x12", "--repeat", 1, "--no-roof", "--json")
    ridge.good(*words, env=env)
    (record,) = ridge.good(*words, env={**env, "PATH": "/nonexistent", "RIDGE_CXX": ""}).records()
    assert record["compiled"] == "cached"


@pytest.mark.parametrize("device", ["cpu", "simt:64"])
def test_an_asymmetric_kernel_under_unusual_schedules(ridge, env, sources, device):
    schedule = "depth=4" if device == "cpu" else "tile=3 loads=ascending bounds=512"
    (record,) = ridge.good("bench", f"{sources / 'odd.hpp'}:mine::Lopsided", "--device", device,
                           "--size", "67x21x13", "--precision", "fp32", "--repeat", 1, "--no-roof", "--schedule",
                           schedule, "--json", env=env).records()
    assert record["check"]["ok"] is True
    assert schedule.split()[0] in record["schedule"]


# Types whose names the compiler tells in no way that it reads: hidden in this file, of numbers and structures, of
# lambdas.
NAMES = """
#include <ridge/stencil/kernel.hpp>
struct Point {
  static constexpr ridge::stencil::Footprint<1> footprint{{{{0, 0, 0}}}};
};
struct Pair { double a, b; };
namespace {
template <double factor, Pair pair, class F>
struct Scaled : Point {
  F f;
  template <class N> RIDGE_FN auto operator()(const N& u) const { return f(factor * pair.a * pair.b * u(0, 0, 0)); }
};
}
const auto four = [](const auto& x) { return 4 * x; };
using Four = decltype(four);
namespace mine { using Thirty = Scaled<0.5, Pair{3, 4}, decltype([](const auto& x) { return 5 * x; })>; }
"""


WAVE = """
#include <ridge/stencil/kernel.hpp>
struct Wave {
  static constexpr auto footprints = std::make_tuple(ridge::stencil::star<1>(), ridge::stencil::point());
  template <class N, class M>
  RIDGE_FN auto operator()(const N& u, const M& before) const {
    return 2 * u(0, 0, 0) - before(0, 0, 0) +
           0.1 * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) - 6 * u(0, 0, 0));
  }
};
"""


@pytest.mark.in_turn
@pytest.mark.parametrize("size, numbers, schedule", [
    ("513x19x6", ("--precision", "fp32"), "stage=bulk block=128x2x1 tile=4 loads=packs"),
    ("517x19x6", ("--store-as", "bf16"), "stage=bulk block=128x2x1 tile=4")])
def test_rows_of_an_input_read_at_the_point_alone_do_not_meet(ridge, env, tmp_path, size, numbers, schedule):
    """Rows just above a multiple of 128 bytes, which come in whole 16 bytes, lay over each other in shared memory."""
    (tmp_path / "wave.hpp").write_text(WAVE)
    ran = ridge.good("bench", f"{tmp_path}/wave.hpp:Wave", "--size", size, *numbers, "--schedule", schedule,
                     "--device", "simt:32", "--repeat", 1, "--no-roof", env=env)
    assert " ok " in ran.out


@pytest.mark.in_turn
@pytest.mark.parametrize("name, factor, device", [
    ("Scaled<0.25, Pair{2, 4}, Four>", 8, "cpu"), ("mine::Thirty", 30, "simt:32")])
def test_any_name_that_its_file_may_say(ridge, env, tmp_path, name, factor, device):
    import h5py

    (tmp_path / "names.hpp").write_text(NAMES)
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["u"] = np.ones((3, 4, 5))
    ridge.good("apply", f"{tmp_path / 'names.hpp'}:{name}", f"{tmp_path / 'in.h5'}:/u", "-o",
               f"{tmp_path / 'out.h5'}:/f", "--device", device, "--check", env=env)
    with h5py.File(tmp_path / "out.h5") as file:
        assert np.unique(file["f"][...]).tolist() == [factor]


@pytest.mark.in_turn
@pytest.mark.parametrize("device, schedule", [("cpu", "tile=3"), ("simt:64", "direct")])
def test_an_interaction(ridge, env, sources, device, schedule):
    (record,) = ridge.good("bench", f"{sources / 'charges.hpp'}:Charges", "--set", "softening=1e-4",
                           "--device", device, "--size", 150, "--precision", "fp64", "--repeat", 1,
                           "--schedule", schedule, "--json", env=env).records()
    assert record["pattern"] == "pairs" and record["kernel"] == "Charges"
    assert record["check"]["ok"] is True and record["items"] == 150 * 149


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_a_chain(ridge, env, sources, device):
    (record,) = ridge.good("bench", f"{sources / 'smooth.hpp'}:Smooth", "--device", device, "--size",
                         10007, "--precision", "fp32", "--repeat", 1, "--schedule",
                         "fission" if device == "cpu" else "auto", "--json", env=env).records()
    assert record["pattern"] == "chain" and record["check"]["ok"] is True
    assert record["items"] == 10007
    assert record["roof_name"] == ("copy" if device == "cpu" else None)


@pytest.mark.in_turn
@pytest.mark.parametrize("name, fields, device", [
    ("FourthPowers", 1, "cpu"), ("FourthPowers", 1, "simt:32"), ("Mix", 3, "cpu")])
def test_a_reduction_and_a_map_of_lattices(ridge, env, sources, name, fields, device):
    settings = ["--set", "share=0.4"] if name == "Mix" else []
    (record,) = ridge.good("bench", f"{sources / 'lattice.hpp'}:{name}", *settings, "--device",
                           device, "--site", "spinor", "--size", "8x8x4x4", "--repeat", 1, "--json",
                           env=env).records()
    assert record["pattern"] == "lattice" and record["check"]["ok"] is True
    assert record["bytes_read"] + record["bytes_written"] == fields * 8 * 8 * 4 * 4 * 12 * 16
    assert record["roof_name"] == ({1: "read", 3: "triad"}[fields] if device == "cpu" else None)


def test_apply_computes_it_on_data(ridge, env, heat, tmp_path):
    import h5py

    u = np.random.default_rng(1).random((9, 10, 11))
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["u"] = u
    ridge.good("apply", heat, f"{tmp_path / 'in.h5'}:/u", "-o", f"{tmp_path / 'out.h5'}:/f",
               *RATE, "--device", "cpu", "--check", env=env)
    with h5py.File(tmp_path / "out.h5") as file:
        f = file["f"][...]
    c = u[1:-1, 1:-1, 1:-1]
    sums = (u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1] +
            u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1])
    np.testing.assert_allclose(f[1:-1, 1:-1, 1:-1], c + 0.1 * (sums - 6 * c), rtol=1e-13)


def test_errors_name_the_users_line(ridge, env, tmp_path):
    (tmp_path / "bad.hpp").write_text(HEAT.replace("rate * (", "rat * ("))
    result = ridge.bad("bench", f"{tmp_path / 'bad.hpp'}:Heat", "--device", "cpu", env=env)
    assert "bad.hpp:8" in result.err and "rat" in result.err
    (tmp_path / "array.hpp").write_text(NAMES.replace("ridge::stencil::Footprint<1> footprint{{{{0, 0, 0}}}}",
                                                      "std::array footprint{ridge::stencil::Offset{0, 0, 0}}"))
    ridge.bad("bench", f"{tmp_path / 'array.hpp'}:mine::Thirty", "--device", "cpu", env=env,
              says=["a stencil's `footprint` is a ridge::stencil::Footprint<N>, such as"])


@pytest.mark.parametrize("words, says", [
    (["bench", "{}/none.hpp:Heat"], "there is no kernel file"),
    (["bench", "{}/heat.hpp"], "FILE.hpp:Name"),
    (["bench", "{}/smooth.hpp:Flux"], ["no kernel of a pattern", "ridge_add_kernels"]),
    (["bench", "{}/smooth.hpp:InPlace"], ["updates arrays", "ridge_add_kernels"]),
    (["bench", "{}/smooth.hpp:Smooth"], ["1 dimension", "20x20x20"]),
    (["bench", "{}/heat.hpp:Heat;x"], "FILE.hpp:Name"),
    (["bench", "{}/heat.hpp:Heat<2>>(0); x<1>"], "FILE.hpp:Name"),
    (["bench", "{}/heat.hpp:Cold"], "Cold"),
    (["bench", "{}/heat.hpp:Heat", "--set", "rat=1"], "no number 'rat'"),
    (["bench", "{}/heat.hpp:Heat", "--set", "rate"], "MEMBER=NUMBER"),
    (["bench", "{}/heat.hpp:Heat", "--set", "rate=x"], "MEMBER=NUMBER"),
    (["bench", "{}/heat.hpp:Heat", "--set", "rate=1", "--set", "rate=1"], "'rate' is given twice"),
    (["bench", "{}/heat.hpp:Heat", *RATE, "--precision", "fp16"], "fp32 and fp64"),
    (["bench", "laplacian", "--set", "rate=1"], "built in"),
])
def test_bad_words(ridge, env, sources, words, says):
    ridge.bad(*[w.format(sources) for w in words], "--device", "cpu", "--size", "20x20x20",
              says=says, env=env)


def test_reads_outside_the_footprint_are_found_before_anything_runs(ridge, env, tmp_path):
    (tmp_path / "set.hpp").write_text(HEAT.replace("double rate", "int n = 1, m = 0; double rate")
                                      .replace("u(1,", "u(n,").replace("u(-1, 0, 0) +", "u(-1, m, 0) +"))
    words = ("bench", f"{tmp_path / 'set.hpp'}:Heat", "--device", "simt:32", "--size", "20x20x20", "--no-roof")
    ridge.good(*words, "--set", "n=1", "--set", "m=0", env=env)
    ridge.bad(*words, "--set", "n=900", "--set", "m=0", env=env, says=["(900, 0, 0)", "add it to the footprint"])
    # Within the box around the footprint.
    ridge.bad(*words, "--set", "n=1", "--set", "m=1", env=env, says="(-1, 1, 0)")


@pytest.mark.parametrize("body, says", [
    ("RIDGE_FN auto operator()(const N&) const { return 3.0; }", "no plain number"),
    ("RIDGE_FN void operator()(const N& u) const { u(0, 0, 0); }", "made of neighbours"),
    ("RIDGE_FN auto operator()(const N& u, const N&) const { return u(0, 0, 0); }", "one such argument an input"),
])
def test_a_stencil_of_another_signature_is_told_the_right_one(ridge, env, tmp_path, body, says):
    (tmp_path / "odd.hpp").write_text("#include <ridge/stencil.hpp>\nstruct Odd {\n  static constexpr auto footprint = "
                                      f"ridge::stencil::star<1>();\n  template <class N> {body}\n}};\n")
    ridge.bad("bench", f"{tmp_path / 'odd.hpp'}:Odd", "--device", "cpu", env=env, says=says)


# Charges whose members say which components they read and add to: compiled once for all that they may say.
UNDECLARED = CHARGES.replace(
    "double softening = 0;", "double softening = 0;\n  int from = 3, to = 0;\n  bool sets = false;").replace(
    "sum[0] += source[3] *", "const V part = source[from] *").replace(
    "softening);\n", "softening);\n    if (sets) sum[to] = part;\n    else sum[to] += part;\n")


def test_an_interaction_keeps_to_its_components(ridge, env, tmp_path):
    (tmp_path / "odd.hpp").write_text(UNDECLARED)
    for source, to, sets, says in [
            (4, 0, 0, "reads a component that it does not declare: targets = 3 and sources = 4"),
            (3, 1, 0, "adds to sum[1], but declares sums = 1"),
            (3, 0, 1, "sets sum[0]; an interaction adds")]:
        ridge.bad("bench", f"{tmp_path / 'odd.hpp'}:Charges", "--set", f"from={source}", "--set", f"to={to}", "--set",
                  f"sets={sets}", "--device", "cpu", "--size", 50, env=env, says=says)


@pytest.mark.parametrize("has", ["const char* name = \"odd\"", "double flops = 2"])
def test_a_reduction_says_its_name_and_its_operations(ridge, env, tmp_path, has):
    (tmp_path / "odd.hpp").write_text(
        "#include <ridge/lattice/reduction.hpp>\nstruct Odd : ridge::lattice::Reduction {\n"
        f"  static constexpr {has};\n"
        "  template <class V> RIDGE_FN V term(const V& x) const { return x * x; }\n};\n")
    ridge.bad("bench", f"{tmp_path / 'odd.hpp'}:Odd", "--device", "cpu", env=env,
              says="static constexpr double flops = 4;")


@pytest.mark.parametrize("name, more, said", [
    ("heat.hpp:Heat", [*RATE, "--size", "9x9x9"], "flops a point not known"),
    ("smooth.hpp:Smooth", ["--size", "200", "--precision", "fp32", "--schedule", "fission"], "flops not known"),
    ("charges.hpp:Charges", ["--size", "150", "--set", "softening=1e-4", "--precision", "fp64", "--schedule", "tile=3"],
     "operations an interaction not known"),
])
def test_operations_that_a_kernel_does_not_say_are_not_0(ridge, env, sources, name, more, said):
    words = ("bench", f"{sources}/{name}", *more, "--device", "cpu", "--no-roof")
    (record,) = ridge.good(*words, "--json", env=env).records()
    assert record["flops"] is None and said in record["convention"]
    text = " ".join(ridge.good(*words, env=env).out.split())
    assert said in text and "nan" not in text and "0 flop" not in text


def test_a_changed_kernel_is_compiled_again(ridge, env, heat, sources):
    """A header that it includes counts, too: test_user_fresh.py."""
    words = ("bench", heat, *RATE, "--device", "cpu", "--size", "20x20x20", "--repeat", 1, "--no-roof", "--json")
    ridge.good(*words, env=env)
    file = sources / "heat.hpp"
    try:
        file.write_text(HEAT.replace("- 6 *", "- 5 *"))
        (record,) = ridge.good(*words, env=env).records()
        assert record["compiled"] == "now" and record["check"]["ok"]
    finally:
        file.write_text(HEAT)


def test_without_a_compiler_it_says_what_to_install(ridge, heat, tmp_path):
    env = {**os.environ, "RIDGE_CACHE": str(tmp_path / "cache"), "RIDGE_CXX": "/nonexistent/g++"}
    ridge.bad("bench", heat, "--device", "cpu", code=1, says="RIDGE_CXX", env=env)


def test_a_broken_compiler_is_a_clear_failure(ridge, heat, tmp_path):
    env = {**os.environ, "RIDGE_CACHE": str(tmp_path / "cache"), "RIDGE_CXX": "/bin/false"}
    ridge.bad("bench", heat, "--device", "cpu", code=1, says="/bin/false failed", env=env)


def test_compiling_can_be_turned_off(ridge, heat, tmp_path):
    env = {**os.environ, "RIDGE_CACHE": str(tmp_path / "cache"), "RIDGE_COMPILE": "off"}
    ridge.bad("bench", heat, "--device", "cpu", code=1, says="RIDGE_COMPILE=off", env=env)
    # What is compiled ahead runs all the same.
    ridge.good("bench", "laplacian", "--device", "cpu", "--size", "20x20x20", "--repeat", 1, "--no-roof", env=env)
