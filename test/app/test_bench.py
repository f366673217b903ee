"""`ridge bench`: its records and its errors."""

import json
import re
import signal

import pytest
from conftest import let_it_work

from tables import rows_of

NUMBER = (int, float)
FIELDS = {
    "pattern": str, "kernel": str, "device": str, "device_name": str, "precision": str,
    "size": list, "schedule": str, "seconds": NUMBER, "seconds_min": NUMBER,
    "seconds_max": NUMBER, "repeats": int, "bytes_read": int, "bytes_written": int,
    "flops": NUMBER, "items": int, "achieved": NUMBER, "achieved_unit": str, "check": dict,
}
ROOFED = {"roof": NUMBER, "roof_name": str, "fraction": NUMBER}


def require_contract(record, roofed):
    for name, kind in {**FIELDS, **(ROOFED if roofed else {})}.items():
        assert isinstance(record[name], kind), (name, record[name])
    if not roofed:
        assert record["roof"] is None and record["fraction"] is None
    assert record["check"]["ok"] is True
    assert 0 <= record["check"]["max_error"] < 1e-4
    assert record["check"]["against"] == "reference"
    assert 0 < record["seconds_min"] <= record["seconds"] <= record["seconds_max"]
    moved = record["bytes_read"] + record["bytes_written"]
    assert record["achieved"] == pytest.approx(moved / record["seconds"], rel=1e-6)


def bench(ridge, *words, **options):
    return ridge.good("bench", *words, "--json", **options).records()


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_record(ridge, device, precision):
    (record,) = bench(ridge, "laplacian", "--device", device, "--size", "19x13x11",
                      "--precision", precision, "--repeat", 3)
    require_contract(record, roofed=device == "cpu")
    assert record["pattern"] == "stencil"
    assert record["kernel"] == "laplacian"
    assert record["device"] == device
    assert record["precision"] == precision
    assert record["size"] == [19, 13, 11]
    assert record["schedule_name"] == "default"
    assert 1 <= record["repeats"] <= 3
    assert record.get("in_cache", False) == (device == "cpu")
    # The sources' figure of merit: all points but edges and corners read, the inside written.
    nx, ny, nz = 19, 13, 11
    inside = (nx - 2) * (ny - 2) * (nz - 2)
    faces = 2 * ((nx - 2) * (ny - 2) + (nx - 2) * (nz - 2) + (ny - 2) * (nz - 2))
    size = 4 if precision == "fp32" else 8
    assert record["bytes_read"] == (inside + faces) * size
    assert record["bytes_written"] == inside * size
    assert record["items"] == inside
    assert record["flops"] == 10 * inside


@pytest.mark.parametrize("kernel, size", [
    ("laplacian", "19x13x11"), ("gravity", "30"), ("lattice-axpy", "8x4x4x4"), ("chain", "1009"), ("heat", "19x13x11"),
])
def test_without_a_roof(ridge, kernel, size):
    for record in bench(ridge, kernel, "--device", "cpu", "--size", size, "--schedule", "all", "--repeat", 1,
                        "--no-roof"):
        assert record["roof"] is None and record["roof_name"] is None and record["fraction"] is None
        assert record["achieved"] > 0 and record["check"]["ok"] is True


def test_six_rows_of_a_lane_between_mirrors(ridge):
    record, = bench(ridge, "heat", "--device", "simt:32", "--size", "150x90x24", "--steps", 4, "--boundary",
                    "x=mirror,y=mirror,z=mirror", "--schedule", "sweeps=2 rows=6 warps=4", "--repeat", 1, "--no-roof")
    assert record["check"]["ok"]


def test_the_space_of_a_kernel_that_evolves(ridge):
    records = bench(ridge, "heat", "--device", "cpu", "--size", "24", "--steps", 3, "--schedule", "space", "--repeat", 1,
                    "--no-roof")
    texts = {r["schedule"] for r in records}
    assert len(texts) == len(records) > 30
    assert all(r["check"]["ok"] and r["schedule"].startswith("sweeps=1 ") for r in records)  # a line has no passes
    assert {"store=plain", "store=nontemporal"} == {word for t in texts for word in t.split() if "store" in word}


@pytest.mark.parametrize("kernel, size", [
    ("laplacian", "40"), ("laplacian", "23x17"), ("laplacian4", "40"), ("laplacian4", "23x17"),
    ("laplacian4", "13x12x11"), ("laplacian6", "40"), ("laplacian6", "23x17"),
    ("laplacian6", "13x12x11"), ("laplacian8", "40"), ("laplacian8", "23x17"),
    ("laplacian8", "13x12x11"), ("box27", "13x12x11"), ("diffusion", "13x12x11"),
])
def test_every_kernel_and_rank(ridge, kernel, size):
    (record,) = bench(ridge, kernel, "--device", "simt:64", "--size", size, "--repeat", 1)
    require_contract(record, roofed=False)
    assert record["kernel"] == kernel
    assert record["size"] == [int(n) for n in size.split("x")]


def test_all_schedules_of_a_gpu_have_names(ridge):
    records = bench(ridge, "laplacian", "--device", "simt:32", "--size", "40x24x12", "--schedule",
                    "all", "--repeat", 1, limit=300)
    names = [r["schedule_name"] for r in records]
    for name in [f"kernel{k}" for k in range(1, 8)] + ["default"]:
        assert name in names
    for record in records:
        require_contract(record, roofed=False)
    texts = {r["schedule_name"]: r["schedule"] for r in records}
    assert "tile=1 " in texts["kernel1"] + " " and "tile=8 " in texts["kernel2"] + " "


def test_all_schedules_of_the_cpu(ridge):
    records = bench(ridge, "laplacian", "--device", "cpu", "--size", "33x31x29", "--schedule",
                    "all", "--repeat", 3)
    assert {"plain", "streaming", "default"} <= {r["schedule_name"] for r in records}
    for record in records:
        require_contract(record, roofed=True)


def test_schedule_given_as_fields(ridge):
    (record,) = bench(ridge, "laplacian", "--device", "simt:32", "--size", "40x24x12",
                      "--schedule", "tile=4 store=nontemporal block=32x1x8", "--repeat", 1)
    for field in ["tile=4", "store=nontemporal", "block=32x1x8"]:
        assert field in record["schedule"].split()


def test_memory_is_measured_in_turn_with_the_kernel(ridge):
    """Beyond the cache the fraction is the median of pairs, and has an interval."""
    devices = ridge.good("devices", "--json").records()
    (cpu,) = [d for d in devices if d["device"] == "cpu"]
    planes = cpu["last_level_cache_bytes"] // (256 * 256 * 16) * 5 // 4 + 16
    if planes > 4000:
        pytest.skip("a cache of gigabytes")
    (record,) = bench(ridge, "laplacian", "--device", "cpu", "--size", f"256x256x{planes}",
                      "--schedule", "streaming", "--repeat", 7)
    assert "in_cache" not in record
    assert record["repeats"] == 7
    assert 0 < record["fraction_low"] <= record["fraction"] <= record["fraction_high"]
    assert record["fraction"] == pytest.approx(record["achieved"] / record["roof"], rel=1e-6)
    few = bench(ridge, "laplacian", "--device", "cpu", "--size", f"256x256x{planes}",
                "--schedule", "streaming", "--repeat", 3)[0]
    assert "fraction_low" not in few, "three pairs say nothing of the true median"
    (alone,) = bench(ridge, "laplacian", "--device", "cpu", "--size", f"256x256x{planes}",
                     "--schedule", "streaming", "--repeat", 1, "--no-roof")
    assert alone["roof"] is None and alone["fraction"] is None and alone["repeats"] == 1


def test_a_named_schedule_changed_by_a_field(ridge):
    (record,) = bench(ridge, "laplacian", "--device", "simt:32", "--size", "40x24x12",
                      "--schedule", "kernel2 tile=2", "--repeat", 1)
    assert "tile=2" in record["schedule"].split()


def test_table_has_a_line_a_schedule(ridge):
    text = ridge.good("bench", "laplacian", "--device", "cpu", "--size", "33x31x29", "--schedule",
                      "all", "--repeat", 3).out
    lines = [line for line in text.splitlines() if "too busy to tell" not in line]
    assert max(map(len, lines)) <= 120
    header = next(i for i, line in enumerate(lines) if line.split()[:2] == ["time", "achieved"])
    assert "10 flops a point" in " ".join(lines[:header])
    rows = rows_of("\n".join(lines[header + 1:]))
    schedules = [row[lines[header].index("schedule"):].split() for row in rows]
    assert {"plain", "streaming", "default"} <= {row[0] for row in schedules}
    assert all(row[1].startswith("rows=") and "threads=0" in row for row in schedules)
    assert all("copy" in row and " ok " in row for row in rows)


@pytest.mark.parametrize("words, says", [
    (["laplace"], ["unknown kernel 'laplace'", "laplacian4", "box27", "diffusion"]),
    (["laplacian", "--precision", "fp16"], ["fp16", "fp32 and fp64"]),
    (["laplacian", "--schedule", "kernel9"], ["kernel9", "kernel1", "kernel7", "auto"]),
    (["laplacian", "--schedule", "speed=9"], ["speed", "tile", "block", "store"]),
    (["laplacian", "--schedule", "tile=33"], ["tile=33", "1 to 32"]),
    (["laplacian", "--schedule", "tile"], ["tile"]),
    (["laplacian", "--schedule", "tile=2 tile=4"], ["tile", "twice"]),
    (["laplacian", "--schedule", "store=fast"], ["store=fast", "plain, nontemporal"]),
    (["laplacian", "--schedule", "block=2048x1x1"], ["block=2048x1x1", "1024"]),
    (["laplacian", "--size", "2x2x2"], ["2x2x2", "3x3x3"]),
    (["laplacian", "--size", "1"], ["1", "3"]),
    (["laplacian", "--size", "0x8x8"], ["0x8x8"]),
    (["laplacian", "--size", "8x-8x8"], ["-8"]),
    (["laplacian", "--size", "8x"], ["8x", "NXxNY"]),
    (["laplacian", "--size", "8*8"], ["8*8", "NXxNY"]),
    (["laplacian", "--size", "99999999999x9999999999x99"], ["99999999999x9999999999x99", "2^62"]),
    (["laplacian", "--size", "99999999999999999999"], ["64 bits"]),
    (["laplacian", "--size", "8x8x8x2"], ["8x8x8x2", "three dimensions"]),
    (["laplacian", "--size", "512x512x512x2"], ["512x512x512x2", "three dimensions"]),
    (["laplacian8", "--size", "8x16x16"], ["8x16x16", "9x9x9"]),
    (["box27", "--size", "8x8"], ["8x8", "three dimensions"]),
])
def test_bad_values_name_what_is_right(ridge, words, says):
    defaults = ["--device", "simt:32"] + ([] if "--size" in words else ["--size", "12x12x12"])
    ridge.bad("bench", *words, *defaults, says=says)


@pytest.mark.parametrize("schedule, says", [
    ("tile=4", ["tile", "rows", "store"]),
    ("kernel1", ["kernel1", "plain, streaming"]),
])
def test_schedules_of_other_devices(ridge, schedule, says):
    ridge.bad("bench", "laplacian", "--device", "cpu", "--size", "12x12x12", "--schedule",
              schedule, says=says)


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_too_little_memory(ridge, device):
    size = "4000x4000x400000"  # 51 TB a field
    ridge.bad("bench", "laplacian", "--device", device, "--size", size, code=1,
              says=["51.2 TB", "free"])


def test_interrupt(ridge):
    run = ridge.start("bench", "laplacian", "--device", "simt:32", "--size", "160x120x96",
                      "--schedule", "all", "--repeat", 20)
    first = run.stdout.readline()  # it is at work
    let_it_work(run)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert first != ""
    assert run.returncode == 130
    assert err == "ridge: interrupted\n"


def test_a_limit_of_the_process_counts(ridge):
    """`ulimit -v`: the message tells what the process may still take, not what the machine has. The first field
    alone is beyond it: none is filled before."""
    limited = 'ulimit -v 3000000; exec "$0" "$@"'
    result = ridge("bench", "laplacian", "--device", "cpu", "--size", "800x800x800",
                   prefix=("bash", "-c", limited))
    assert result.code == 1
    value, unit = re.search(r"where ([\d.]+) (\w+) of", result.err).groups()
    assert float(value) * {"GB": 1, "MB": 1e-3}[unit] < 3.1, result.err


def test_schedules_lists_fields_and_what_is_compiled(ridge):
    for kernel in ("laplacian", "gravity", "lattice-sum", "chain"):
        text = ridge.good("schedules", kernel, "--device", "cpu").out
        assert "threads=" in text and "ahead" in text
    gpu = ridge.good("schedules", "laplacian", "--device", "simt:32").out
    assert "tile=" in gpu and "kernel5" in gpu and "ahead" in gpu
    ridge.bad("schedules", "nothing", says="unknown kernel")


def test_joules_or_why_not(ridge):
    """RAPL is there on few machines of this kind; without it the record says nothing of it."""
    words = ("bench", "laplacian", "--size", "32x32x32", "--device", "cpu", "--no-roof", "--repeat", 3, "--energy")
    result = ridge(*words, "--json")
    assert result.code == 0
    (record,) = json.loads(result.out)
    if "joules" in record:
        assert record["joules"] > 0 and record["joules_from"] == "RAPL" and result.err == ""
    else:
        assert result.err.startswith("ridge: joules are not measured: ") and result.err.count("\n") == 1
    silent = json.loads(ridge.good(*words[:-1], "--json").out)
    assert "joules" not in silent[0]
    emulated = ridge("bench", "laplacian", "--size", "16x8x8", "--device", "simt:32", "--energy", "--json")
    assert emulated.code == 0 and "emulated GPU" in emulated.err
