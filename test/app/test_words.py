"""What docs/kernel_language.md says that a kernel may say: each word compiles, and is right, in every pattern."""

import pathlib
import re

import pytest

from user_kernels import cache, env  # noqa: F401 -- fixtures

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "kernel_language.md"
KERNELS = {"stencil": ("stencil.hpp:Words", "20x9x5", "fp64"), "pairs": ("pairs.hpp:Words", "75", "fp32"),
           "map": ("lattice.hpp:WordsMap", "4x4x4x4", "fp32"), "reduction": ("lattice.hpp:WordsSum", "4x4x4x4", "fp64"),
           "chain": ("chain.hpp:Words", "1003", "fp64")}


def table():
    text = PAGE.read_text().split("<!-- words -->")[1].split("<!-- end -->")[0]
    cells = [line.split(" | ")[0] for line in text.strip().splitlines()[2:]]
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


def test_the_kernels_say_each_word_of_the_page():
    words = [w.replace("\\|", "|") for w in table()]
    text = (HERE / "words" / "words.hpp").read_text()
    functions = [w for w in words if "(" in w]
    assert len(functions) >= 20 and "||" in words and "!=" in words
    for word in words:
        said = re.match(r"\w+", word)
        assert re.search(rf"\b{said[0]}\b[(<]", text) if said else word in text, word


@pytest.mark.in_turn
@pytest.mark.parametrize("device", ["cpu", "simt:32"])
@pytest.mark.parametrize("pattern", KERNELS)
def test_they_are_right_in_every_pattern(ridge, env, pattern, device):
    kernel, size, precision = KERNELS[pattern]
    staged = ("--schedule", "reduce=staged components=serial") if (pattern, device) == ("reduction", "simt:32") else ()

    def words(name, *more):
        return ("bench", HERE / "words" / name, "--device", device, "--size", size, "--precision", precision,
                "--repeat", 1, "--no-roof", "--json", *staged, *more)

    # Always set: a description is compiled for the members that are.
    right = () if pattern == "chain" else ("--set", "off=0")
    (record,) = ridge.good(*words(kernel, *right), env=env).records()
    assert record["check"]["ok"] is True
    if device == "cpu":  # The bounds are no larger than rounding: an error in whole packs is found.
        wrong = words("chain.hpp:WrongWords") if pattern == "chain" else words(kernel, "--set", "off=1e-3")
        ridge.bad(*wrong, code=1, env=env)
