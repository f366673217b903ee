"""`ridge bench` of columns and elements: records and errors."""

import pytest


def bench(ridge, *words):
    return ridge.good("bench", *words, "--no-roof", "--json").records()


@pytest.mark.parametrize("device, kernel, words", [
    ("cpu", "tridiagonal", 5), ("simt:32", "tridiagonal", 5), ("simt:64", "running-sum", 2)])
def test_columns(ridge, device, kernel, words):
    for r in bench(ridge, kernel, "--device", device, "--size", 77, "--levels", 13, "--repeat", 3,
                   "--schedule", "all"):
        assert r["check"]["ok"] is True
        assert r["size"] == [77, 13]
        assert r["bytes_read"] + r["bytes_written"] == words * 8 * 77 * 13


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_elements(ridge, device):
    records = bench(ridge, "elements", "--device", device, "--size", 5, "--levels", 7, "--np", 4,
                    "--repeat", 3, "--schedule", "auto")
    for r in records:
        assert r["check"]["ok"] is True
        assert r["size"] == [4, 4, 7, 5]
        assert r["bytes_read"] + r["bytes_written"] == 3 * 8 * 16 * 35


@pytest.mark.parametrize("device, kernel", [("cpu", "cloud-models"), ("simt:32", "cloud-models-everywhere")])
def test_models(ridge, device, kernel):
    """Many models of 13 x 1 x 9 cells: instances of one chain."""
    schedules = "all" if device != "cpu" else "fission;fused;tile=allxallxallx1;tile=13x1x4x2;tile=all"
    records = bench(ridge, kernel, "--device", device, "--size", "13x1x9x5", "--repeat", 3,
                    "--schedule", schedules)
    for r in records:
        assert r["check"]["ok"] is True, r["schedule"]
        assert r["size"] == [13, 1, 9, 5]
        assert r["bytes_read"] + r["bytes_written"] == 3 * 8 * 13 * 9 * 5


@pytest.mark.parametrize("tile", ["4x4x2x3", "all", "4x4x7xall"])
def test_tiles_of_elements(ridge, tile):
    [r] = bench(ridge, "elements", "--device", "cpu", "--size", "4x4x7x5", "--schedule", f"tile={tile}")
    assert r["check"]["ok"] is True and f"tile={tile} " in r["schedule"]


@pytest.mark.parametrize("words, message", [
    (["elements", "--size", "4x4x9x0"], "extent 0 of 4x4x9x0 is below 1"),
    (["elements", "--size", "4x4x9x2x2"], "elements has 4 dimensions, and --size 4x4x9x2x2 has 5"),
    (["elements", "--size", "4x4x9x2", "--schedule", "tile=4x4x9x3"],
     "3 items along outer dimension 1 are more than the 2 there are"),
    (["elements", "--np", 5], "--np 5: elements of 4, 6 and 8 points are built in"),
    (["laplacian", "--np", 4], "--np is for elements; laplacian is not of them"),
    (["laplacian", "--levels", 4], "--levels is for running-sum, tridiagonal and elements"),
    (["elements", "--levels", 0], "--levels 0: 1 at least"),
    (["elements", "--size", "4x4x9", "--levels", 9], "give how many elements there are"),
    (["elements", "--size", "5x4x9"], "5 items along x; its elements have 4 points"),
])  # fmt: skip
def test_bad_words(ridge, words, message):
    ridge.bad("bench", *words, "--device", "cpu", "--no-roof", says=message)
