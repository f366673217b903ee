"""Words that no command knows, and files of another kind than is expected."""

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


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_bodies_in_utf_16(ridge, folder, encoding):
    (folder / "a.csv").write_bytes("x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n".encode(encoding))
    error = ridge.bad("nbody", "a.csv", "--dt", 0.1, "-o", "b.h5", says="a.csv line 1 has zero bytes").err
    assert error.isascii() and "UTF-8" in error
    (folder / "a.csv").write_bytes(b"x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,\xff\x1b[2J\n")
    ridge.bad("nbody", "a.csv", "--dt", 0.1, "-o", "b.h5", says="m is '??[2J', not a number")
