"""Where the values of an input lie: files that lack some are refused, where HDF5 would make them up."""

import os

import h5py
import numpy as np
import pytest
from conftest import built

SHAPE = (4, 5, 6)
VALUES = np.random.default_rng(1).random(SHAPE)


def external(pieces, name="in.h5"):
    """A dataset whose values lie in other files: (file, offset, bytes)."""
    with h5py.File(name, "w") as h5:
        h5.create_dataset("u", SHAPE, "f8", external=pieces)


def virtual(sources, name="in.h5", shape=SHAPE):
    """One of whose planes each is a dataset of another file."""
    layout = h5py.VirtualLayout(shape, "f8")
    for plane, (file, path) in enumerate(sources):
        layout[plane] = h5py.VirtualSource(file, path, shape[1:])
    with h5py.File(name, "w") as h5:
        h5.create_virtual_dataset("u", layout, fillvalue=-1)


def planes():
    for plane in range(4):
        with h5py.File(f"plane{plane}.h5", "w") as h5:
            h5["v"] = VALUES[plane]
    return [(f"plane{plane}.h5", "v") for plane in range(4)]


def applied(ridge, name="in.h5", **options):
    ridge.good("apply", "laplacian", f"{name}:/u", "-o", "out.h5:/f", "--device", "cpu", **options)
    with h5py.File("out.h5") as h5:
        return h5["f"][2, 2, 2]


@pytest.fixture
def right(ridge, folder):
    with h5py.File("plain.h5", "w") as h5:
        h5["u"] = VALUES
    value = applied(ridge, "plain.h5")
    assert value != 0
    return value


def refuse(ridge, *says, command="apply", **options):
    words = {"apply": ["apply", "laplacian", "in.h5:/u", "-o", "bad.h5:/f"],
             "evolve": ["evolve", "heat", "in.h5:/u", "-o", "bad.h5", "--steps", 2]}[command]
    ridge.bad(*words, "--device", "cpu", says=["in.h5:/u", *says], **options)
    assert not os.path.exists("bad.h5")


@pytest.mark.parametrize("command", ["apply", "evolve"])
def test_external_file(ridge, right, command):
    VALUES.tofile("raw.bin")
    with open("shifted.bin", "wb") as raw:
        raw.write(b"head" * 4 + VALUES.tobytes()[400:])
    external([("raw.bin", 0, 400), ("shifted.bin", 16, VALUES.nbytes - 400)])
    assert applied(ridge) == right
    os.truncate("shifted.bin", 16 + VALUES.nbytes - 401)
    refuse(ridge, "takes 576 bytes of the external file shifted.bin, which has 575", command=command)
    os.remove("shifted.bin")
    refuse(ridge, "shifted.bin, which cannot be read: No such file", command=command)
    external([("raw.bin", 0, h5py.h5f.UNLIMITED)])
    assert applied(ridge) == right
    os.truncate("raw.bin", 0)
    refuse(ridge, "of the external file raw.bin, which has 0", command=command)


def test_external_file_in_another_folder(ridge, right):
    os.mkdir("data")
    VALUES.tofile("data/raw.bin")
    external([("raw.bin", 0, VALUES.nbytes)], "data/in.h5")
    for prefix in ("${ORIGIN}", os.path.abspath("data")):
        assert applied(ridge, "data/in.h5", env={**os.environ, "HDF5_EXTFILE_PREFIX": prefix}) == right
    ridge.bad("apply", "laplacian", "data/in.h5:/u", "-o", "bad.h5:/f", says="raw.bin, which cannot be read")


@pytest.mark.parametrize("command", ["apply", "evolve"])
def test_virtual_dataset(ridge, right, command):
    sources = planes()
    virtual(sources)
    assert applied(ridge) == right
    os.rename("plane2.h5", "elsewhere.h5")
    refuse(ridge, "its source plane2.h5:v cannot be opened", command=command)
    with h5py.File("plane2.h5", "w") as h5:
        h5["w"] = VALUES[2]
    refuse(ridge, "its source plane2.h5:v is not in that file", command=command)
    with h5py.File("plane2.h5", "w") as h5:
        h5["v"] = VALUES[2, :3]
    refuse(ridge, "takes 30 values of its source plane2.h5:v, which has 3x6", command=command)


def test_virtual_dataset_of_others(ridge, right):
    VALUES[1].tofile("raw.bin")
    planes()
    with h5py.File("plane1.h5", "w") as h5:
        h5.create_dataset("v", SHAPE[1:], "f8", external=[("raw.bin", 0, VALUES[1].nbytes)])
    os.mkdir("far")
    virtual([(os.path.abspath(f"plane{plane}.h5"), "v") for plane in range(4)], "far/in.h5")
    assert applied(ridge, "far/in.h5") == right
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = h5py.ExternalLink("far/in.h5", "u")
    assert applied(ridge) == right
    os.truncate("raw.bin", 100)
    ridge.bad("apply", "laplacian", "in.h5:/u", "-o", "bad.h5:/f",
              says="plane1.h5:v takes 240 bytes of the external file raw.bin, which has 100")


def test_part_of_a_source(ridge, right):
    with h5py.File("larger.h5", "w") as h5:
        h5["v"] = np.pad(VALUES, ((1, 0), (0, 2), (0, 0)))
    layout = h5py.VirtualLayout(SHAPE, "f8")
    layout[:] = h5py.VirtualSource("larger.h5", "v", (5, 7, 6))[1:, :5]
    with h5py.File("in.h5", "w") as h5:
        h5.create_virtual_dataset("u", layout)
    assert applied(ridge) == right
    with h5py.File("larger.h5", "w") as h5:
        h5["v"] = VALUES
    refuse(ridge, "takes 5x5x6 values of its source larger.h5:v, which has 4x5x6")


def growing(name="in.h5"):
    """Two sources that grow, side by side along y."""
    space = h5py.h5s.create_simple((4, 6, 6), (h5py.h5s.UNLIMITED, 6, 6))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.VIRTUAL)
    for side in range(2):
        source = h5py.h5s.create_simple((4, 3, 6), (h5py.h5s.UNLIMITED, 3, 6))
        source.select_hyperslab((0, 0, 0), (1, 1, 1), block=(h5py.h5s.UNLIMITED, 3, 6))
        space.select_hyperslab((0, 3 * side, 0), (1, 1, 1), block=(h5py.h5s.UNLIMITED, 3, 6))
        plist.set_virtual(space, f"half{side}.h5".encode(), b"v", source)
    with h5py.File(name, "w") as h5:
        h5py.h5d.create(h5.id, b"u", h5py.h5t.IEEE_F64LE, space, plist)


def half(side, planes_there):
    with h5py.File(f"half{side}.h5", "w") as h5:
        h5.create_dataset("v", data=np.ones((planes_there, 3, 6)), maxshape=(None, 3, 6))


def test_sources_that_grow(ridge, folder):
    growing()
    half(0, 5)
    half(1, 5)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", "cpu")
    with h5py.File("out.h5") as h5:
        assert h5["f"].shape == (5, 6, 6)
    half(1, 3)
    refuse(ridge, "a virtual dataset of 5x6x6 values, of which its sources have 3x6x6 without a gap")
    os.remove("half1.h5")
    refuse(ridge, "its source half1.h5:v cannot be opened")


def test_file_that_a_writer_has_locked(ridge, right):
    with h5py.File("plain.h5", "r+"):
        for words in built([["apply", "laplacian", "plain.h5:/u", "-o", "bad.h5:/f"],
                            ["evolve", "heat", "plain.h5:/u", "-o", "bad.h5"],
                            ["evolve", "--restart", "plain.h5"], ["nbody", "--restart", "plain.h5", "-o", "bad.h5"],
                            ["nbody", "plain.h5", "-o", "bad.h5", "--dt", 1]]):
            ridge.bad(*words, code=1, says=["reading plain.h5: another program has it open", "wait until",
                                            "HDF5_USE_FILE_LOCKING=FALSE"])
    with h5py.File("plain.h5", "r"):
        assert applied(ridge, "plain.h5") == right
