"""A wing that is in no folder of the house: built because RIDGE_WINGS_PATH leads to it."""

import pytest


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
@pytest.mark.parametrize("count", [1, 97, 5000])
def test_decays(ridge, device, count):
    out = ridge.good("tiny", "--count", count, "--share", 0.25, "--steps", 3, "--device", device).out
    assert out.split() == ["0.421875"] * count


def test_refuses(ridge):
    ridge.bad("tiny", "--count", 0, "--device", "cpu", says="--count 0: at least 1 is needed")
