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
    assert "arrays of 2.1" in by_name["copy"]["how"]
    assert by_name["fma_fp64"]["unit"] == "flop/s"
    # No processor moves less than this, and none has twice the rate at the double width.
    assert by_name["copy"]["value"] > 1e8
    assert by_name["fma_fp64"]["value"] < 1.5 * by_name["fma_fp32"]["value"]


def test_arrays_of_another_size(ridge, monkeypatch):
    monkeypatch.setenv("RIDGE_ROOF_MIB", "3")
    roof = json.loads(ridge.good("roof", "--device", "cpu", "--quick", "--json").out)
    assert any("arrays of 3.15 MB" in ceiling["how"] for ceiling in roof["ceilings"])
    words = "roof", "--device", "cpu", "--quick"
    for wrong in "0", "-1", "64M", "", "1e3", "1048577", "99999999999999999999":
        monkeypatch.setenv("RIDGE_ROOF_MIB", wrong)
        ridge.bad(*words, says=f"RIDGE_ROOF_MIB={wrong}: an array's mebibytes are expected, 1 to 1048576")


@pytest.fixture(scope="module")
def curve(ridge, tmp_path_factory):
    """What `--cache` says of the cpu here, and its file of constants."""
    file = tmp_path_factory.mktemp("cache") / "here.json"
    words = "roof", "--device", "cpu", "--cache", "--quick", "--json", "-o", str(file)
    for _ in range(3):
        result = ridge(*words, limit=300)
        if result.code == 0:
            return json.loads(result.out), file
        assert result.code == 1 and "less busy" in result.err and not file.exists()
    raise AssertionError(result.err)


def test_the_reuse_curve(curve):
    roof, _ = curve
    points = roof["points"]
    sizes = [p["bytes"] for p in points]
    assert sizes == sorted(set(sizes)) and sizes[-1] >= 2 * roof["cache_bytes"] > 2 * sizes[0]
    for point in points:
        assert set(point) == {"bytes", "read", "read_beside_plain_stores",
                              "read_beside_nontemporal_stores", "latency_seconds"}
        assert all(value > 0 for value in point.values())
    # However busy the machine: a chain through memory is slower than one through the first cache,
    # and no core does more than ten additions a nanosecond.
    assert points[-1]["latency_seconds"] > 2 * points[0]["latency_seconds"]
    assert 1e8 < roof["clock_hz"] < 1e10


def test_constants_of_this_cpu_are_for_the_model_and_the_doctor(ridge, curve):
    _, file = curve
    described = json.loads(file.read_text())
    assert described["kind"] == "cpu"
    for name in ("cache_latency_cycles", "copy_bytes_per_second", "fp64_flops", "clock_hz"):
        assert described["sources"][name].startswith("ridge roof")
    words = "laplacian", "--on", str(file), "--size", "300x200x100", "--schedule", "plain"
    (record,) = ridge.good("model", *words, "--json").records()
    (here,) = ridge.good("model", *words[:2], "cpu", *words[3:], "--json").records()
    assert record["device"] == str(file)
    assert record["seconds"] > 0 and "seconds" not in here
    assert record["bytes_read"] == here["bytes_read"]
    assert "modelled " in ridge.good("doctor", *words).out


def test_a_file_of_a_cpu_that_lacks_a_constant(ridge, curve, folder):
    described = json.loads(curve[1].read_text())
    del described["constants"]["unit_cache_bytes"]
    (folder / "bad.json").write_text(json.dumps(described))
    ridge.bad("model", "laplacian", "--on", "bad.json", says=["'unit_cache_bytes' is missing", "1024 to"])


@pytest.mark.parametrize("words, says", [
    (["--cache", "--device", "simt:32"], "emulated"),
    (["--device", "cpu", "-o", "x.json"], ["--output", "--cache"]),
    (["--device", "cpu", "--cache", "-o", "none/x.json"], "none"),
    (["--device", "cuda:77", "--cache"], "cuda:77"),
])  # fmt: skip
def test_bad_words(ridge, folder, words, says):
    ridge.bad("roof", *words, says=says)
    assert not (folder / "x.json").exists()
