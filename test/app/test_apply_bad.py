"""`ridge apply` on bad input: one line that says what is wrong and what would be right, and no file."""

import os
import shutil
import stat
import subprocess

import h5py
import numpy as np
import pytest
from conftest import left_in


@pytest.fixture
def inputs(folder):
    """in.h5 with a good dataset /u and a number of others."""
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = np.random.default_rng(1).standard_normal((8, 9, 10))
        h5["single"] = np.zeros((8, 9, 10), "f4")
        h5["flat"] = np.zeros((8, 9))
        h5["small"] = np.zeros((8, 2, 10))
        h5["line"] = np.zeros(8)
        h5["none"] = np.zeros((0, 9, 10))
        h5["scalar"] = 1.5
        h5["null"] = h5py.Empty("f8")
        h5["time_series"] = np.zeros((2, 8, 9, 10))
        h5["int16"] = np.zeros((8, 9, 10), "i2")
        h5["uint32"] = np.zeros((8, 9, 10), "u4")
        h5["half"] = np.zeros((8, 9, 10), "f2")
        h5["flags"] = np.zeros((8, 9, 10), bool)
        h5["complex"] = np.zeros((8, 9, 10), complex)
        h5["words"] = np.array([b"a", b"b"])
        h5["group/inner"] = np.zeros((8, 9, 10))
        h5["dangling"] = h5py.SoftLink("/nowhere")
        h5.create_dataset("lzf", data=np.zeros((8, 9, 10)), compression="lzf")
    return folder


def require_refused(ridge, words, says, code=2, **options):
    before = left_in(".")
    ridge.bad("apply", *words, code=code, says=says, **options)
    assert left_in(".") == before


@pytest.mark.parametrize("dataset, says", [
    ("missing", ["/missing", "/flat", "/int16", "more"]),
    ("u/deeper", ["no dataset /u/deeper", "/flat"]),
    ("dangling", ["/dangling"]),
    ("group", ["/group is not a dataset", "/group/inner"]),
    ("", ["names no dataset", "FILE.h5:/path"]),
    ("scalar", ["0 dimensions", "1 to 3"]),
    ("null", ["0 dimensions", "1 to 3"]),
    ("time_series", ["4 dimensions", "1 to 3"]),
    ("none", ["10x9x0", "below 1"]),
    ("small", ["10x2x8", "3x3x3"]),
    ("int16", ["16-bit signed integers", "fp32 and fp64"]),
    ("uint32", ["32-bit unsigned integers", "fp32 and fp64"]),
    ("half", ["16-bit floating-point", "fp32 and fp64"]),
    ("flags", ["enumeration", "fp32 and fp64"]),
    ("complex", ["compounds", "fp32 and fp64"]),
    ("words", ["strings", "fp32 and fp64"]),
])
def test_dataset(ridge, inputs, dataset, says):
    require_refused(ridge, ["laplacian", f"in.h5:/{dataset}", "-o", "out.h5:/f"], says)


def test_too_small_for_the_radius(ridge, inputs):
    require_refused(ridge, ["laplacian8", "in.h5:/line", "-o", "out.h5:/f"], ["8", "at least 9"])


def test_input_without_a_dataset_lists_them(ridge, inputs):
    require_refused(ridge, ["laplacian", "in.h5", "-o", "out.h5:/f"], ["FILE.h5:/path", "/flat", "more"])


@pytest.mark.parametrize("name, says", [
    ("nothing.h5", "there is no file nothing.h5"),
    ("folder", "folder is a folder"),
    ("text.h5", "not an HDF5 file"),
    ("empty.h5", "not an HDF5 file"),
    ("pipe", "not a file"),
    ("two\nlines", "there is no file two?lines"),
    ("", "names no file"),
])
def test_file(ridge, folder, name, says):
    os.mkdir("folder")
    (folder / "text.h5").write_text("no volume")
    (folder / "empty.h5").touch()
    os.mkfifo("pipe")
    require_refused(ridge, ["laplacian", f"{name}:/u", "-o", "out.h5:/f"], says, limit=10)


def test_file_without_datasets(ridge, folder):
    h5py.File("bare.h5", "w").close()
    require_refused(ridge, ["laplacian", "bare.h5:/u", "-o", "out.h5:/f"], ["/u", "has no dataset"])


def test_truncated_file(ridge, inputs):
    os.truncate("in.h5", os.path.getsize("in.h5") - 3000)
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f"], ["reading in.h5", "truncated"],
                    code=1)


def test_compression_unknown_here(ridge, inputs):
    require_refused(ridge, ["laplacian", "in.h5:/lzf", "-o", "out.h5:/f"],
                    ["reading in.h5:/lzf", "lzf", "gzip"], code=1)


def test_damaged_chunk(ridge, folder):
    values = np.random.default_rng(1).standard_normal((8, 9, 10))
    with h5py.File("in.h5", "w") as h5:
        data = h5.create_dataset("u", data=values, chunks=(8, 9, 10), fletcher32=True)
        at = data.id.get_chunk_info(0).byte_offset
    with open("in.h5", "r+b") as file:
        file.seek(at + 100)
        file.write(b"damage")
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f"], "reading in.h5:/u", code=1)


@pytest.mark.parametrize("words, says", [
    (["laplace"], ["unknown kernel 'laplace'", "laplacian8", "box27"]),
    (["diffusion"], ["unknown kernel 'diffusion'", "one input", "laplacian"]),
    (["laplacian", "--spacing", "0"], ["--spacing '0'", "positive"]),
    (["laplacian", "--spacing", "1x-1x1"], ["1x-1x1", "positive"]),
    (["laplacian", "--spacing", "nan"], ["nan", "positive"]),
    (["laplacian", "--spacing", "inf"], ["inf", "positive"]),
    (["laplacian", "--spacing", "1,1,1"], ["1,1,1", "XxYxZ"]),
    (["laplacian", "--spacing", "1x1x"], ["1x1x", "XxYxZ"]),
    (["laplacian", "--spacing", ""], ["--spacing"]),
    (["laplacian", "--spacing", "1x1"], ["2 numbers", "3 dimensions"]),
    (["laplacian", "--spacing", "1x1x1x1"], ["4 numbers", "3 dimensions"]),
    (["laplacian", "--spacing", "1e-200"], ["1e-200", "numbers from 1e-100"]),
    (["box27", "--spacing", "1x1x2"], ["equal spacing", "1x1x2"]),
    (["laplacian", "--device", "gpu"], ["gpu", "cpu, simt:32"]),
    (["laplacian", "--device", "cuda:99"], ["cuda:99", "cpu, simt:32"]),
    (["laplacian", "--device", "cpu", "--schedule", "tile=4"], ["tile", "rows"]),
    (["laplacian", "--device", "cpu", "--schedule", "all"], ["all", "plain, streaming"]),
    (["laplacian", "--device", "simt:32", "--schedule", "tile=33"], ["tile=33", "1 to 32"]),
])
def test_options(ridge, inputs, words, says):
    require_refused(ridge, [words[0], "in.h5:/u", "-o", "out.h5:/f", *words[1:]], says)


def test_spacing_beyond_fp32(ridge, inputs):
    require_refused(ridge, ["laplacian", "in.h5:/single", "-o", "out.h5:/f", "--spacing", "1e-25"],
                    ["1e-25", "fp32", "units"])


def test_box27_in_two_dimensions(ridge, inputs):
    require_refused(ridge, ["box27", "in.h5:/flat", "-o", "out.h5:/f"], ["three dimensions, not 9x8"])


@pytest.mark.parametrize("output, says", [
    ("out.h5", ["names no dataset", "FILE.h5:/path"]),
    ("out.h5:/", ["names no dataset"]),
    (":/f", ["names no file"]),
    ("none/out.h5:/f", ["there is no folder none"]),
    ("folder:/f", ["folder is a folder"]),
    ("folder/:/f", ["folder/ is a folder"]),
    ("/dev/null:/f", ["/dev/null is not a file that can be replaced"]),
    ("/dev/stdout:/f", ["/dev/stdout is not a file that can be replaced"]),
    ("in.h5:/u", ["is the input"]),
    ("./in.h5:u", ["is the input"]),
    ("folder/../in.h5://u/", ["is the input"]),
    ("link.h5:/u", ["is the input"]),
    ("hard.h5:/u", ["is the input"]),
    ("in.h5:/f", ["is the input", "another file"]),
    ("link.h5:/f", ["link.h5 is the input in.h5"]),
    ("other.h5:/f", ["other.h5 exists", "--overwrite"]),
    ("out.xdmf:/f", ["XDMF"]),
])
def test_output(ridge, inputs, output, says):
    os.mkdir("folder")
    os.symlink("in.h5", "link.h5")
    os.link("in.h5", "hard.h5")
    with h5py.File("other.h5", "w") as h5:
        h5["precious"] = np.zeros(4)
        h5["f"] = np.zeros(4)
    before = open("in.h5", "rb").read()
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", output], says)
    assert open("in.h5", "rb").read() == before
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_xdmf_that_is_the_input(ridge, inputs):
    os.rename("in.h5", "in.xdmf")
    require_refused(ridge, ["laplacian", "in.xdmf:/u", "-o", "in.h5:/f"], ["in.xdmf", "is the input"])


def test_xdmf_that_is_a_folder(ridge, inputs):
    os.mkdir("out.xdmf")
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f"], ["out.xdmf is a folder"])


def test_output_that_cannot_be_looked_into(ridge, inputs):
    shutil.copy("in.h5", "broken.h5")
    os.truncate("broken.h5", os.path.getsize("broken.h5") - 3000)
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "broken.h5:/f"],
                    ["broken.h5 exists", "--overwrite"])
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "broken.h5:/f", "--overwrite")


def test_overwrite(ridge, inputs):
    with h5py.File("other.h5", "w") as h5:
        h5["precious"] = np.zeros(4)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "other.h5:/f", "--overwrite")
    with h5py.File("other.h5") as h5:
        assert list(h5) == ["f"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everywhere")
def test_permissions(ridge, inputs):
    os.chmod("in.h5", 0)
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f"], "Permission denied", code=1)
    os.chmod("in.h5", 0o600)
    os.mkdir("closed", 0o500)
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "closed/out.h5:/f"], "Permission denied",
                    code=1)


def test_folder_that_takes_no_files(ridge, inputs):
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "/proc/out.h5:/f"], "writing /proc/out.h5",
                    code=1)


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_too_little_memory(ridge, folder, device):
    with h5py.File("in.h5", "w") as h5:
        h5.create_dataset("u", shape=(4000, 4000, 400000), dtype="f8")  # 51 TB, never written
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", device],
                    ["51.2 TB", "free"], code=1)


def test_more_points_than_there_are_indices(ridge, folder):
    with h5py.File("in.h5", "w") as h5:
        h5.create_dataset("u", shape=(99, 9999999999, 99999999999), dtype="f8", chunks=(1, 1, 10))
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f"],
                    ["99999999999x9999999999x99", "2^62"])


def old_outputs(folder):
    """Older results, whose bytes must survive a failure."""
    with h5py.File("out.h5", "w") as h5:
        h5["f"] = np.arange(8.0)
    (folder / "out.xdmf").write_text("old")
    return [(folder / name).read_bytes() for name in ["out.h5", "out.xdmf"]]


def test_write_that_fails_keeps_the_old_files(ridge, inputs):
    """A limit on the size of files fails the write as a full disk does."""
    old = old_outputs(inputs)
    limited = "ulimit -f 4; exec \"$0\" \"$@\""
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f", "--overwrite"],
                    ["writing out.h5", "File too large"], code=1, prefix=["bash", "-c", limited])
    assert [(inputs / name).read_bytes() for name in ["out.h5", "out.xdmf"]] == old


@pytest.mark.parametrize("small_disk", ["256k"], indirect=True)
def test_full_disk(ridge, small_disk):
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = np.zeros((40, 40, 40))
    require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "disk/out.h5:/f"],
                    ["writing disk/out.h5 needs", "free"], code=1)
    assert left_in(small_disk) == []


def test_second_file_that_cannot_be_replaced_restores_the_first(ridge, inputs):
    old = old_outputs(inputs)
    if shutil.which("chattr") is None or subprocess.run(
            ["chattr", "+i", "out.xdmf"], capture_output=True, check=False).returncode != 0:
        pytest.skip("making a file immutable needs root and a file system that can")
    try:
        require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f", "--overwrite"],
                        "writing out.xdmf", code=1)
        os.remove("out.h5")
        require_refused(ridge, ["laplacian", "in.h5:/u", "-o", "out.h5:/f", "--overwrite"],
                        "writing out.xdmf", code=1)
        (inputs / "out.h5").write_bytes(old[0])
    finally:
        subprocess.run(["chattr", "-i", "out.xdmf"], check=True)
    assert (inputs / "out.xdmf").read_bytes() == old[1]
