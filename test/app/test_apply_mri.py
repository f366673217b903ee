"""The main job, end to end on a real volume: the MRI scan that the Python package nibabel ships."""

import h5py
import nibabel
import numpy as np
import oracle
import pytest
from nibabel.testing import data_path


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    """The first volume of the scan as HDF5, its spacing in mm (x first), and the file."""
    image = nibabel.load(f"{data_path}/example4d.nii.gz")
    values = np.asarray(image.dataobj[..., 0]).T  # NIfTI is x first, HDF5 x last
    file = tmp_path_factory.mktemp("scan") / "scan.h5"
    with h5py.File(file, "w") as h5:
        h5["raw"] = values
        for dtype in ["f4", "f8"]:
            h5.create_dataset(dtype, data=values.astype(dtype), chunks=True, compression="gzip")
    assert values.shape == (24, 96, 128) and values.std() > 100
    return file, [round(float(h), 6) for h in image.header.get_zooms()[:3]]


@pytest.mark.parametrize("device", ["cpu", "simt:64"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kernel", ["laplacian", "laplacian4", "laplacian6", "laplacian8"])
def test_laplacian_of_the_scan(ridge, folder, scan, kernel, dtype, device):
    file, spacing = scan
    assert len(set(spacing)) > 1
    (record,) = ridge.good("apply", kernel, f"{file}:/{dtype}", "-o", "out.h5:/lap", "--spacing",
                           "x".join(map(str, spacing)), "--device", device, "--check",
                           "--json").records()
    assert record["check"]["ok"] is True
    assert record["size"] == [128, 96, 24]
    with h5py.File(file) as h5:
        values = h5[dtype][...]
    with h5py.File("out.h5") as h5:
        got = h5["lap"][...]
    expected = oracle.apply(kernel, values, spacing)
    assert got.dtype == values.dtype
    assert np.abs(got - expected).max() < oracle.tolerance(values.dtype, expected)
    assert np.abs(got).max() > 100  # there is something to see


def test_box27_of_the_scan(ridge, folder, scan):
    file, _ = scan
    ridge.good("apply", "box27", f"{file}:/f8", "-o", "out.h5:/lap", "--spacing", 2)
    with h5py.File(file) as h5:
        expected = oracle.apply("box27", h5["f8"][...], [2, 2, 2])
    with h5py.File("out.h5") as h5:
        assert np.abs(h5["lap"][...] - expected).max() < oracle.tolerance("f8", expected)


def test_the_scan_as_stored_is_of_integers(ridge, folder, scan):
    ridge.bad("apply", "laplacian", f"{scan[0]}:/raw", "-o", "out.h5:/lap",
              says=["16-bit signed integers", "convert"])
