"""`ridge roof`."""

import json

import pytest


@pytest.mark.parametrize("device", ["simt:32", "simt:64"])
def test_an_emulated_gpu_has_no_roof(ridge, device):
    assert "no roof" in ridge.good("roof", "--device", device).out
    roof = json.loads(ridge.good("roof", "--device", device, "--json").out)
    assert roof["device"] == device
    assert roof["ceilings"] == []


def test_cpu(ridge):
    roof = json.loads(ridge.good("roof", "--device", "cpu", "--quick", "--json", limit=300).out)
    assert roof["device"] == "cpu"
    by_name = {c["name"]: c for c in roof["ceilings"]}
    assert {"copy", "fma_fp32", "fma_fp64"} <= set(by_name)
    for ceiling in roof["ceilings"]:
        assert set(ceiling) == {"name", "value", "unit", "how"}
        assert ceiling["value"] > 0
    assert by_name["copy"]["unit"] == "B/s"
    assert by_name["fma_fp64"]["unit"] == "flop/s"
    # No processor moves less than this, and none has twice the rate at the double width.
    assert by_name["copy"]["value"] > 1e8
    assert by_name["fma_fp64"]["value"] < 1.5 * by_name["fma_fp32"]["value"]
