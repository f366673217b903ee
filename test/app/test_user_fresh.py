"""A kernel that was compiled before is run only where its source, with all it includes, is what it was."""

import os
import pathlib
import shutil

import h5py
import numpy as np
import pytest

from user_kernels import remembering_compiler

SCALE = """
#include <ridge/stencil/kernel.hpp>
{include}
struct Scale {{
  static constexpr ridge::stencil::Footprint<1> footprint{{{{{{{{0, 0, 0}}}}}}}};
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {{ return COEF * u(0, 0, 0); }}
}};
"""


@pytest.fixture(scope="module")
def compiler(tmp_path_factory):
    return remembering_compiler(tmp_path_factory.mktemp("compiler"))


@pytest.fixture
def env(compiler, tmp_path):
    """An empty cache. Which text is compiled is looked at, not how: tests compile the same ones."""
    return {**os.environ, "RIDGE_CACHE": str(tmp_path / "cache"), "RIDGE_CXX": compiler}


@pytest.fixture
def k(tmp_path_factory):
    """A folder of one name in all tests: a description says where its kernel is."""
    folder = tmp_path_factory.getbasetemp() / "k"
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def coefficient(value):
    return f"#define COEF {value}\n"


@pytest.fixture
def apply(ridge, env, tmp_path):
    """Applies Scale of kern.hpp in a folder to ones; returns the number that all points have, as they must."""
    with h5py.File(tmp_path / "one.h5", "w") as file:
        file["u"] = np.ones((3, 4, 5))

    def run(folder, more=None, device="cpu"):
        out = tmp_path / "o.h5"
        ridge.good("apply", "./kern.hpp:Scale", f"{tmp_path}/one.h5:/u", "-o", f"{out}:/f", "--check",
                   "--overwrite", "--device", device, env={**env, **(more or {})}, cwd=folder)
        with h5py.File(out) as file:
            values = np.unique(file["f"][...])
        assert values.size == 1
        return values[0]

    return run


def kernel_in(folder, include='#include "coef.hpp"'):
    folder.mkdir(exist_ok=True)
    (folder / "kern.hpp").write_text(SCALE.format(include=include))
    return folder


def test_a_name_that_no_source_can_include(ridge, env, tmp_path):
    folder = kernel_in(tmp_path / 'a"b')
    ridge.bad("bench", f"{folder}/kern.hpp:Scale", says="quotation mark", env=env)


def test_headers_of_the_system_and_of_a_folder_of_any_name(apply, tmp_path):
    header = pathlib.Path(f"/usr/local/include/ridge-test-{os.getpid()}.hpp")
    try:
        header.write_text("#define MORE(x) x\n")
        include = f'#include <{header.name}>\n#include "coef.hpp"'
    except OSError:
        header, include = None, '#define MORE(x) x\n#include "coef.hpp"'
    try:
        folder = kernel_in(tmp_path / "a\tb#c$d$$e\\f\\ g\\\\ h\\#i:j'k", include)
        (folder / "coef.hpp").write_text(coefficient("MORE(2)"))
        assert apply(folder) == 2
        (folder / "coef.hpp").write_text(coefficient("MORE(5)"))
        assert apply(folder) == 5
        if header is None:
            pytest.skip("/usr/local/include cannot be written to")
        header.write_text("#define MORE(x) 2\n")
        assert apply(folder) == 2
    finally:
        if header is not None:
            header.unlink()


def test_a_folder_of_the_environment(apply, k):
    folder = kernel_in(k, "#include <coef.hpp>")
    for value in 2, 5:
        (folder / f"of{value}").mkdir()
        (folder / f"of{value}/coef.hpp").write_text(coefficient(value))
    assert apply(folder, {"CPATH": f"{folder}/of2"}) == 2
    assert apply(folder, {"CPATH": f"{folder}/of5"}) == 5
    assert apply(folder, {"CPATH": "of2"}) == 2  # as seen from where the command runs
    assert apply(folder, {"CPATH": f"{folder}/of2:{folder}/of5"}) == 2
    (folder / "of2/coef.hpp").rename(folder / "of2/other.hpp")
    assert apply(folder, {"CPATH": f"{folder}/of2:{folder}/of5"}) == 5
    (folder / "of2/other.hpp").rename(folder / "of2/coef.hpp")
    assert apply(folder, {"CPATH": f"{folder}/of2:{folder}/of5"}) == 2


@pytest.mark.parametrize("question", [
    '#ifdef __has_include\n#  if __has_include ( /* mine */ "local.hpp" )\n#    include "local.hpp"\n#  endif\n#endif\n'
    '#ifndef COEF\n#define COEF 2\n#endif',
    '#define LOCAL "local.hpp"\n#if __has_include(LOCAL)\n#include LOCAL\n#else\n#define COEF 2\n#endif',
])
def test_a_file_that_appears_and_goes(apply, k, question):
    folder = kernel_in(k, question)
    assert apply(folder) == 2
    (folder / "local.hpp").write_text(coefficient(5))
    assert apply(folder) == 5
    (folder / "local.hpp").unlink()
    assert apply(folder) == 2


def compiler_that(env, tmp_path, does):
    """A compiler that does more behind each of its runs."""
    wrapper = tmp_path / "clang++"
    wrapper.write_text(f'#!/bin/sh\n{env["RIDGE_CXX"]} "$@"\nstatus=$?\n{does}\nexit $status\n')
    wrapper.chmod(0o755)
    return str(wrapper)


@pytest.mark.parametrize("runs, first", [("*", 5), ("*kernel.ii*libridge_lab*", 2)])
def test_a_header_saved_while_a_compiler_runs(apply, env, tmp_path, k, runs, first):
    """Each run, or that which compiles the description: later ones see what the header says then."""
    folder = kernel_in(k)
    (folder / "coef.hpp").write_text(coefficient(2))
    saves = f"case \"$*\" in {runs}) printf '#define COEF 5\\n' >'{folder}/coef.hpp';; esac"
    busy = {"RIDGE_CXX": compiler_that(env, tmp_path, saves)}
    if first == 5:
        assert apply(folder, busy) == 5
    else:  # the executor would be another kernel's than the description
        with pytest.raises(AssertionError, match="coef.hpp was changed while the kernel was being compiled"):
            apply(folder, busy)
    assert (folder / "coef.hpp").read_text() == coefficient(5)
    assert apply(folder, busy) == 5


def test_a_header_that_never_rests_is_named(ridge, env, tmp_path, k):
    folder = kernel_in(k)
    (folder / "coef.hpp").write_text(coefficient(2))
    busy = compiler_that(env, tmp_path, f"echo '// more' >>'{folder}/coef.hpp'")
    ridge.bad("bench", f"{folder}/kern.hpp:Scale", "--device", "cpu", "--size", "20x20x20", "--no-roof",
              says=[f"{folder}/coef.hpp was changed while", "again"], env={**env, "RIDGE_CXX": busy})


def test_what_is_unchanged_is_not_preprocessed_again(ridge, env, tmp_path, k):
    folder = kernel_in(k)
    (folder / "coef.hpp").write_text(coefficient(2))
    counting = {**env, "RIDGE_CXX": compiler_that(env, tmp_path, f"echo x >>'{tmp_path}/runs'")}
    words = ("bench", f"{folder}/kern.hpp:Scale", "--device", "cpu", "--size", "20x20x20", "--repeat", 1,
             "--no-roof", "--json")

    def runs():
        return len((tmp_path / "runs").read_text().splitlines())

    ridge.good(*words, env=counting)
    first = runs()
    (record,) = ridge.good(*words, env=counting).records()
    assert record["compiled"] == "cached" and runs() == first
    # Another comment at the end changes no line of the text: it is preprocessed, and not compiled.
    (folder / "coef.hpp").write_text(coefficient(2) + "// nothing\n")
    (record,) = ridge.good(*words, env=counting).records()
    assert record["compiled"] == "cached" and first < runs()
