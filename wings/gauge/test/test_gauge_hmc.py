"""`ridge gauge hmc`: equal bits on every device and over ranks, <exp(-dH)> = 1, heatbath's plaquette, Ctrl-C, going on."""

import signal
import time

import gauge_files
import numpy as np
import pytest
from conftest import left_in


def hmc(ridge, output, *words):
    (record,) = ridge.good("gauge", "hmc", "-o", output, "--overwrite", "--json", *words).records()
    return record


@pytest.fixture
def one_thread(monkeypatch):
    """Many small launches: two threads would wait for each other where the machine has other work."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def numbers(text):
    return np.array([float(p) for p in text.split()])


def mean_and_error(values, bins=10):
    blocks = values[:len(values) // bins * bins].reshape(bins, -1).mean(axis=1)
    return values.mean(), blocks.std(ddof=1) / bins ** 0.5


def test_all_devices_write_equal_bytes(ridge, folder):
    words = ("--size", "4x2x4x6", "--beta", 5.7, "--trajectories", 2, "--steps", 3, "--start", "hot")
    files = []
    for device in "cpu", "simt:32":
        record = hmc(ridge, "a.nersc", *words, "--seed", 11, "--device", device)
        assert record["kernel"] == "hmc" and record["device"] == device
        files.append((folder / "a.nersc").read_bytes())
    assert files[0] == files[1]
    _, links = gauge_files.read_nersc(folder / "a.nersc")
    assert abs(numbers(record["plaquettes"])[-1] - gauge_files.plaquette(links)) < 1e-14
    assert np.allclose(links @ links.conj().swapaxes(-1, -2), np.eye(3), atol=1e-14)
    assert np.allclose(np.linalg.det(links), 1, atol=1e-14)
    hmc(ridge, "b.nersc", *words, "--seed", 12)
    assert not np.array_equal(gauge_files.read_nersc(folder / "b.nersc")[1], links)


def test_ranks_do_not_change_bits(ridge, mpi, folder):
    words = ("--size", "4x2x4x6", "--beta", 5.7, "--trajectories", 2, "--steps", 3, "--start", "hot", "--device", "cpu")
    one = hmc(ridge, "one", *words)
    (record,) = mpi(2, "gauge", "hmc", "-o", "many", "--json", *words, "--ranks", "2x1x1x1").records()
    assert (folder / "one").read_bytes() == (folder / "many").read_bytes()
    assert record["energy_changes"] == one["energy_changes"] and record["ranks"] == 2
    assert left_in(folder) == ["many", "one"]


CLOVER = ("--kappa", 0.12, "--csw", 1.5)


@pytest.mark.parametrize("fermions", [(), CLOVER])
def test_going_on_is_as_if_never_stopped(ridge, folder, one_thread, fermions):
    words = ("--size", "4x4x2x4", "--beta", 6.2, "--seed", 3, "--steps", 3, "--warm-up", 3, "--device", "cpu", *fermions)
    hmc(ridge, "whole", *words, "--trajectories", 5)
    hmc(ridge, "half", *words, "--trajectories", 2)
    rest = hmc(ridge, "rest", *words, "--trajectories", 3, "--start", "half")
    assert (folder / "whole").read_bytes() == (folder / "rest").read_bytes()
    assert rest["trajectories"] == 5 and len(numbers(rest["energy_changes"])) == 3


def test_ensemble_is_that_of_heatbath(ridge, folder, one_thread):
    words = ("--size", "4x4x4x4", "--beta", 5.7, "--device", "cpu", "--json")
    (made,) = ridge.good("gauge", "heatbath", *words, "--sweeps", 400, "--relaxations", 1, "--every", 1, "-o", "a").records()
    expected, error = mean_and_error(numbers(made["plaquettes"])[50:])
    record = hmc(ridge, "b", *words[2:], "--start", "a", "--trajectories", 120, "--steps", 4)
    found, spread = mean_and_error(numbers(record["plaquettes"]))
    assert np.hypot(error, spread) < 0.004 and abs(found - expected) < 4 * np.hypot(error, spread)
    changes = numbers(record["energy_changes"])
    assert 0.05 < changes.std() < 1 and 0.6 < record["acceptance"] < 1
    assert record["exp_energy_change"] == pytest.approx(np.exp(-changes).mean())
    assert abs(record["exp_energy_change"] - 1) < 4 * record["exp_energy_change_error"]
    assert record["exp_energy_change_error"] < 0.06


def test_two_flavours(ridge, folder, one_thread):
    words = ("--size", "4x4x4x4", "--beta", 5.3, "--kappa", 0.13, "--csw", 1.2, "--warm-up", 0, "--steps", 3,
             "--gauge-steps", 2)
    ridge.good("gauge", "heatbath", *words[:2], "--beta", 5.5, "--sweeps", 30, "-o", "a", "--device", "cpu")
    ends = [hmc(ridge, "b", *words, "--start", "a", "--trajectories", 1, "--device", device)
            for device in ("cpu", "simt:32")]
    assert ends[0]["kappa"] == 0.13 and ends[0]["csw"] == 1.2 and ends[0]["solves"] == 9 and ends[0]["iterations"] > 90
    changes = [float(end["energy_changes"]) for end in ends]
    # Conjugate gradients round otherwise on each device.
    assert 1e-3 < abs(changes[0]) < 1 and abs(changes[0] - changes[1]) < 1e-7
    out = ridge.good("gauge", "hmc", *words, "--start", "a", "--trajectories", 1, "-o", "c", "--device", "cpu").out
    assert out.split()[:5] == ["trajectory", "plaquette", "dH", "taken", "iterations"]
    assert "kappa 0.13, csw 1.2" in gauge_files.read_nersc(folder / "c")[0]["ENSEMBLE_LABEL"]


def test_clover_fermions_keep_their_ensemble(ridge, folder, one_thread):
    words = ("--beta", 5.6, *CLOVER, "--steps", 2, "--gauge-steps", 2, "--device", "cpu")
    ridge.good("gauge", "heatbath", "--size", "4x2x2x4", "--beta", 5.7, "--sweeps", 30, "-o", "a", "--device", "cpu")
    record = hmc(ridge, "b", *words, "--start", "a", "--trajectories", 50, "--warm-up", 40)
    changes = numbers(record["energy_changes"])[10:]
    assert record["csw"] == 1.5 and 0.05 < changes.std() < 1 and record["acceptance"] > 0.5
    assert abs(record["exp_energy_change"] - 1) < 4 * record["exp_energy_change_error"] < 0.4


@pytest.mark.parametrize("fermions", [("--kappa", 0.12), CLOVER])
def test_ranks_do_not_change_bits_of_fermions(ridge, mpi, folder, fermions):
    words = ("--size", "4x4x2x4", *fermions, "--trajectories", 1, "--steps", 2, "--gauge-steps", 2, "--start", "hot",
             "--device", "cpu", "--reproducible")
    one = hmc(ridge, "one", *words)
    (record,) = mpi(2, "gauge", "hmc", "-o", "many", "--json", *words).records()
    assert record["energy_changes"] == one["energy_changes"]
    assert (folder / "one").read_bytes() == (folder / "many").read_bytes()


def test_a_table_is_printed(ridge, folder):
    out = ridge.good("gauge", "hmc", "--size", "4x4x4x4", "--trajectories", 3, "--warm-up", 1, "--steps", 2, "--every", 2,
                     "-o", "a").out.splitlines()
    assert out[0].split() == ["trajectory", "plaquette", "dH", "taken"]
    assert [line.split()[0] for line in out[1:3]] == ["2", "3"]
    assert out[3].startswith("accepted ") and " of 2, <exp(-dH)> " in out[3] and "wrote a, plaquette " in out[4]
    none = ridge.good("gauge", "hmc", "--size", "4x4x4x4", "--trajectories", 0, "-o", "b").out
    assert "0 trajectories" in none and "plaquette 1.0000" in none


def test_interrupt_keeps_what_there_is(ridge, folder):
    words = ("--size", "4x4x4x4", "--steps", 2, "--device", "cpu")
    run = ridge.start("gauge", "hmc", *words, "--trajectories", 1000000, "-o", "a.nersc")
    assert run.stdout.readline() and run.stdout.readline()  # the first trajectory
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130 and err == "ridge: interrupted\n"
    done = int(gauge_files.read_nersc(folder / "a.nersc")[0]["SEQUENCE_NUMBER"])
    assert done >= 1 and f"after trajectory {done}: go on with --start a.nersc" in out
    assert left_in(folder) == ["a.nersc"]


@pytest.mark.parametrize("fermions", [(), ("--kappa", 0.1)])
def test_interrupt_within_a_trajectory(ridge, folder, fermions):
    """It is given up: of one that would take minutes the links before it are kept."""
    run = ridge.start("gauge", "hmc", "--size", "4x4x4x4", "--steps", 10**6, *fermions, "--device", "cpu", "-o", "a.nersc")
    assert run.stdout.readline()
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=100)
    assert run.returncode == 130 and err == "ridge: interrupted\n"
    assert "a.nersc holds the links after trajectory 0: go on with --start a.nersc" in out
    header, links = gauge_files.read_nersc(folder / "a.nersc")
    assert header["SEQUENCE_NUMBER"] == "0" and np.ptp(links[..., 0, 0]) == 0


@pytest.mark.parametrize("fermions", [(), CLOVER])
def test_steps_that_are_far_too_long_are_not_taken(ridge, folder, fermions):
    """The links leave the numbers; those before a trajectory stay."""
    words = ("--size", "4x4x4x4", *fermions, "--trajectories", 2, "--warm-up", 1, "--steps", 1, "--device", "cpu")
    record = hmc(ridge, "a.nersc", *words, "--length", 1e200)
    assert record["energy_changes"] == "inf inf" and record["acceptance"] == 0 and record["exp_energy_change"] == 0
    header, links = gauge_files.read_nersc(folder / "a.nersc")
    assert header["SEQUENCE_NUMBER"] == "2" and np.ptp(links[..., 0, 0]) == 0


def test_solves_that_fail_late_keep_what_there_is(ridge, folder):
    """From unit links, iterations grow with each trajectory."""
    run = ridge("gauge", "hmc", "--size", "4x4x4x4", "--kappa", 0.15, "--beta", 5.3, "--iterations", 60, "--steps", 3,
                "--trajectories", 20, "-o", "a.nersc", "--device", "cpu")
    assert run.code == 1 and "conjugate gradients have a residual of" in run.err
    done = int(gauge_files.read_nersc(folder / "a.nersc")[0]["SEQUENCE_NUMBER"])
    assert done >= 1 and f"after trajectory {done}: go on with --start a.nersc" in run.out


def test_bad_words(ridge, folder):
    def bad(*words, says):
        ridge.bad("gauge", "hmc", "-o", "a", *words, says=says)
        assert left_in(folder) == []

    bad(says="--size NXxNYxNZxNT is needed")
    bad("--size", "4x4x4", says="four extents")
    fermions = ("--size", "4x4x4x4", "--kappa", 0.15)
    bad("--size", "4x4x4x4", "--csw", 1, says="--csw is for fermions: --kappa is needed")
    bad(*fermions, "--csw", "nan", says="--csw nan: expected a number")
    bad(*fermions, "--gauge-steps", 0, says="--gauge-steps 0: expected")
    bad(*fermions, "--tol", 0, says="--tol 0: expected")
    ridge.bad("gauge", "hmc", "-o", "a", *fermions, "--iterations", 2, code=1, says="conjugate gradients")
    assert left_in(folder) == []
    size = ("--size", "4x4x4x4")
    bad(*size, "--beta", -1, says="--beta -1: expected")
    bad(*size, "--trajectories", -1, says="at least 0")
    bad(*size, "--steps", 0, says="--steps 0: expected at least 1")
    bad(*size, "--length", 0, says="--length 0: expected a number above 0")
    bad(*size, "--integrator", "euler", says="expected omelyan or leapfrog")
    bad(*size, "--warm-up", -1, says="at least 0")
    bad(*size, "--start", "warm", says="there is no file warm")
