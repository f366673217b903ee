"""Words that no command knows."""

import pytest


@pytest.mark.parametrize("words, says", [
    (("nothing",), ["the commands are ", "bench"]),
    (("evolve", "heat", "a.h5:/u", "-o", "b.h5", "--picture", "c.SVG"), ["pictures are PNG files, and c.SVG"]),
])
def test_words(ridge, folder, words, says):
    ridge.bad(*words, says=says)
