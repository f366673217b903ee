"""`ridge bench --adjoint` over ranks: adjoints by several inputs are chains, which ranks divide."""

import pytest

from over_ranks import ENVIRONMENT, refused
from test_adjoint import CHAIN, KERNELS
from user_kernels import cache, env  # noqa: F401 -- fixtures


@pytest.mark.in_turn
@pytest.mark.beside
@pytest.mark.parametrize("text, kernel, device, ranks, grid, size", [
    (KERNELS, "Growth", "cpu", 2, "2x1", "29x31"),
    (CHAIN, "Heat", "cpu", 2, "1x2", "23x17"),  # whose operations ask where along x they are
])
def test_adjoints_of_kernels_in_files(mpi, env, tmp_path, text, kernel, device, ranks, grid, size):
    (tmp_path / "kernels.hpp").write_text(text)
    run = mpi(ranks, "bench", f"{tmp_path}/kernels.hpp:mine::{kernel}", "--adjoint", "--size", size, "--ranks", grid,
              "--device", device, "--repeat", 1, "--no-roof", "--json", env={**ENVIRONMENT, **env})
    assert run.code == 0, run.err
    record, = run.records()
    assert record["ranks"] == ranks and record["rank_grid"].startswith(grid) and record["pattern"] == "chain"
    assert record["check"]["ok"] and record["adjoint"]["dot_error"] < 1e-12 and record["exchange_bytes"] > 0
    assert record["size"] == [int(n) for n in size.split("x")]


def test_those_of_pairs_are_refused(mpi):
    refused(mpi(2, "bench", "gravity", "--adjoint", "--size", 100), "the adjoint of gravity runs on one rank: those of "
            "stencils and chains run on several")
