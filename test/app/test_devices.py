"""`ridge devices`."""

import json
import os
import pathlib
import re
import shutil

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


def test_of_several_cpu_modules_the_best_that_runs_is_loaded(ridge, tmp_path):
    """Unless RIDGE_CPU_LEVEL names another: the loader says which file it opens."""
    lib = pathlib.Path(ridge.program).parent / "lib"
    (tmp_path / "ridge").mkdir()
    for file in lib.glob("lib*.so*"):
        shutil.copy(file, tmp_path)
    # One module under several names: for the least processor, and for a better one that runs here.
    module = next(lib.glob("ridge/ridge_cpu-*.so"))
    for level in ("native", "x86-64"):
        shutil.copy(module, tmp_path / f"ridge/ridge_cpu-{level}.so")

    def opened(**more):
        result = ridge("bench", "laplacian", "--size", "20x20x20", "--device", "cpu", "--repeat", 1, "--no-roof",
                       env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "LD_DEBUG": "files", **more})
        return result, set(re.findall(rf"file={tmp_path}/ridge/ridge_cpu-([^ ]+)\.so", result.err))

    for names, level in (({}, "native"), ({"RIDGE_CPU_LEVEL": "x86-64"}, "x86-64"),
                         ({"RIDGE_CPU_LEVEL": "native"}, "native")):
        result, levels = opened(**names)
        assert result.code == 0 and levels == {level}, (names, levels)
    result, levels = opened(RIDGE_CPU_LEVEL="x86-64-v9")
    assert result.code != 0 and levels == set()


def test_a_kind_without_kernels_says_what_makes_them(ridge, tmp_path):
    """As after `make lab`, which builds no emulated GPU. The documents name the same command."""
    for file in (pathlib.Path(ridge.program).parent / "lib").glob("lib*.so*"):
        shutil.copy(file, tmp_path)
    command = "cmake --build build --target ridge_module_simt"
    ridge.bad("bench", "laplacian", "--size", "20x20x20", "--device", "simt:32", "--no-roof", code=1,
              says=f"no kernels for simt; `{command}` makes them", env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    root = pathlib.Path(__file__).resolve().parents[2]
    for page in ("README.md", "docs/building.md", "docs/getting_started.md"):
        assert f"`{command}`" in (root / page).read_text(), page
