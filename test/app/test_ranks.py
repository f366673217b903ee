"""The command over ranks: mpirun -n N ridge ..."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from over_ranks import (ENVIRONMENT, MPIRUN, lines_of_ridge, mixed, refused, running_ranks, runs)


def test_a_record_of_two_ranks(mpi):
    result = mpi(2, "bench", "laplacian", "--size", "64x48x40", "--ranks", "1x1x2", "--repeat", 3,
                 "--device", "cpu", "--json")
    (record,) = result.records()
    assert record["ranks"] == 2
    assert record["rank_grid"] == "1x1x2"
    assert record["size"] == [64, 48, 40]
    assert record["check"]["ok"]
    assert record["carrier"] == "host"
    # A plane of the neighbour, both ways.
    assert record["exchange_bytes"] == 2 * 64 * 48 * 8
    both = record["exchange_seconds"], record["compute_seconds"]
    assert min(both) > 0 and record["seconds"] > 0
    # The three are timed one after the other, each as long as other work makes it.
    hidden = (sum(both) - record["seconds"]) / min(both)
    assert record["overlapped"] == pytest.approx(min(max(hidden, 0), 1), abs=1e-6)
    # Work is that of one rank.
    one = json.loads(subprocess.run(
        [mpi.program, "bench", "laplacian", "--size", "64x48x40", "--repeat", "3", "--ranks",
         "1x1x1", "--device", "cpu", "--json"], capture_output=True, text=True, check=True).stdout)[0]
    for field in ("bytes_read", "bytes_written", "items", "flops"):
        assert record[field] == one[field]


@pytest.mark.parametrize("kernel, size, ranks, grid, device", [
    ("diffusion", "45x37x31", 3, "3x1x1", "simt:32"), ("box27", "45x37x31", 8, "2x2x2", "cpu"),
    ("laplacian8", "101x67", 2, "1x2", "cpu"), ("laplacian", "1001", 2, None, "cpu")])
def test_every_footprint_is_checked_in_every_dimension(mpi, kernel, size, ranks, grid, device):
    result = mpi(ranks, "bench", kernel, "--size", size, *(("--ranks", grid) if grid else ()), "--repeat", 1,
                 "--device", device, "--json")
    (record,) = result.records()
    assert record["check"]["ok"] and record["ranks"] == ranks
    if kernel in ("diffusion", "box27"):
        assert record["rank_grid"] == grid


@pytest.mark.parametrize("kernel, size, words, ranks, grid, device", [
    ("lattice-norm2", "8x8x8x8", ("--precision", "fp32"), 3, "1x1x1x3", "cpu"),
    ("lattice-inner", "8x4x4x8", ("--site", "matrix"), 4, "1x1x2x2", "simt:32"),
    ("lattice-axpy", "8x4x4x8", (), 2, "1x1x2x1", "cpu"),
    ("lattice-slice-sum", "8x4x4x7", ("--site", "spinor"), 3, "1x1x1x3", "cpu"),
    ("lattice-slice-inner", "8x4x4x6", ("--site", "matrix"), 4, "1x1x2x2", "simt:32"),
    ("lattice-residual", "8x8x4x6", ("--precision", "fp32"), 3, "1x1x1x3", "simt:64"),
    ("chain", "10007", ("--operations", 5), 3, "3", "cpu")])
def test_lattices_and_chains_are_shared(ridge, mpi, kernel, size, words, ranks, grid, device):
    words = ("bench", kernel, "--size", size, *words, "--repeat", 1, "--device", device, "--json")
    (record,) = mpi(ranks, *words, "--ranks", grid).records()
    assert record["check"]["ok"] and record["ranks"] == ranks and record["rank_grid"] == grid
    sums = kernel not in ("chain", "lattice-axpy")
    assert record["carrier"] == ("host" if sums else "none")
    assert (record["exchange_bytes"] > 0) == (record["exchange_seconds"] > 0) == sums
    # Work is that of one rank.
    (one,) = ridge(*words, env=ENVIRONMENT).records()
    for field in ("bytes_read", "bytes_written", "items", "flops"):
        assert record[field] == pytest.approx(one[field], abs=8 * ranks), field


@pytest.mark.parametrize("kernel, size, words, ranks, grid, device", [
    ("tridiagonal", 301, ("--levels", 17), 3, "3x1x1", "cpu"),
    ("elements", 21, ("--levels", 5, "--np", 4), 2, "1x1x1x2", "simt:32")])
def test_columns_and_elements_are_shared(ridge, mpi, kernel, size, words, ranks, grid, device):
    words = ("bench", kernel, "--size", size, *words, "--repeat", 1, "--device", device, "--json")
    (record,) = mpi(ranks, *words, "--ranks", grid).records()
    assert record["check"]["ok"] and record["ranks"] == ranks and record["rank_grid"] == grid
    assert record["exchange_bytes"] == 0
    (one,) = ridge(*words, env=ENVIRONMENT).records()
    for field in ("bytes_read", "bytes_written", "items", "flops"):
        assert record[field] == one[field], field


@pytest.mark.parametrize("kernel, words", [
    ("lattice-sum-reproducible", ("--site", "spinor", "--precision", "fp32")),
    ("lattice-norm2-reproducible", ("--site", "matrix")),
    ("lattice-inner-reproducible", ("--site", "vector", "--width", 256)),
    ("lattice-residual-reproducible", ("--precision", "fp32", "--width", 64))])
def test_reproducible_sums_have_the_bits_of_one_rank(ridge, mpi, kernel, words):
    """On every number of ranks, however they divide the lattice, and on every device."""
    found = set()
    for ranks, grid, device in ((1, "1x1x1x1", "cpu"), (3, "3x1x1x1", "cpu"), (1, "1", "simt:32"),
                                (4, "2x1x2", "simt:64")):
        bench = ("bench", kernel, "--size", "8x5x6x8", *words, "--repeat", 1, "--device", device,
                 "--ranks", grid, "--json")
        (record,) = (mpi(ranks, *bench) if ranks > 1 else ridge(*bench, env=ENVIRONMENT)).records()
        assert record["check"]["ok"] and record["ranks"] == ranks and record["items"] == 8 * 5 * 6 * 8
        assert record["site"].startswith(words[1] if "--site" in words else "vector")
        assert record["bytes_written"] == 0 and record["carrier"] == "host"
        # An accumulator of 64 bytes for each number of the result, of each rank.
        numbers = {"lattice-sum-reproducible": 24, "lattice-norm2-reproducible": 1,
                   "lattice-residual-reproducible": 1}.get(kernel, 2)
        assert record["exchange_bytes"] == 64 * numbers * ranks
        found.add(record["result"])
    assert len(found) == 1 and 0 not in found


def test_one_table_from_one_rank(mpi):
    result = mpi(2, "bench", "laplacian", "--size", "40x48x64", "--repeat", 1, "--device", "cpu",
                 "--scaling", "--no-roof")
    assert result.code == 0, result.err
    assert lines_of_ridge(result.err) == []
    assert result.out.count("laplacian 40x48x64") == 1
    assert "2 ranks as 1x1x2 over" in result.out
    assert "10 flops a point" in " ".join(result.out.split()) and max(map(len, result.out.splitlines())) <= 120
    assert re.search(r"efficiency strong [0-9.]+, weak [0-9.]+", result.out)


def test_roof_measures_the_link(mpi):
    result = mpi(2, "roof", "--quick", "--device", "cpu", "--json")
    assert result.code == 0, result.err
    roof = json.loads(result.out)
    (link,) = roof["links"]
    assert link["with_rank"] == 1 and link["where"] == "same machine"
    assert 1e-8 < link["latency_seconds"] < 1
    assert 1e6 < link["bytes_per_second"] < 1e13
    assert [e["bytes"] for e in link["exchanges"]] == [65536, 2097152, 16777216]
    assert all(e["seconds"] > 0 for e in link["exchanges"])


NETWORK = {"links": [
    {"latency_seconds": 1e-6, "bytes_per_second_each_way": 3e11},
    {"latency_seconds": 2e-5, "bytes_per_second_each_way": 1e11}]}


@pytest.mark.beside
def test_scaling_on_paper(ridge, tmp_path):
    network = tmp_path / "network.json"
    network.write_text(json.dumps(NETWORK))
    words = ("model", "laplacian", "--on", "h200", "--size", "512x512x512", "--network", network)
    steps = json.loads(ridge.good(*words, "--ranks", 12, "--json").out)
    assert [s["ranks"] for s in steps] == [1, 2, 4, 8, 12]
    assert steps[0]["strong_efficiency"] == 1 and steps[0]["exchange_seconds"] == 0
    # Two ranks: one plane each way, over the slower link.
    assert steps[1]["rank_grid"] == "1x1x2"
    assert steps[1]["exchange_seconds"] == pytest.approx(2e-5 + 512 * 512 * 8 / 1e11)
    for step in steps:
        assert step["seconds"] >= max(step["exchange_seconds"], 0.99 * step["compute_seconds"])
        assert 0 < step["strong_efficiency"] <= 1.0001
    ridge.bad(*words, "--ranks", 0, says="--ranks 0")
    ridge.bad(*words, says="go together")
    ridge.bad(*words[:-1], tmp_path / "none.json", "--ranks", 2, says="no such file")
    ridge.bad(*words, "--ranks", 2, "--schedule", "all", says="one schedule")
    ridge.bad("model", "laplacian", "--on", "h200", "--size", "8x8x8", "--network", network,
              "--ranks", 1024, says="1024 ranks are too many for 8x8x8")
    for text in ("{", "[]", '{"links": []}', '{"links": [{"latency_seconds": 1}]}',
                 '{"links": [{"latency_seconds": -1, "bytes_per_second_each_way": 1}]}'):
        network.write_text(text)
        ridge.bad(*words, "--ranks", 2, says="not what `mpirun -n 2 ridge roof --json` prints")


@pytest.mark.beside
def test_help_and_version_once(mpi):
    result = mpi(2, "--version")
    assert result.code == 0 and result.out.count("ridge ") == 1


def test_a_grid_of_one_rank_needs_no_launcher(ridge):
    result = ridge.good("bench", "laplacian", "--size", "32x16x8", "--ranks", "1x1x1", "--repeat", 1,
                        "--device", "cpu", "--json")
    (record,) = result.records()
    assert record["ranks"] == 1 and record["exchange_bytes"] == 0 and record["check"]["ok"]


BENCH = ("bench", "laplacian", "--device", "cpu", "--repeat", 1)


@pytest.mark.beside
def test_bad_input(mpi):
    refused(mpi(2, *BENCH, "--size", "64x64x64", "--ranks", "1x1x3"),
            "--ranks 1x1x3 is a grid of 3 ranks, and 2 were started")
    refused(mpi(2, *BENCH, "--size", "64x64x64", "--ranks", "some"), "--ranks")
    refused(mpi(3, "bench", "laplacian8", "--device", "cpu", "--size", "9x9x9"),
            "3 ranks are too many for 9x9x9 points")
    refused(mpi(2, "bench", "laplacian8", "--device", "cpu", "--size", "64x64x7", "--ranks",
                "1x1x2"), "7 points along z are too few for 2 ranks")
    refused(mpi(2, "bench", "gravity", "--device", "cpu"), "gravity runs on one rank")
    refused(mpi(2, "bench", "lattice-slice-sum", "--device", "cpu", "--ranks", "1x1x3"),
            "--ranks 1x1x3", "product is 2")
    refused(mpi(3, "bench", "lattice-slice-sum", "--device", "cpu", "--size", "8x8x8x2", "--ranks",
                "1x1x1x3"), "2 along dimension 3 of 8x8x8x2 are too few for 3 ranks: each must own at least 1, so at most 2")
    refused(mpi(2, "bench", "lattice-residual", "--device", "cpu", "--precision", "fp16"), "fp16")
    refused(mpi(2, "bench", "lattice-residual-reproducible", "--device", "cpu", "--schedule",
                "threads=1"), "lattice-residual-reproducible runs under one schedule; give auto")
    refused(mpi(2, "bench", "lattice-norm2-reproducible", "--device", "cpu", "--ranks", "2x2"),
            "--ranks 2x2", "product is 2")
    refused(mpi(3, "bench", "lattice-norm2-reproducible", "--device", "cpu", "--size", "8x8x8x2",
                "--ranks", "1x1x1x3"), "2 along dimension 3 of 8x8x8x2 are too few for 3 ranks")
    refused(mpi(2, "bench", "lattice-norm2", "--device", "cpu", "--ranks", "1x1x3"),
            "--ranks 1x1x3", "product is 2")
    refused(mpi(3, "bench", "chain", "--device", "cpu", "--size", "2"), "3 ranks are too many")
    refused(mpi(2, *BENCH, "--schedule", "all"), "one schedule")
    refused(mpi(2, *BENCH, "--schedule", "no=1"), "'no'")
    refused(mpi(2, *BENCH, "--size", "2x2x2", "--ranks", "2x1x1"), "needs at least 3x3x3")
    refused(mpi(2, "lab", "--quick"), "ridge lab runs on one rank")
    refused(mpi(3, "bench", "nothing"), "unknown kernel 'nothing'")
    refused(mpi(2, *BENCH, "--bad-option"), "--bad-option")


@pytest.mark.beside
def test_bad_input_alone(ridge):
    """Of what is shared among ranks, without any."""
    ridge.bad("bench", "lattice-norm2-reproducible", "--device", "cpu", "--ranks", "1", "--schedule", "threads=1",
              says="lattice-norm2-reproducible runs under one schedule; give auto")
    ridge.bad("bench", "lattice-residual-reproducible", "--device", "cpu", "--ranks", "1", "--precision", "half",
              says="lattice-residual-reproducible has fp32 and fp64")
    ridge.bad("bench", "lattice-sum-reproducible", "--device", "cpu", "--ranks", "1", "--precision", "half",
              says="unknown precision 'half'")
    ridge.bad(*BENCH, "--ranks", "1x1x2", says="2 ranks, and 1 was started")
    ridge.bad(*BENCH, "--scaling", says="mpirun -n N")


@pytest.mark.beside
def test_ranks_of_other_input(mpi):
    refused(mixed(mpi, (*BENCH, "--size", "64x64x64"), (*BENCH, "--size", "64x64x32")),
            "rank 1 was started as", "64x64x32")


@pytest.mark.beside
def test_ranks_of_another_version(mpi, tmp_path):
    version = subprocess.run([mpi.program, "--version"], capture_output=True, text=True,
                             check=True).stdout.split()[-1]
    with open(mpi.program, "rb") as program:
        image = program.read()
    ours, other = (text.encode() + b"\0" for text in (version, "9" + version[1:]))
    assert ours in image
    older = tmp_path / "ridge"
    older.write_bytes(image.replace(ours, other))
    older.chmod(0o755)
    words = tuple(map(str, BENCH)) + ("--size", "32x16x8")
    done = subprocess.run([MPIRUN, "-n", "1", mpi.program, *words, ":", "-n", "1", older, *words],
                          env={**ENVIRONMENT, "LD_LIBRARY_PATH":
                               os.path.join(os.path.dirname(mpi.program), "lib")},
                          capture_output=True, text=True, timeout=60, check=False)
    refused(type("Ended", (), {"code": done.returncode, "err": done.stderr}),
            f"rank 1 was started as 'version 9{version[1:]}", f"rank 0 as 'version {version}")


@pytest.mark.beside
def test_no_module_for_mpi(mpi, tmp_path):
    """An installation without it goes on as one rank, and says so."""
    build = os.path.dirname(mpi.program)
    shutil.copy(mpi.program, tmp_path / "ridge")
    shutil.copytree(os.path.join(build, "lib"), tmp_path / "lib", symlinks=True,
                    ignore=shutil.ignore_patterns("ridge_mpi.so"))
    done = subprocess.run(
        [MPIRUN, "-n", "2", str(tmp_path / "ridge"), *map(str, BENCH), "--size", "32x16x8",
         "--json"],
        env={**ENVIRONMENT, "LD_LIBRARY_PATH": str(tmp_path / "lib")}, capture_output=True,
        text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == 1
    (line,) = lines_of_ridge(done.stderr)
    assert "built without MPI: it goes on as one rank" in line


def test_a_killed_rank_ends_all_soon(mpi):
    launcher, ranks = running_ranks(
        mpi, ("bench", "box27", "--device", "cpu", "--size", "256x256x256", "--repeat", 100000))
    end = time.time() + 100
    os.kill(ranks[1], signal.SIGKILL)
    _, _ = launcher.communicate(timeout=100)
    assert launcher.returncode != 0
    while any(runs(rank) for rank in ranks):
        assert time.time() < end
        time.sleep(0.1)
