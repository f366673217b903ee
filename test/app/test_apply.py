"""`ridge apply` on good input: the numbers, the attributes, the files."""

import os
import subprocess
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np
import oracle
import pytest
from conftest import control_characters, left_in, rest_of_terminal

SHAPES = {1: (101,), 2: (37, 41), 3: (17, 19, 23)}
SPACING = (0.5, 0.75, 1.25)


def volume(shape, dtype="f8", seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def write(file, values, path="u", **options):
    with h5py.File(file, "a") as h5:
        h5.create_dataset(path, data=values, **options)


def read(file, path="f"):
    with h5py.File(file) as h5:
        return h5[path][...]


def require_close(got, values, kernel, spacing):
    expected = oracle.apply(kernel, values, spacing)
    radius = oracle.RADIUS[kernel]
    edge = np.ones(got.shape, bool)
    edge[(slice(radius, -radius),) * got.ndim] = False
    assert np.all(got[edge] == 0)
    assert np.abs(got - expected).max() < oracle.tolerance(values.dtype, expected)


# Every kernel with every number of dimensions, of which each has every type.
DTYPES = ("<f4", ">f8", ">f4", "<f8")


@pytest.mark.parametrize("kernel, rank, dtype", [
    (kernel, rank, DTYPES[(i + rank) % 4])
    for i, kernel in enumerate(["laplacian", "laplacian4", "laplacian6", "laplacian8"]) for rank in (1, 2, 3)])
def test_laplacians(ridge, folder, kernel, rank, dtype):
    values = volume(SHAPES[rank], dtype)
    write("in.h5", values)
    spacing = SPACING[:rank]
    ridge.good("apply", kernel, "in.h5:/u", "-o", "out.h5:/f", "--device", "cpu", "--spacing",
               "x".join(map(str, spacing)))
    got = read("out.h5")
    assert got.shape == values.shape
    with h5py.File("out.h5") as h5:
        assert h5["f"].dtype == values.dtype  # the byte order, too
    require_close(got, values, kernel, spacing)


def test_box27(ridge, folder):
    values = volume(SHAPES[3], "f4")
    write("in.h5", values)
    ridge.good("apply", "box27", "in.h5:/u", "-o", "out.h5:/f", "--device", "cpu", "--spacing", 0.5)
    require_close(read("out.h5"), values, "box27", (0.5,) * 3)


def test_devices_agree(ridge, folder):
    values = volume(SHAPES[3])
    write("in.h5", values)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", "simt:64")
    require_close(read("out.h5"), values, "laplacian", (1, 1, 1))


@pytest.mark.parametrize("schedule", ["kernel1", "tile=4 store=nontemporal"])
def test_schedules_agree(ridge, folder, schedule):
    values = volume(SHAPES[3])
    write("in.h5", values)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", "simt:32",
               "--schedule", schedule)
    require_close(read("out.h5"), values, "laplacian", (1, 1, 1))


def test_spacing_is_x_first_and_x_is_the_last_dimension(ridge, folder):
    values = np.zeros((7, 7, 7))
    values[3, 3, 3] = 1
    write("in.h5", values)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--spacing", "0.5x1x2")
    got = read("out.h5")
    assert got[3, 3, 2] == 4
    assert got[3, 2, 3] == 1
    assert got[2, 3, 3] == 0.25
    assert got[3, 3, 3] == -2 * (4 + 1 + 0.25)


@pytest.mark.parametrize("options", [
    {"chunks": (5, 6, 7)}, {"chunks": (17, 19, 23), "compression": "gzip"},
    {"chunks": (4, 19, 23), "shuffle": True, "fletcher32": True}, {"maxshape": (None, 19, 23)},
])
def test_storage_of_the_input(ridge, folder, options):
    values = volume(SHAPES[3])
    write("in.h5", values, **options)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f")
    require_close(read("out.h5"), values, "laplacian", (1, 1, 1))


@pytest.mark.parametrize("shape, chunks", [
    ((210, 200, 190), (64, 50, 50)),  # pieces of whole planes; cuts fall between chunks
    ((3, 2300, 2400), None),  # planes larger than a piece
    ((9_000_000,), None), ((3000, 2800), (100, 100)),
])
def test_several_pieces(ridge, folder, shape, chunks):
    values = volume(shape)
    write("in.h5", values, chunks=chunks)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--spacing",
               "x".join(map(str, SPACING[:len(shape)])))
    require_close(read("out.h5"), values, "laplacian", SPACING[:len(shape)])


def test_names_of_datasets(ridge, folder):
    values = volume(SHAPES[2])
    write("a b:c.h5", values, path="run 1/säule/u")
    write("a b:c.h5", values + 1, path="plain")
    os.symlink("a b:c.h5", "link.h5")
    ridge.good("apply", "laplacian", "a b:c.h5:/run 1//./säule/u/", "-o", "o:1 <&>.h5:/g/h/f")
    expected = read("o:1 <&>.h5", "g/h/f")
    require_close(expected, values, "laplacian", (1, 1))
    ridge.good("apply", "laplacian", "link.h5:run 1/säule/u", "-o", "second:f")
    assert np.array_equal(read("second"), expected)
    assert left_in(folder) == ["a b:c.h5", "link.h5", "o:1 <&>.h5", "o:1 <&>.xdmf", "second",
                               "second.xdmf"]


def test_attributes_say_what_it_is(ridge, folder):
    write("in.h5", volume(SHAPES[2], "f4"))
    ridge.good("apply", "laplacian4", "in.h5:/u", "-o", "out.h5:/f", "--spacing", "0.5x2",
               "--device", "simt:32", "--schedule", "store=nontemporal")
    version = ridge.good("--version").out.split()[1]
    with h5py.File("out.h5") as h5:
        said = dict(h5["f"].attrs)
    assert said["kernel"] == "laplacian4"
    assert list(said["spacing"]) == [0.5, 2]
    assert list(said["radius"]) == [2, 2]
    assert "store=nontemporal" in said["schedule"].split()
    assert "emulated GPU" in said["device"]
    assert said["source"] == "in.h5:/u"
    assert said["ridge_version"] == version
    assert "0" in said["edge"]
    assert "x first" in said["axes"]


def dataset_of_xdmf(file):
    """The grid of an XDMF file as a reader sees it, with the data its reference leads to."""
    grid = ElementTree.parse(file).getroot().find("Domain/Grid")
    assert grid.get("GridType") == "Uniform"
    topology = grid.find("Topology")
    assert topology.get("TopologyType") == "3DCoRectMesh"
    geometry = grid.find("Geometry")
    assert geometry.get("GeometryType") == "ORIGIN_DXDYDZ"
    origin, spacing = ([float(v) for v in item.text.split()] for item in geometry)
    item = grid.find("Attribute/DataItem")
    assert item.get("Format") == "HDF"
    name, path = item.text.strip().rsplit(":/", 1)
    with h5py.File(os.path.join(os.path.dirname(file), name)) as h5:
        data = h5[path][...]
    assert item.get("Dimensions") == topology.get("Dimensions")
    assert item.get("NumberType") == "Float"
    assert item.get("Precision") == str(data.dtype.itemsize)
    assert grid.find("Attribute").get("Center") == "Node"
    return [int(n) for n in topology.get("Dimensions").split()], origin, spacing, data


@pytest.mark.parametrize("rank, spacing, z_first, dtype", [
    (1, "0.5", [0.5, 0.5, 0.5], "f4"), (2, "0.5x0.75", [0.5, 0.75, 0.5], "f8"),
    (3, "0.5x0.75x1.25", [1.25, 0.75, 0.5], "f4"),
])
def test_xdmf(ridge, folder, rank, spacing, z_first, dtype):
    values = volume(SHAPES[rank], dtype)
    os.mkdir("deep")
    write("in.h5", values)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "deep/out.v1.h5:/g/f", "--spacing", spacing)
    dimensions, origin, steps, data = dataset_of_xdmf("deep/out.v1.xdmf")
    assert dimensions == [1] * (3 - rank) + list(values.shape)
    assert origin == [0, 0, 0]
    assert steps[3 - rank:] == z_first[3 - rank:]
    assert np.array_equal(data, read("deep/out.v1.h5", "g/f"))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_paraview_opens_it(ridge, folder, rank):
    """By the reader ParaView has; runs where the Python package vtk is installed."""
    xdmf = pytest.importorskip("vtkmodules.vtkIOXdmf2")
    numpy_support = pytest.importorskip("vtkmodules.util.numpy_support")
    values = volume(SHAPES[rank])
    write("in.h5", values)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--spacing",
               "x".join(map(str, SPACING[:rank])))
    reader = xdmf.vtkXdmfReader()
    reader.SetFileName("out.xdmf")
    reader.Update()
    image = reader.GetOutputDataObject(0)
    assert list(image.GetDimensions())[:rank] == list(values.shape[::-1])
    assert list(image.GetSpacing())[:rank] == list(SPACING[:rank])
    shown = numpy_support.vtk_to_numpy(image.GetPointData().GetArray("laplacian"))
    assert np.array_equal(shown, read("out.h5").ravel())


def test_json(ridge, folder):
    write("in.h5", volume(SHAPES[3], "f4"))
    (record,) = ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", "cpu",
                           "--json").records()
    assert record["pattern"] == "stencil"
    assert record["kernel"] == "laplacian"
    assert record["precision"] == "fp32"
    assert record["size"] == [23, 19, 17]
    assert record["seconds"] > 0 and record["repeats"] >= 1
    moved = record["bytes_read"] + record["bytes_written"]
    assert record["achieved"] == pytest.approx(moved / record["seconds"])
    assert record["achieved_unit"] == "B/s"
    assert record["fraction"] is None
    assert record["check"] is None


def test_check(ridge, folder):
    values = volume(SHAPES[3])
    write("in.h5", values)
    (record,) = ridge.good("apply", "laplacian8", "in.h5:/u", "-o", "out.h5:/f", "--device", "simt:32",
                           "--json", "--check").records()
    assert record["check"]["ok"] is True
    assert record["check"]["max_error"] < 1e-13
    require_close(read("out.h5"), values, "laplacian8", (1, 1, 1))


def test_one_line_says_what_was_done(ridge, folder):
    write("in.h5", volume(SHAPES[2]))
    text = ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", "cpu").out
    assert len(text.splitlines()) == 1
    for part in ["laplacian 41x37 fp64 on cpu", "B/s", "out.h5:/f and out.xdmf"]:
        assert part in text


def test_nothing_but_the_two_files_is_left(ridge, folder):
    write("in.h5", volume(SHAPES[2]))
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f")
    assert left_in(folder) == ["in.h5", "out.h5", "out.xdmf"]


def test_the_same_input_gives_the_same_files(ridge, folder):
    write("in.h5", volume(SHAPES[2]))
    for name in ["a", "b"]:
        os.mkdir(name)
        ridge.good("apply", "laplacian", "in.h5:/u", "-o", f"{name}/out.h5:/f")
    for name in ["out.h5", "out.xdmf"]:
        with open(f"a/{name}", "rb") as a, open(f"b/{name}", "rb") as b:
            assert a.read() == b.read()


def test_an_older_output_is_replaced(ridge, folder):
    values = volume(SHAPES[2])
    write("in.h5", values)
    for kernel in ["laplacian4", "laplacian"]:
        ridge.good("apply", kernel, "in.h5:/u", "-o", "out.h5:/f")
    require_close(read("out.h5"), values, "laplacian", (1, 1))
    assert 'Name="laplacian"' in open("out.xdmf").read()
    assert left_in(folder) == ["in.h5", "out.h5", "out.xdmf"]


def test_output_through_a_link_replaces_what_it_leads_to(ridge, folder):
    values = volume(SHAPES[2])
    write("in.h5", values)
    os.mkdir("far")
    write("far/data.h5", values, path="f")
    os.symlink("far/data.h5", "out.h5")
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--overwrite")
    assert os.path.islink("out.h5")
    require_close(read("far/data.h5"), values, "laplacian", (1, 1))
    assert np.array_equal(dataset_of_xdmf("out.xdmf")[3], read("far/data.h5"))
    assert left_in("far") == ["data.h5"]


def test_odd_numbers_pass_through_and_are_said_once(ridge, folder):
    values = volume(SHAPES[3])
    values[4, 5, 6] = np.nan
    values[4, 5, 9] = -np.inf
    values[10, 11, 12] = np.nan
    write("in.h5", values)
    result = ridge("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--json")
    assert result.code == 0
    assert len(result.err.splitlines()) == 1
    for part in ["in.h5:/u", "2 NaN", "1 infinite", "x=6 y=5 z=4"]:
        assert part in result.err
    assert not control_characters(result.err)
    got = read("out.h5")
    expected = oracle.apply("laplacian", values, (1, 1, 1))
    assert np.array_equal(np.isnan(got), np.isnan(expected))
    assert np.array_equal(np.isinf(got), np.isinf(expected))
    assert np.isnan(got).sum() >= 14
    finite = np.isfinite(expected)
    assert np.abs(got[finite] - expected[finite]).max() < 1e-12


def test_odd_numbers_of_a_later_piece_are_found(ridge, folder):
    values = np.zeros(9_000_000)
    values[[8_500_000, 8_999_999]] = np.inf
    write("in.h5", values)
    result = ridge("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f")
    assert result.code == 0
    assert "0 NaN and 2 infinite values, the first at x=8500000;" in result.err


def test_odd_numbers_are_right_where_the_reference_has_them(ridge, folder):
    values = volume(SHAPES[1])
    values[50] = np.nan
    values[70] = np.inf
    write("in.h5", values)
    result = ridge("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--json", "--check")
    assert result.code == 0
    assert "1 NaN and 1 infinite values, the first at x=50; they pass through\n" in result.err
    assert result.records()[0]["check"]["ok"] is True


def write_slow_to_read(file, planes):
    """A volume of `planes` x 400 x 400 whose reading takes long for its size: unpacked, unshuffled
    and summed up. Its chunks are all the same, so that writing it takes no time."""
    shape = (10, 400, 400)
    digits = np.random.default_rng(1).integers(0, 16, shape) * np.pi
    packing = {"chunks": shape, "compression": "gzip", "compression_opts": 1, "shuffle": True,
               "fletcher32": True}
    with h5py.File(file, "w") as h5:
        one = h5.create_dataset("one", data=digits, **packing)
        mask, packed = one.id.read_direct_chunk((0, 0, 0))
        all_of_it = h5.create_dataset("u", (planes, *shape[1:]), "f8", **packing)
        for first in range(0, planes, shape[0]):
            all_of_it.id.write_direct_chunk((first, 0, 0), packed, filter_mask=mask)


def test_progress_is_for_terminals(ridge, folder):
    """In a pseudo-terminal a bar appears on stderr and is wiped; `good` tests that pipes get none."""
    pty = pytest.importorskip("pty")
    seen = b""
    planes = 100
    while b"reading [" not in seen and planes <= 1600:  # however fast the machine is
        write_slow_to_read("in.h5", planes)
        ours, theirs = pty.openpty()
        run = subprocess.Popen([ridge.program, "apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f",
                                "--overwrite"], stderr=theirs, stdout=subprocess.PIPE, text=True)
        os.close(theirs)
        seen = rest_of_terminal(ours)
        assert run.wait() == 0
        assert seen.endswith(b"\r\x1b[K")
        assert not control_characters(run.stdout.read())
        planes *= 4
    assert b"reading [" in seen
