"""Cycles of multigrid, as `ridge bench` and `ridge doctor` have them."""

import json


def test_cycles_of_multigrid_are_checked_level_by_level(ridge):
    records = ridge.good("bench", "multigrid", "--size", "33x20x18", "--device", "cpu", "--repeat", 3, "--schedule", "all",
                         "--boundary", "x=periodic,y=mirror,z=dirichlet:0", "--json").records()
    by_name = {r["schedule_name"]: r for r in records}
    levels = int(by_name["v"]["levels"])
    assert list(by_name) == ["v", "w", "f", "full", *[f"level{l}" for l in range(1, levels)], "default"]
    assert all(r["check"]["ok"] for r in records)
    assert by_name["v"]["size"] == [33, 20, 18] and by_name["v"]["items"] == 33 * 20 * 16
    assert by_name["level1"]["items"] < by_name["v"]["items"]
    assert all(r["flops"] is None and "flops: not counted" in r["convention"] for r in records)
    def bytes_of(name):
        return by_name[name]["bytes_read"] + by_name[name]["bytes_written"]
    # 6 arrays of the finest level, 2 of the next, and what that takes.
    coarse = by_name["level1"]["items"]
    assert abs(bytes_of("v") - 8 * (6 * 33 * 20 * 16 + 2 * coarse) - bytes_of("level1")) <= 2
    alone = [v for k, v in by_name["v"].items() if k.startswith("seconds_") and k[8].isdigit()]
    assert len(alone) == levels and all(s >= 0 for s in alone)
    ridge.bad("bench", "multigrid", "--size", "33x20x18", "--schedule", "level=7", says=["level=7: there are"])
    ridge.bad("bench", "multigrid", "--size", "33x20x18", "--device", "cpu", "--schedule", "down=small", says="on cpu there is none")


def test_tiles_are_a_schedule(ridge, folder):
    """The space of tuning holds V cycles alone: on a cpu, which has no tiles, one."""
    words = "multigrid", "--size", "17x15x13", "--device", "cpu"
    found = json.loads(ridge.good("tune", *words, "--budget", "1s", "--json", env={"RIDGE_WISDOM": str(folder / "wisdom")}).out)
    assert found["schedule"] == "cycle=v level=0 down=auto up=auto march_from=0" and found["space"] == 1
    records = ridge.good("bench", "multigrid", "--size", "27x21x19", "--device", "simt:32", "--repeat", 1, "--json", "--schedule",
                         "v; down=small up=large; march_from=64000").records()
    assert all(r["check"]["ok"] for r in records)
    assert [r.get("tiles") for r in records][1:] == ["small/large", None] and "/" in records[0]["tiles"]
    assert "default_gain" not in records[0] and records[1]["default_gain"] > 0
    ridge.bad("bench", "multigrid", "--size", "9x9x9", "--device", "simt:32", "--schedule", "up=cells", says="none has a pass")
    ridge.bad("bench", "multigrid", "--size", "9x9x9", "--device", "cpu", "--schedule", "up=64x24", says="large, small, cells")


def test_levels_of_multigrid(ridge, folder):
    words = "multigrid", "--device", "cpu", "--size", "65x65x65", "--boundary", "x=dirichlet:0,y=mirror,z=periodic"
    text = ridge.good("doctor", *words, "-o", "cycle.json").out
    assert "dominated by" in text and " 63x65x65 " in text
    (record,) = json.loads((folder / "cycle.json").read_text())
    assert record["launches_63x65x65"] == 7 and record["moved_63x65x65"] > 2 * record["bytes_63x65x65"]
    # A cpu has each sweep as a pass of its own; what that costs depends on its cache.
    for d in json.loads(ridge.good("doctor", *words, "--json").out):
        levels = d["levels"]
        assert levels[0]["points"] == "63x65x65" and levels[-1]["dominated_by"] == "exact"
        assert abs(sum(l["share"] for l in levels) - 1) < 1e-9 and levels[0]["fraction"] >= 0
        if d["cause"] == "staged-levels":
            assert 2 < d["evidence"] < 4 and "63x65x65 points on" in d["fix"] and d["modelled_seconds"] is None
    ridge.good("report", "cycle.json", "-o", "cycle.html")
    ridge.bad("doctor", "multigrid", "--on", "h200", says=["once they have run", "--device"])
    ridge.bad("doctor", "multigrid", "--device", "cpu", "--schedule", "w", says="examines V cycles")
    ridge.bad("doctor", "laplacian", "--device", "cpu", "--boundary", "x=periodic", says="--boundary is for multigrid")
