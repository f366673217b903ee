"""Kernels in a file of the user's own: FILE.hpp:Name."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

HEAT = """
#include <ridge/stencil/kernel.hpp>
struct Heat {
  static constexpr auto footprint = ridge::stencil::star<1>();
  double rate = 0.25;
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + rate * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) +
                                u(0, 0, -1) + u(0, 0, 1) - 6 * u(0, 0, 0));
  }
};
"""

# Eleven points, no two alike: a shifted index or a swapped axis shows.
LOPSIDED = """
#include <ridge/stencil/kernel.hpp>
namespace mine {
struct Lopsided {
  static constexpr ridge::stencil::Footprint<11> footprint{
      {{{0, 0, 0}, {-2, 0, 0}, {1, 0, 0}, {0, 1, -1}, {1, -1, 0}, {0, 0, 2},
        {0, 3, 0}, {-1, -1, -1}, {2, 0, 1}, {0, -2, 1}, {1, 1, 1}}}};
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + 2 * u(-2, 0, 0) - 3 * u(1, 0, 0) + 5 * u(0, 1, -1) - 7 * u(1, -1, 0) +
           11 * u(0, 0, 2) - 13 * u(0, 3, 0) + 17 * u(-1, -1, -1) - 19 * u(2, 0, 1) +
           23 * u(0, -2, 1) - 29 * u(1, 1, 1);
  }
};
}
"""

CHARGES = """
#include <ridge/pairs/interaction.hpp>
struct Charges {
  static constexpr int targets = 3, sources = 4, sums = 1;
  double softening = 0;
  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V dx = target[0] - source[0], dy = target[1] - source[1], dz = target[2] - source[2];
    sum[0] += source[3] * ridge::rsqrt<ridge::Grade::refined>(dx * dx + dy * dy + dz * dz + softening);
  }
};
"""

SMOOTH = """
#include <ridge/chain/operation.hpp>
using namespace ridge::chain;
inline constexpr Slot<0> u;
inline constexpr Slot<1> flux;
inline constexpr Slot<2> v;
struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{read(u, along_x(-1, 0)), write(flux)};
  static constexpr Domain domain{{}, {1, 0, 0}};
  template <class At>
  RIDGE_FN void operator()(const At& at) const { at.set(flux, 0.1 * (at(u) - at(u, -1))); }
};
struct Update {
  static constexpr const char* name = "update";
  static constexpr std::array accesses{read(u), read(flux, along_x(0, 1)), write(v)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const { at.set(v, at(u) + at(flux, 1) - at(flux)); }
};
struct Smooth {
  static constexpr const char* name = "smooth";
  static constexpr std::array arrays{input("u"), temporary("flux", {1, 0, 0}), output("v")};
  static constexpr std::array dimensions{independent(1, Edge::clamp)};
  std::tuple<Flux, Update> operations;
};
struct InPlace {
  static constexpr const char* name = "in place";
  static constexpr std::array arrays{update("u"), temporary("flux", {1, 0, 0}), output("v")};
  static constexpr std::array dimensions{independent(1, Edge::clamp)};
  std::tuple<Flux, Update> operations;
};
"""

LATTICE = """
#include <ridge/lattice/reduction.hpp>
struct FourthPowers : ridge::lattice::Reduction {
  static constexpr const char* name = "fourth powers";
  static constexpr double flops = 4;
  template <class V> RIDGE_FN V term(const V& x) const { return x * x * x * x; }
};
struct Mix {
  static constexpr const char* name = "mix";
  static constexpr int inputs = 2;
  static constexpr double flops = 3;
  double share = 0.25;
  template <class V>
  RIDGE_FN V operator()(const V& x, const V& y) const { return V(share) * x + V(1 - share) * y; }
};
"""


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """One cache for all tests, so that each kernel is compiled once."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def env(cache):
    return {**os.environ, "RIDGE_CACHE": str(cache)}


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    """The kernels that tests share. What was compiled goes by a file's path, so each has one."""
    folder = tmp_path_factory.mktemp("sources")
    for name, text in (("heat", HEAT), ("odd", LOPSIDED), ("charges", CHARGES), ("smooth", SMOOTH),
                       ("lattice", LATTICE)):
        (folder / f"{name}.hpp").write_text(text)
    return folder


@pytest.fixture
def heat(sources):
    return f"{sources / 'heat.hpp'}:Heat"


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
def test_bench_checks_and_accounts_it(ridge, env, heat, device):
    (record,) = ridge.good("bench", heat, "--device", device, "--size", "40x20x12", "--repeat", 2,
                           "--json", env=env).records()
    assert record["kernel"] == "Heat" and record["pattern"] == "stencil"
    assert record["check"]["ok"] is True
    assert record["items"] == 38 * 18 * 10
    assert record["compiled"] in ("now", "cached")


def test_the_second_run_takes_it_from_the_cache(ridge, env, heat):
    words = ("bench", heat, "--device", "cpu", "--size", "40x20x12", "--repeat", 1, "--json")
    ridge.good(*words, env=env)
    (record,) = ridge.good(*words, env={**env, "PATH": "/nonexistent", "RIDGE_CXX": ""}).records()
    assert record["compiled"] == "cached"


def test_headers_are_compiled_once(ridge, env, cache, heat):
    """g++ reads those of the description and of the executor from the cache."""
    compiler = shutil.which(env.get("RIDGE_CXX") or "g++")
    if compiler is None or "clang" in compiler:
        pytest.skip("g++ alone compiles headers beforehand")
    ridge.good("bench", heat, "--device", "cpu", "--size", "40x20x12", "--repeat", 1, env=env)
    headers = [note.with_suffix(".so") for note in cache.glob("*.txt") if "\nprelude\n" in note.read_text()]
    assert len(headers) >= 2
    for header in headers:
        with open(header, "rb") as file:
            assert file.read(4) == b"gpch", header


@pytest.mark.parametrize("device", ["cpu", "simt:64"])
def test_an_asymmetric_kernel_under_unusual_schedules(ridge, env, sources, device):
    schedule = "depth=4" if device == "cpu" else "tile=3 loads=ascending bounds=512"
    (record,) = ridge.good("bench", f"{sources / 'odd.hpp'}:mine::Lopsided", "--device", device,
                           "--size", "67x21x13", "--precision", "fp32", "--repeat", 1, "--schedule",
                           schedule, "--json", env=env).records()
    assert record["check"]["ok"] is True
    assert schedule.split()[0] in record["schedule"]


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


@pytest.mark.parametrize("name, fields, device", [
    ("FourthPowers", 1, "cpu"), ("FourthPowers", 1, "simt:32"), ("Mix", 3, "cpu")])
def test_a_reduction_and_a_map_of_lattices(ridge, env, sources, name, fields, device):
    settings = ["--set", "share=0.4"] if name == "Mix" else []
    (record,) = ridge.good("bench", f"{sources / 'lattice.hpp'}:{name}", *settings, "--device",
                           device, "--site", "spinor", "--size", "8x8x4x4", "--repeat", 1, "--json",
                           env=env).records()
    assert record["pattern"] == "lattice" and record["check"]["ok"] is True
    assert record["bytes_read"] + record["bytes_written"] == fields * 8 * 8 * 4 * 4 * 12 * 16


def test_apply_computes_it_on_data(ridge, env, heat, tmp_path):
    import h5py

    u = np.random.default_rng(1).random((9, 10, 11))
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["u"] = u
    ridge.good("apply", heat, f"{tmp_path / 'in.h5'}:/u", "-o", f"{tmp_path / 'out.h5'}:/f",
               "--set", "rate=0.1", "--device", "cpu", "--check", env=env)
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


@pytest.mark.parametrize("words, says", [
    (["bench", "{}/none.hpp:Heat"], "there is no kernel file"),
    (["bench", "{}/heat.hpp"], "FILE.hpp:Name"),
    (["bench", "{}/smooth.hpp:Flux"], ["no kernel of a pattern", "ridge_add_kernels"]),
    (["bench", "{}/smooth.hpp:InPlace"], ["updates arrays", "ridge_add_kernels"]),
    (["bench", "{}/smooth.hpp:Smooth"], ["1 dimension", "20x20x20"]),
    (["bench", "{}/heat.hpp:Heat;x"], "FILE.hpp:Name"),
    (["bench", "{}/heat.hpp:Cold"], "Cold"),
    (["bench", "{}/heat.hpp:Heat", "--set", "rat=1"], "no number 'rat'"),
    (["bench", "{}/heat.hpp:Heat", "--set", "rate"], "MEMBER=NUMBER"),
    (["bench", "{}/heat.hpp:Heat", "--set", "rate=x"], "MEMBER=NUMBER"),
    (["bench", "{}/heat.hpp:Heat", "--precision", "fp16"], "fp32 and fp64"),
    (["bench", "laplacian", "--set", "rate=1"], "built in"),
])
def test_bad_words(ridge, env, sources, words, says):
    ridge.bad(*[w.format(sources) for w in words], "--device", "cpu", "--size", "20x20x20",
              says=says, env=env)


def test_reads_outside_the_footprint_are_found(ridge, env, tmp_path):
    (tmp_path / "far.hpp").write_text(HEAT.replace("u(-1, 0, 0) +", "u(-1, 1, 0) +"))
    ridge.bad("bench", f"{tmp_path / 'far.hpp'}:Heat", "--device", "simt:32", "--size", "20x20x20",
              code=1, says="(-1, 1, 0)", env=env)


def test_a_changed_kernel_is_compiled_again(ridge, env, tmp_path):
    file = tmp_path / "heat.hpp"
    words = ("bench", f"{file}:Heat", "--device", "cpu", "--size", "20x20x20", "--repeat", 1, "--json")
    file.write_text(HEAT.replace("0.25", "0.125"))
    ridge.good(*words, env=env)
    file.write_text(HEAT.replace("0.25", "0.0625"))
    (record,) = ridge.good(*words, env=env).records()
    assert record["compiled"] == "now" and record["check"]["ok"]


def test_a_header_it_includes_counts_too(ridge, env, tmp_path):
    (tmp_path / "factor.hpp").write_text("inline constexpr double factor = 0.5;\n")
    (tmp_path / "heat.hpp").write_text('#include "factor.hpp"\n' + HEAT.replace("0.25", "factor"))
    words = ("bench", f"{tmp_path / 'heat.hpp'}:Heat", "--device", "cpu", "--size", "20x20x20",
             "--repeat", 1, "--json")
    ridge.good(*words, env=env)
    (tmp_path / "factor.hpp").write_text("inline constexpr double factor = 0.75;\n")
    (record,) = ridge.good(*words, env=env).records()
    assert record["compiled"] == "now"


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
    ridge.good("bench", "laplacian", "--device", "cpu", "--size", "20x20x20", "--repeat", 1, env=env)


def is_header(file):
    """Whether a file of a cache belongs to headers that were compiled beforehand."""
    note = file.with_suffix(".txt")
    return note.exists() and "\nprelude\n" in note.read_text()


def copy_of(cache, folder):
    """A copy whose files may be changed, but for the compiled headers, which are large."""
    def copy(source, target):
        linked = source.endswith(".so") and is_header(pathlib.Path(source))
        return (os.link if linked else shutil.copy2)(source, target)

    return shutil.copytree(cache, folder, copy_function=copy)


def damage(cache, ending, change, headers):
    """Changes what is cached; the compiled headers, which take longest, only where `headers` says so."""
    files = [f for f in cache.iterdir() if f.suffix == ending and (headers or not is_header(f))]
    assert 0 < len(files) < sum(f.suffix == ending for f in cache.iterdir()) + headers
    for file in files:
        if headers:  # which may be shared with the cache that this one is a copy of
            content = file.read_bytes()
            file.unlink()
            file.write_bytes(content)
        change(file)


def test_a_damaged_cache_costs_a_compilation(ridge, env, cache, heat, tmp_path):
    words = ("bench", heat, "--device", "cpu", "--size", "20x20x20", "--repeat", 1, "--json")
    ridge.good(*words, env=env)
    for i, (ending, change) in enumerate([
            (".so", lambda f: f.write_bytes(f.read_bytes()[:1000])),
            (".so", lambda f: f.write_bytes(b"")),
            (".txt", lambda f: f.write_text("nonsense")),
            (".txt", lambda f: f.write_text(f.read_text().replace("schema", "scheme")))]):
        damaged = copy_of(cache, tmp_path / f"damaged{i}")
        damage(damaged, ending, change, headers=i == 0)
        (record,) = ridge.good(*words, env={**env, "RIDGE_CACHE": str(damaged)}).records()
        assert record["compiled"] == "now" and record["check"]["ok"]


def test_a_cache_open_to_others_is_not_used(ridge, heat, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    env = {**os.environ, "RIDGE_CACHE": str(cache)}
    result = ridge("bench", heat, "--device", "cpu", "--size", "20x20x20", "--repeat", 1, env=env)
    assert result.code == 0
    assert len(result.err.splitlines()) == 1 and "everybody may write" in result.err
    assert list(cache.iterdir()) == []


# A built-in kernel under a schedule that is not compiled ahead: no description has to be.
ON_DEMAND = ("bench", "laplacian", "--schedule", "depth=4 store=plain", "--device", "cpu", "--size",
             "20x20x20", "--repeat", 1, "--json")


@pytest.mark.parametrize("folder", ["read only", "impossible", "a file"])
def test_a_cache_that_takes_nothing_costs_a_compilation(ridge, tmp_path, folder):
    cache = tmp_path / "cache"
    if folder == "read only":
        if os.geteuid() == 0:  # may write to all folders but those of the system's own
            cache = "/sys/kernel"
        else:
            cache.mkdir(0o500)
    elif folder == "impossible":
        cache = "/proc/none/cache"
    else:
        cache.write_text("")
    result = ridge(*ON_DEMAND, env={**os.environ, "RIDGE_CACHE": str(cache)})
    (record,) = result.records()
    assert record["compiled"] == "now" and record["check"]["ok"]
    (line,) = result.err.splitlines()
    assert line.startswith("ridge: what is compiled now is not kept") and "RIDGE_CACHE" in line


@pytest.mark.parametrize("room", [0, 30_000, 2_000_000])
def test_a_full_disk_is_a_clear_failure_or_does_not_matter(ridge, tmp_path, room):
    """Files may have no more than so many bytes, as if the disk had no more left."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    env = {**os.environ, "RIDGE_CACHE": str(tmp_path / "cache")}
    result = ridge(*ON_DEMAND, env=env, preexec_fn=limit)
    if result.code == 0:  # the compiled headers alone did not fit
        assert result.records()[0]["check"]["ok"] and result.err == ""
    else:
        assert result.code == 1 and result.out == ""
        (line,) = result.err.splitlines()
        assert "is the disk full?" in line, line
    assert room > 0 or result.code == 1
    # Nothing wrong is left behind.
    (record,) = ridge.good(*ON_DEMAND, env=env).records()
    assert record["check"]["ok"]


def test_a_cache_of_another_machine_is_not_used(ridge, env, cache, tmp_path):
    """A cache on a shared disk: objects that were compiled for another processor."""
    ridge.good(*ON_DEMAND, env=env)
    other = copy_of(cache, tmp_path / "other")
    changed = 0
    for note in other.glob("*.txt"):
        text = note.read_text()
        if "\nflags" in text and not is_header(note):
            note.write_text(text.replace("\nflags", "\nflags of another:", 1))
            changed += 1
    assert changed > 0
    (record,) = ridge.good(*ON_DEMAND, env={**env, "RIDGE_CACHE": str(other)}).records()
    assert record["compiled"] == "now" and record["check"]["ok"]


def test_many_processes_compile_once(ridge, env, tmp_path):
    (tmp_path / "heat.hpp").write_text(HEAT.replace("0.25", "0.3125")) # which nothing has compiled yet
    words = [ridge.program, "bench", f"{tmp_path / 'heat.hpp'}:Heat", "--device", "cpu", "--size",
             "20x20x20", "--repeat", "1", "--json"]
    running = [subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)
               for _ in range(16)]
    outputs = [p.communicate(timeout=300)[0] for p in running]
    assert all(p.returncode == 0 for p in running)
    assert sum('"compiled": "now"' in out for out in outputs) == 1


def test_a_compilation_that_is_killed_leaves_nothing_wrong(ridge, env, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    (tmp_path / "heat.hpp").write_text(HEAT.replace("0.25", "0.1875"))
    words = ["bench", f"{tmp_path / 'heat.hpp'}:Heat", "--device", "cpu", "--size", "20x20x20",
             "--repeat", "1", "--json"]
    process = subprocess.Popen([ridge.program, *words], env={**env, "RIDGE_CXX": str(slow)})
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.kill()
    process.wait()
    (record,) = ridge.good(*words, env=env).records()
    assert record["check"]["ok"]
