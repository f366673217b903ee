"""`ridge gauge heatbath`: equal bits on every device, known limits of the plaquette, Ctrl-C, going on."""

import signal

import gauge_files
import numpy as np
import pytest
from conftest import left_in, let_it_work
from over_ranks import refused


def heatbath(ridge, output, *words):
    (record,) = ridge.good("gauge", "heatbath", "-o", output, "--overwrite", "--json", *words).records()
    return record


@pytest.fixture
def one_thread(monkeypatch):
    """Many small launches: two threads would wait for each other where the machine has other work."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def plaquettes(record):
    return np.array([float(p) for p in record["plaquettes"].split()])


def mean_and_error(values):
    blocks = values[:len(values) // 10 * 10].reshape(10, -1).mean(axis=1)
    return values.mean(), blocks.std(ddof=1) / 10 ** 0.5


def test_all_devices_write_equal_bytes(ridge, folder):
    words = ("--size", "4x2x4x6", "--beta", 5.7, "--sweeps", 3, "--start", "hot")
    files = []
    for device in "cpu", "simt:32", "simt:64":
        record = heatbath(ridge, "a.nersc", *words, "--seed", 11, "--device", device)
        assert record["kernel"] == "heatbath" and record["device"] == device
        files.append((folder / "a.nersc").read_bytes())
    assert files[0] == files[1] == files[2]
    header, links = gauge_files.read_nersc(folder / "a.nersc")
    assert abs(plaquettes(record)[-1] - gauge_files.plaquette(links)) < 1e-14
    assert np.allclose(links @ links.conj().swapaxes(-1, -2), np.eye(3), atol=1e-14)
    assert np.allclose(np.linalg.det(links), 1, atol=1e-14)
    heatbath(ridge, "b.nersc", *words, "--seed", 12)
    assert not np.array_equal(gauge_files.read_nersc(folder / "b.nersc")[1], links)


def test_no_sweeps_make_the_start(ridge, folder):
    record = heatbath(ridge, "a.nersc", "--size", "4x2x4x6", "--sweeps", 0)
    assert record["plaquette"] == 1 and record.get("seconds") is None
    header, links = gauge_files.read_nersc(folder / "a.nersc")
    assert np.array_equal(links, np.broadcast_to(np.eye(3), links.shape)) and header["SEQUENCE_NUMBER"] == "0"
    out = ridge.good("gauge", "heatbath", "--size", "4x2x4x6", "--sweeps", 0, "--start", "hot", "-o", "b.nersc").out
    _, hot = gauge_files.read_nersc(folder / "b.nersc")
    assert np.allclose(hot @ hot.conj().swapaxes(-1, -2), np.eye(3)) and "0 sweeps" in out
    assert f"plaquette {gauge_files.plaquette(hot):.11f}"[:-1] in out
    heatbath(ridge, "c.nersc", "--start", "b.nersc", "--sweeps", 0)
    assert np.array_equal(gauge_files.read_nersc(folder / "c.nersc")[1], hot)


def test_threads_do_not_change_bits(ridge, folder, monkeypatch):
    words = ("--size", "4x4x4x4", "--sweeps", 2, "--device", "cpu")
    heatbath(ridge, "a.nersc", *words)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    heatbath(ridge, "b.nersc", *words)
    assert (folder / "a.nersc").read_bytes() == (folder / "b.nersc").read_bytes()


def test_going_on_is_as_if_never_stopped(ridge, folder):
    words = ("--size", "4x4x2x4", "--beta", 6.2, "--seed", 3)
    heatbath(ridge, "whole", *words, "--sweeps", 5)
    heatbath(ridge, "half", *words, "--sweeps", 2)
    heatbath(ridge, "rest", *words, "--sweeps", 3, "--start", "half")
    assert (folder / "whole").read_bytes() == (folder / "rest").read_bytes()


# Expansions of the plaquette: beta / 18 + beta^2 / 216 for strong coupling, 1 - 2 / beta - 1.2208 / beta^2 for weak.
@pytest.mark.parametrize("beta, sweeps, expected, systematic",
                         [(0, 100, 0, 0), (0.5, 200, 0.5 / 18 + 0.25 / 216, 2e-4), (30, 60, 1 - 2 / 30 - 1.2208 / 900, 1e-3)])
def test_limits_of_the_plaquette(ridge, folder, one_thread, beta, sweeps, expected, systematic):
    record = heatbath(ridge, "a", "--size", "4x4x4x4", "--beta", beta, "--sweeps", sweeps, "--every", 1,
                      "--start", "hot" if beta < 1 else "cold", "--relaxations", 2, "--device", "cpu")
    mean, error = mean_and_error(plaquettes(record)[sweeps // 10:])
    assert error < 0.002
    assert abs(mean - expected) < 4 * error + systematic


def test_hot_and_cold_starts_meet(ridge, folder, one_thread):
    ends = []
    for start in "hot", "cold":
        record = heatbath(ridge, "a", "--size", "4x4x4x4", "--beta", 6, "--sweeps", 70, "--every", 1, "--start", start,
                          "--device", "cpu")
        ends.append(mean_and_error(plaquettes(record)[20:]))
    assert abs(ends[0][0] - ends[1][0]) < 4 * np.hypot(ends[0][1], ends[1][1])
    assert abs(ends[0][0] - 0.594) < 0.02  # of so small a lattice


def test_interrupt_keeps_what_there_is(ridge, folder):
    run = ridge.start("gauge", "heatbath", "--size", "4x4x4x4", "--sweeps", 1000000, "--every", 1, "-o", "a.nersc",
                      "--device", "cpu")
    assert run.stdout.readline() and run.stdout.readline()  # the first sweep
    let_it_work(run)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130 and err == "ridge: interrupted\n"
    assert "go on with --start a.nersc" in out
    header, _ = gauge_files.read_nersc(folder / "a.nersc")
    done = int(header["SEQUENCE_NUMBER"])
    assert done >= 1 and f"after sweep {done}:" in out
    assert left_in(folder) == ["a.nersc"]
    heatbath(ridge, "b.nersc", "--size", "4x4x4x4", "--sweeps", done)
    assert gauge_files.read_nersc(folder / "b.nersc")[0] == header
    assert (folder / "a.nersc").read_bytes() == (folder / "b.nersc").read_bytes()


def test_bad_words(ridge, folder):
    def bad(*words, says):
        ridge.bad("gauge", "heatbath", "-o", "a", *words, says=says)
        assert left_in(folder) == []

    bad(says="--size NXxNYxNZxNT is needed")
    bad("--size", "4x4x4x3", says="four even extents")
    bad("--size", "4x4x4", says="four extents")
    bad("--size", "4x4x4x4", "--beta", -1, says="--beta -1: expected")
    bad("--size", "4x4x4x4", "--sweeps", -1, says="at least 0")
    bad("--size", "4x4x4x4", "--start", "warm", says="there is no file warm")
    bad("--size", "4x4x4x4", "--relaxations", -1, says="at least 0")


@pytest.mark.parametrize("ranks, grid", [(2, ()), (2, ("--ranks", "2x1x1x1")), (3, ("--ranks", "1x1x1x3"))])
def test_ranks_do_not_change_bits(ridge, mpi, folder, ranks, grid):
    words = ("--size", "4x2x4x6", "--beta", 5.7, "--sweeps", 2, "--start", "hot", "--device", "cpu")
    one = heatbath(ridge, "one", *words)
    result = mpi(ranks, "gauge", "heatbath", "-o", "many", "--json", *words, *grid)
    (record,) = result.records()
    assert (folder / "one").read_bytes() == (folder / "many").read_bytes()
    assert record["plaquettes"] == one["plaquettes"] and record["ranks"] == ranks
    assert record["bytes_read"] == one["bytes_read"] and record["size"] == [4, 2, 4, 6]
    alone = ridge.good("gauge", "plaquette", "one", "--device", "cpu").out
    assert mpi(ranks, "gauge", "plaquette", "one", "--device", "cpu", *grid).out == alone
    assert left_in(folder) == ["many", "one"]


def test_bad_ranks(mpi, folder):
    words = ("gauge", "heatbath", "-o", "a", "--sweeps", 1, "--device", "cpu")
    refused(mpi(2, *words, "--size", "4x4x4x4", "--ranks", "1x1x1x3"), "--ranks 1x1x1x3", "product is 2")
    refused(mpi(2, *words, "--size", "4x4x4x4", "--ranks", "2x1"), "expected 4 numbers")
    refused(mpi(2, *words, "--size", "4x4x4x3"), "four even extents")
    assert left_in(folder) == []
