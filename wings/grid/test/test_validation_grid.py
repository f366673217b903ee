"""Small forms of problems of grids with published answers: bench/validation."""

import pytest

from validation import require_agreement


@pytest.mark.parametrize("problem", ["column", "five_spot", "poisson"])
def test_a_problem_agrees_with_what_is_printed(ridge, problem):
    require_agreement(ridge, problem)
