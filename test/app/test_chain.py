"""`ridge bench chain`: its records and its errors."""

import pytest


def bench(ridge, *words, **options):
    return ridge.good("bench", "chain", *words, "--json", **options).records()


@pytest.mark.parametrize("device, operations", [("cpu", 1), ("cpu", 5), ("simt:32", 10), ("simt:64", 2)])
def test_records(ridge, device, operations):
    roofed = device == "cpu" and operations == 5
    records = bench(ridge, "--device", device, "--size", 10007, "--operations", operations,
                    "--schedule", "all", "--repeat", 3, *([] if roofed else ["--no-roof"]))
    names = [r["schedule_name"] for r in records]
    assert names[0] == "fission" and "fused" in names and names[-1] == "default"
    for r in records:
        assert r["pattern"] == "chain" and r["kernel"] == "chain"
        assert r["check"]["ok"] is True
        assert r["roof_name"] == ("copy" if roofed else None)
        assert r["operations"] == operations
        assert r["bytes_read"] == r["bytes_written"] == 8 * 10007  # whatever the schedule
    fission, fused = records[0], records[names.index("fused")]
    assert fission["groups"] == operations
    assert fused["groups"] == 1
    assert fused["temporaries_bytes"] == 0
    # One array a temporary, of which two are needed at a time.
    held = min(operations - 1, 2) * 8 * 10007
    assert held <= fission["temporaries_bytes"] <= held + 2 * 1024


def test_launch_cost_against_fission(ridge):
    """Ten launches cost ten times what one does, however many items they have."""
    words = "--device", "cpu", "--size", 200000, "--schedule", "fission threads=2;fused threads=2", "--no-roof"
    fission, fused = bench(ridge, *words, "--repeat", 31)
    assert 0 < fused["launch_seconds"] < fission["launch_seconds"]
    assert fission["launch_seconds"] < 1.5 * fission["seconds"]
    assert "launches alone " in ridge.good("bench", "chain", *words).out


def test_space_and_fp32(ridge):
    records = bench(ridge, "--device", "cpu", "--size", 1009, "--operations", 5, "--schedule",
                    "space", "--repeat", 3, "--precision", "fp32", "--no-roof")
    assert len(records) > 20 and all(r["check"]["ok"] for r in records)


@pytest.mark.parametrize("schedule, message", [
    ("tile=0", "schedule field tile=0: expected AxBxC of 1 or more or `all`, such as"),
    ("tile=1001", "tile=1001x1x1: 1001 items along x are more than the 1000 there are"),
    ("fuse=11+12", "fuse=11+12: chain 'chain' has 10 operations, not 12"),
    ("fuse=3+2", "schedule field fuse=3+2: expected all, none, or operations such as 2+3"),
    ("join=some", "schedule field join=some: expected none, points"),
    ("quick", "unknown schedule 'quick'; on cpu the names are auto, fission,"),
])  # fmt: skip
def test_bad_schedules(ridge, schedule, message):
    ridge.bad("bench", "chain", "--device", "cpu", "--size", 1000, "--schedule", schedule,
              says=message)


@pytest.mark.parametrize("operations", [0, 33])
def test_operations_that_there_are_not(ridge, operations):
    ridge.bad("bench", "chain", "--operations", operations, "--device", "cpu", "--size", 100,
              says=f"a chain of {operations} operations: 1 to 32 are possible")


@pytest.mark.parametrize("device, schedule", [("cpu", "auto"), ("simt:32", "fuse=2+3")])
def test_what_is_compiled_on_demand(ridge, device, schedule):
    """Any number of operations, and any groups of them."""
    [record] = bench(ridge, "--device", device, "--size", 1009, "--operations", 7, "--schedule",
                     schedule, "--repeat", 3, "--no-roof")
    assert record["check"]["ok"] is True and record["operations"] == 7
    assert record["groups"] == (6 if schedule == "fuse=2+3" else 1)
    assert record["compiled"] in ("now", "cached")
