"""What tests of kernels in a user's own files share."""

import os
import pathlib
import shutil

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


def is_header(file):
    """Whether a file of a cache belongs to headers that were compiled beforehand."""
    note = file.with_suffix(".txt")
    return note.exists() and "\nprelude\n" in note.read_text()


def is_description(file):
    """Whether a file of a cache belongs to what describes a user's kernel, which takes longer than an executor."""
    readings = (f.read_text() for f in file.parent.glob("*.read"))
    return any(file.stem in text.partition("\n")[0] and "#include <ridge/lab/describe_kernel.hpp>\n" in text
               for text in readings)


def want_headers(cache):
    """As if all headers of a cache had been wanted so often that they are compiled beforehand the next time."""
    for tally in cache.glob("*.wanted"):
        tally.write_bytes(b"x" * 5)


REMEMBERS = """#!/bin/sh
# A compiler that takes what it has made of the same text from a folder: what it is asked is real, and so is each object.
case "$*" in *" kernel.ii -o "*) ;; *) exec {real} "$@" ;; esac
last=
for word; do
  [ "$last" != -o ] || object=$word
  last=$word
done
text=$({{ echo "$*" | sed "s|$object||"; sed '/^# /d' kernel.ii | tr -s '[:space:]' ' '; }} | sha256sum | cut -c 1-32)
if [ ! -e "{folder}/$text" ]; then
  {real} "$@" || exit
  cp "$object" "{folder}/$text.$$" && mv "{folder}/$text.$$" "{folder}/$text"
fi
cp "{folder}/$text" "$object"
"""


def remembering_compiler(folder):
    """By its name no headers are compiled beforehand for it."""
    compiler = folder / "clang++"
    real = shutil.which(os.environ.get("RIDGE_CXX") or "g++")
    compiler.write_text(REMEMBERS.format(real=real, folder=folder))
    compiler.chmod(0o755)
    return str(compiler)


def lend_headers(cache, folder):
    """The headers that one cache holds compiled, which takes longest, to another, as links. A note comes last, and
    says whether the rest is whole."""
    if not folder.is_dir():
        return
    for file in cache.glob("*.so"):
        for part in (file, file.with_suffix(".txt")):
            if is_header(file) and not (folder / part.name).exists():
                try:
                    os.link(part, folder / part.name)
                except FileExistsError:  # another test was first
                    continue
                except OSError:  # of another disk
                    return
    for tally in cache.glob("*.wanted"):  # without which the first five kernels do without the headers
        known = folder / tally.name
        if not known.exists() or known.stat().st_size < tally.stat().st_size:
            shutil.copy(tally, known)


def lend_all(cache, folder):
    """All that one cache holds compiled, to another. What leads to an object, and says that it is whole, comes
    later than it."""
    for ending in ".so", ".txt", ".read":
        for file in cache.glob(f"*{ending}"):
            if not (folder / file.name).exists():
                os.link(file, folder / file.name)


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """One cache for all tests of a file, so that each kernel is compiled once; compiled headers are all
    tests'."""
    folder = tmp_path_factory.mktemp("kernels")
    common = os.environ.get("RIDGE_CACHE")
    if common is None:
        yield folder
        return
    lend_headers(pathlib.Path(common), folder)
    yield folder
    want_headers(folder)  # other files compile more than a few kernels
    lend_headers(folder, pathlib.Path(common))


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


# With every run of Heat: whose members are set changes its description.
RATE = ("--set", "rate=0.1")


@pytest.fixture
def heat(sources):
    return f"{sources / 'heat.hpp'}:Heat"
