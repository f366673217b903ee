"""`ridge devices`."""

import json

FIELDS = {
    "device": str, "device_name": str, "architecture": str, "units": int, "warp_width": int,
    "simd_bytes": int, "l1_bytes": int, "l2_bytes": int, "last_level_cache_bytes": int,
    "shared_per_block_bytes": int, "memory_bytes": int,
}


def test_table(ridge):
    lines = ridge.good("devices").out.splitlines()
    assert lines[0].split()[:3] == ["device", "name", "architecture"]
    first = [line.split()[0] for line in lines[2:]]
    for device in ["cpu", "simt:32", "simt:64"]:
        assert device in first


def test_says_when_there_is_no_gpu(ridge):
    text = ridge.good("devices").out
    has_gpu = "cuda:" in text or "hip:" in text
    assert ("no GPU here" in text) == (not has_gpu)


def test_json(ridge):
    devices = json.loads(ridge.good("devices", "--json").out)
    for device in devices:
        assert {k: type(v) for k, v in device.items()} == FIELDS
    by_name = {d["device"]: d for d in devices}
    assert by_name["simt:32"]["warp_width"] == 32
    assert by_name["simt:64"]["warp_width"] == 64
    cpu = by_name["cpu"]
    assert cpu["units"] >= 1
    assert cpu["simd_bytes"] in (16, 32, 64)
    assert cpu["memory_bytes"] > 1 << 28
    assert cpu["l1_bytes"] <= cpu["l2_bytes"] <= cpu["last_level_cache_bytes"]
