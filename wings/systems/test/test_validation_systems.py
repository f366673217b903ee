"""Small forms of problems of systems with published answers: bench/validation."""

import pytest

from validation import require_agreement

PROBLEMS = ["bowl", "cavity", "cylinder", "dam", "garvin", "half_space", "hump", "lake", "mie", "modes", "point_force",
            "point_source", "poiseuille", "taylor_green"]  # fmt: skip


@pytest.mark.in_turn
@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_problem_agrees_with_what_is_printed(ridge, problem):
    require_agreement(ridge, problem)
