"""`mpirun -n N ridge bench` of operators on stored fields: the bits of one rank on any number."""

import functools

import pytest

from over_ranks import ENVIRONMENT, refused


def record_of(run, ranks, words, device, *more):
    result = run("bench", *words, "--device", device, "--repeat", 1, "--no-roof", "--json", *more, env=ENVIRONMENT)
    assert result.code == 0, result.err
    (record,) = result.records()
    assert record["check"]["ok"] and record["ranks"] == ranks
    return record


# Boxes of lanes and none, odd parts, halves divided along x, values of a fifth dimension, scales of 16 bits. Half of
# each spinor is sent, but all of those in 16 bits and of colour vectors. Along x
# half a lattice sends columns of pairs, as many as a whole face.
@pytest.mark.parametrize("words, device, ranks, grid, sent", [
    (("wilson", "--size", "8x8x8x6"), "cpu", 2, "1x1x1x2", 4 * 8 * 8 * 8 * 96),
    (("wilson", "--size", "5x3x7x5", "--precision", "fp32"), "cpu", 4, "2x1x2x1", None),
    (("wilson-even-odd", "--size", "12x4x4x6", "--site", "links18"), "cpu", 3, "3x1x1x1", None),
    (("wilson-even-odd", "--size", "8x4x6x6", "--precision", "fixed16"), "simt:32", 4, "2x1x1x2", 8 * (72 + 48) * 52),
    (("dwf", "--size", "4x4x6x4", "--ls", 5), "cpu", 3, "1x1x3x1", 6 * 32 * 5 * 48),
    (("clover", "--size", "4x4x4x6"), "simt:32", 4, "1x2x1x2", None),
    (("staggered", "--size", "8x4x4x6", "--precision", "fp32"), "simt:32", 4, "1x1x2x2", 8 * (48 + 32) * 24)])
def test_the_bits_of_one_rank(ridge, mpi, words, device, ranks, grid, sent):
    one = record_of(ridge, 1, words, device, "--ranks", "1x1x1x1")
    several = record_of(functools.partial(mpi, ranks), ranks, words, device, "--ranks", grid)
    assert several["result_bits"] == one["result_bits"] and several["rank_grid"] == grid
    for field in ("bytes_read", "bytes_written", "items", "flops", "size", "schedule", "site"):
        assert several[field] == one[field]
    assert several["exchange_bytes"] > 0 and several["exchange_seconds"] > 0 and one["exchange_bytes"] == 0
    assert sent is None or several["exchange_bytes"] == sent


def test_schedules_and_the_grid_that_is_chosen(ridge, mpi):
    words = ("wilson-even-odd", "--size", "8x8x8x4")
    several = record_of(functools.partial(mpi, 2), 2, words, "simt:32", "--schedule", "tile=4x2x2x4 slab=0x0x4x0")
    assert several["rank_grid"] == "1x1x2x1" and "tile=4x2x2x4" in several["schedule"]
    other = record_of(ridge, 1, words, "simt:32", "--schedule", "width4", "--ranks", "1x1x1x1")
    assert several["result_bits"] == other["result_bits"]


@pytest.mark.beside
def test_what_it_refuses(mpi):
    words = ("bench", "wilson-even-odd", "--device", "cpu")
    refused(mpi(2, *words, "--size", "8x8x8x7"), "all extents are even", "7 along t")
    refused(mpi(3, *words, "--size", "4x4x4x4", "--ranks", "3x1x1x1"), "too few sites along x for 3 ranks", "at least 2")
    refused(mpi(2, *words, "--size", "4x4x4x4", "--ranks", "3x1x1x1"), "product is 2")
    refused(mpi(2, *words, "--size", "4x4x4x4", "--schedule", "all"), "one schedule is run at a time")
