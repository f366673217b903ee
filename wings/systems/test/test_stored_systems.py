"""`ridge evolve --store-as` of systems: arrays in 16 bits, against arithmetic in fp32 that is rounded once a value."""

import h5py
import numpy as np
import pytest

from test_stored import ROUNDED
from test_systems import places, read, write
from test_systems_of_users import LINE

pytestmark = pytest.mark.usefixtures("folder")
WAVELET = [0.1, 0.35, -0.7, 1e-3]


def line_in_16_bits(u, steps, rounded, source=3):
    """LINE with rate 1/2, whose products are exact, between mirrors; a source adds to a point, which is recorded."""
    half = np.float32(0.5)
    u, v = rounded(u), np.zeros_like(u)
    trace = []
    for step in range(steps):
        v[:-1] = rounded(v[:-1] - half * np.diff(u))
        u = rounded(u - half * np.diff(v, prepend=np.float32(0)))
        if step < len(WAVELET):
            u[source] = rounded(u[source:source + 1] + np.float32(WAVELET[step]))[0]
        trace.append(u[source])
    return u, v, np.array(trace)


@pytest.fixture(scope="module")
def line(tmp_path_factory):
    """One file, so that it is compiled once."""
    file = tmp_path_factory.mktemp("kernel") / "line.hpp"
    file.write_text(LINE)
    return f"{file}:Line"


@pytest.mark.in_turn
@pytest.mark.parametrize("storage, device", [("fp16", "cpu"), ("bf16", "simt:32")])
def test_a_system_has_the_bits_of_rounded_fp32(ridge, line, storage, device):
    places("source.csv", (3, 0, 0))
    np.savetxt("wavelet.txt", WAVELET)
    start = np.random.default_rng(7).random(45).astype("f4")
    write(u=start)
    words = ("evolve", line, "in.h5", "--store-as", storage, "--device", device, "--source", "source.csv",
             "--wavelet", "wavelet.txt", "--receivers", "source.csv", "--every", "9", "--overwrite")
    ran = ridge(*words, "--steps", "27", "-o", "whole.h5", "--json")
    assert ran.code == 0, ran.err  # which may say that it compiles
    (record,) = ran.records()
    assert record["precision"] == storage and record["arithmetic"] == "fp32"
    assert record["bytes_written"] == 2 * 2 * 45
    u, v, trace = line_in_16_bits(start, 27, ROUNDED[storage])
    found = read("u", "v", file="whole.h5")
    assert found[0].dtype == np.float32
    np.testing.assert_array_equal(found[0], u)
    np.testing.assert_array_equal(found[1], v)
    with h5py.File("whole.traces.h5") as h5:
        np.testing.assert_array_equal(h5["traces"][0], trace)
    before = ROUNDED[storage](start).astype("f8")
    assert record["u_sum_drift"] == pytest.approx((u.astype("f8").sum() - before.sum()) / before.sum(), rel=1e-12)
    assert ridge(*words, "--steps", "9", "-o", "part.h5").code == 0
    assert ridge("evolve", "--restart", "part.h5", "--steps", "18", "--device", device).code == 0
    np.testing.assert_array_equal(read("u", file="part.h5"), u)


def test_values_beyond_the_range_are_said_once(ridge, line):
    words = ("evolve", line, "in.h5", "-o", "out.h5", "--steps", "2", "--every", "1", "--overwrite", "--device")
    on_cpu = ("cpu", "--store-as", "fp16")
    u = np.ones(45, "f4")
    u[7] = 7e4
    write(u=u)
    ridge(*words, *on_cpu)  # compiled
    done = ridge(*words, *on_cpu)
    assert done.code == 0
    assert done.err == "ridge: 1 values of the start are beyond the range of fp16 and count as infinite\n"
    u[7:9] = 6e4, -6e4
    v = np.zeros_like(u)
    v[7] = 6e4
    write(u=u, v=v)  # v becomes 1.2e5 there
    done = ridge(*words, *on_cpu)
    assert done.code == 1 and done.err.startswith("ridge: stopped at step 1: ")
    assert done.err.endswith("the last snapshot is out.0000000000.h5; they may be beyond the range of fp16\n")
    ridge.good(*words, "simt:32", "--store-as", "bf16")


def test_lattice_boltzmann_is_near_fp32(ridge):
    y = np.arange(24)
    start = {"ux": np.broadcast_to(0.05 * np.sin(2 * np.pi * y / 24)[:, None], (24, 20)).astype("f4"),
             "rho": np.ones((24, 20), "f4")}
    write(**start)
    found = {}
    for storage in ((), ("--store-as", "fp16")):
        ran = ridge("evolve", "lbm-d3q19", "in.h5", "-o", "out.h5", "--steps", "40", "--every", "40", "--device", "cpu",
                    "--overwrite", "--json", *storage)
        assert ran.code == 0, ran.err
        found[storage] = read("ux", "rho")
        (record,) = ran.records()
    np.testing.assert_allclose(found["--store-as", "fp16"][0], found[()][0], atol=2e-4)
    assert np.abs(found[()][0]).max() > 0.02
    assert abs(record["rho_sum_drift"]) < 1e-5 and record["ux_squares_drift"] < -0.1


def test_pairs_of_points_have_the_bits_of_single_ones(ridge):
    """Lanes that march take two points where rows have even numbers of them. Whether a row has one more point than the
    other is unknown to points that no wave reaches from its end: two steps reach 16 points."""
    start = np.random.default_rng(11).random((10, 9, 41)).astype("f4")
    found = {}
    for extent in (40, 41):
        write(p=start[:, :, :extent])
        ran = ridge("evolve", "acoustic", "in.h5", "-o", "out.h5", "--steps", "2", "--dt", "0.1", "--spacing", "1",
                    "--store-as", "bf16", "--device", "simt:32", "--overwrite")
        assert ran.code == 0, ran.err
        found[extent] = [values[:, :, :20] for values in read("p", "vx", "vy", "vz")]
    for even, odd in zip(found[40], found[41]):
        np.testing.assert_array_equal(even, odd)
    assert not np.array_equal(found[40][0], start[:, :, :20])


def test_what_is_refused(ridge):
    write(rho=np.ones((9, 9)), ux=np.zeros((9, 9)))
    words = ("evolve", "lbm-d3q19", "in.h5", "-o", "out.h5", "--steps", "1", "--store-as")
    ridge.bad(*words, "int8", says="--store-as int8: fp16 or bf16 is right")
    done = ridge(*words, "fp16")
    assert done.code == 2 and "computes in fp32; in.h5:/rho is fp64" in done.err
    write(rho=np.ones((9, 9), "f4"))
    assert ridge(*words, "fp16", "--device", "cpu").code == 0
    ridge.bad("evolve", "--restart", "out.h5", "--steps", "1", "--store-as", "fp16", says="--store-as cannot be given")


def test_steps_of_systems_are_right(ridge):
    (record,) = ridge.good("bench", "shallow-water", "--size", "70x33", "--device", "simt:32", "--store-as", "bf16",
                           "--repeat", 1, "--no-roof", "--json").records()
    assert record["check"]["ok"] and record["precision"] == "bf16"
    assert record["bytes_written"] == 2 * 3 * 70 * 33


def test_arrays_that_a_system_does_not_have(ridge):
    ridge.bad("bench", "acoustic", "--store-as", "q=fp16", says="no array 'q'; there are p, vx, vy, vz, c, rho")
