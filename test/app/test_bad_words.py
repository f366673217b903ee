"""Words that no command knows."""

import pytest


@pytest.mark.parametrize("words, says", [
    (("nothing", "heat", "--size", "8"), ["ridge has no command nothing; the commands are ", "bench"]),
    (("bench", "heat", "--device", "cpu", "--device", "cpu"), ["--device is given 2 times, not once; see --help"]),
    (("bench", "heat", "1", "2"), ["bench takes no word 1; see --help"]),
    (("bench", "heat", "--nothing", "3", "4"), ["bench has no option --nothing; see --help"]),
    (("evolve", "heat", "a.h5:/u", "-o", "b.h5", "--picture", "c.SVG"), ["pictures are PNG files, and c.SVG"]),
])
def test_words(ridge, folder, words, says):
    ridge.bad(*words, says=says)
