"""Compilers that cannot be used, and how they are named."""

import os

import pytest

from user_kernels import heat, sources  # noqa: F401 -- fixtures

WORDS = ("--device", "cpu", "--size", "20x20x20", "--repeat", 1, "--no-roof")


@pytest.fixture
def bad_compiler(tmp_path):
    """Writes a compiler that preprocesses to nothing, says something and fails; returns the environment that names
    it as given."""
    def make(says, name=None):
        compiler = tmp_path / "clang++"
        compiler.write_text(f"#!/bin/sh\ncase \"$*\" in *' -E '*) touch kernel.ii; exit 0;; esac\n"
                            f"cat >&2 <<'END'\n{says}\nEND\nexit 1\n")
        compiler.chmod(0o755)
        return {**os.environ, "RIDGE_CACHE": str(tmp_path / "cache"), "RIDGE_CXX": name or str(compiler)}

    return make


@pytest.mark.parametrize("name", ["./clang++", "../{}/clang++"])
def test_one_that_is_named_from_here(ridge, heat, tmp_path, bad_compiler, name):
    env = bad_compiler(f"{heat.rpartition(':')[0]}:1:1: error: told to fail", name.format(tmp_path.name))
    ridge.bad("bench", heat, *WORDS, says="told to fail", env=env, cwd=tmp_path)


def test_one_of_a_relative_search_path(ridge, heat, tmp_path, bad_compiler):
    env = bad_compiler(f"{heat.rpartition(':')[0]}:1:1: error: told to fail", "clang++")
    ridge.bad("bench", heat, *WORDS, says="told to fail", env={**env, "PATH": f".:{env['PATH']}"}, cwd=tmp_path)


def test_one_that_is_too_old_for_the_headers(ridge, heat, bad_compiler):
    """What g++ 12 takes, clang 14 does not, wherever the user's file has no part in it."""
    env = bad_compiler("In file included from kernel.cpp:1:\n"
                       "/x/include/ridge/record/record.hpp:95:23: error: no viable constructor\n"
                       "/x/include/ridge/record/record.hpp:96:23: error: no viable constructor")
    line = ridge.bad("bench", heat, *WORDS, code=1, env=env,
                     says=["clang++ does not compile Ridge's headers", "record.hpp:95:23: no viable", "RIDGE_CXX"]).err
    assert "heat.hpp" not in line


def test_one_that_has_an_error_of_its_own(ridge, heat, tmp_path, bad_compiler):
    env = bad_compiler("clang++: error: unable to make temporary file: No such file or directory")
    ridge.bad("bench", heat, *WORDS, code=1, says=["clang++ failed with status 1: unable to make", "TMPDIR=/nowhere"],
              env={**env, "TMPDIR": "/nowhere"})


def test_neither_a_cache_nor_a_temporary_folder(ridge, tmp_path):
    env = {**os.environ, "RIDGE_CACHE": "/proc/none/cache", "TMPDIR": str(tmp_path / "none")}
    ridge.bad("bench", "laplacian", "--schedule", "depth=4 store=plain", *WORDS, code=1, env=env,
              says=["/proc/none/cache", f"temporary folder {tmp_path}/none (TMPDIR)", "RIDGE_CACHE"])
