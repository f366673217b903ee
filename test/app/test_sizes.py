"""Ranges of sizes in bench, model, count and report."""

import json
import pathlib

import pytest

from test_report import Page, close
from tables import rows_of

QUICK = ("--device", "cpu", "--no-roof", "--repeat", "3")
SERIES = ["256x256x256", "512x256x256", "512x512x256", "512x512x512", "768x512x512", "768x768x512",
          "768x768x768", "1024x768x768", "1024x1024x768", "1024x1024x1024"]  # fmt: skip


def text(size):
    return "x".join(map(str, size))


def test_bench_over_sizes(ridge):
    words = ("bench", "laplacian", *QUICK, "--schedule", "plain", "--size", "16x12x8..24x20x16:8")
    records = ridge.good(*words, "--json").records()
    assert [text(r["size"]) for r in records] == ["16x12x8", "24x12x8", "24x20x8", "24x20x16"]
    assert all(r["check"]["ok"] for r in records)
    lines = rows_of(ridge.good(*words).out)
    assert lines[0].startswith("laplacian fp64 on cpu")
    header = next(i for i, line in enumerate(lines) if line.split()[:2] == ["size", "time"])
    rows = [line for line in lines[header + 1:] if line.split()[0][0].isdigit()]
    assert [row.split()[0] for row in rows] == ["16x12x8", "24x12x8", "24x20x8", "24x20x16"]
    assert all("updates/s" in row for row in rows)


def test_model_over_the_sizes_of_the_series(ridge):
    words = ("model", "laplacian", "--on", "mi250x-gcd", "--size", "256x256x256..1024x1024x1024:256",
             "--schedule", "kernel5")  # fmt: skip
    records = ridge.good(*words, "--json").records()
    assert [text(r["size"]) for r in records] == SERIES
    (alone,) = ridge.good(*words[:4], "--size", SERIES[5], *words[6:], "--json").records()
    assert alone == records[5]
    rows = rows_of(ridge.good(*words).out)
    assert "256x256x256..1024x1024x1024:256" in rows[0] and rows[1].split()[0] == "size"
    assert [row.split()[0] for row in rows[3:]] == SERIES


def test_an_end_that_is_not_reached_is_said(ridge):
    result = ridge("model", "laplacian", "--on", "mi100", "--size", "64x64x64..64x130x64:y+32", "--json")
    assert result.code == 0
    assert result.err == ("ridge: --size '64x64x64..64x130x64:y+32': steps of 32 end at 64x128x64; "
                          "64x130x64 is left out\n")  # fmt: skip
    assert [r["size"][1] for r in json.loads(result.out)] == [64, 96, 128]


def test_a_size_that_does_not_fit_leaves_the_others(ridge):
    result = ridge("bench", "laplacian", *QUICK, "--size", "64x64x64..200000x200000x64:xy+199936", "--json")
    assert result.code == 1
    assert "1 of 2 sizes did not run; 200000x200000x64: " in result.err and "needs" in result.err
    assert [r["size"] for r in json.loads(result.out)] == [[64, 64, 64]]


@pytest.mark.parametrize("words, says", [
    (["bench", "laplacian", "--size", "8x8x8..16x16x16"], "a range of sizes has a step"),
    (["model", "laplacian", "--on", "h200", "--size", "8x8x8..16x16x16:x"], "'x' is no step"),
    (["model", "laplacian", "--on", "h200", "--size", "1x1x1..90000x90000x1:1"], "more than 10000 sizes"),
    (["bench", "laplacian", "--size", "8x8x8..16x16x16:y+4"], "differ in x"),
    (["tune", "laplacian", "--size", "8x8x8..16x16x16:4"], "one size is expected here"),
    (["doctor", "laplacian", "--on", "h200", "--size", "8x8x8..16x16x16:4"], "one size is expected here"),
    (["schedules", "laplacian", "--size", "8x8x8..16x16x16:4"], "one size is expected here"),
    (["bench", "laplacian", "--ranks", "1x1x1", "--size", "8x8x8..16x16x16:4"], "one size is expected"),
    (["count", "laplacian", "--device", "cpu", "--size", "16x8..8x8:4"], "from 16 down to 8"),
])  # fmt: skip
def test_bad_ranges(ridge, words, says):
    ridge.bad(*words, says=says)


def test_the_study_is_drawn(ridge, folder):
    """Measured and modelled launches, two devices, in the figures of the series."""
    files = []
    for name, on, size in [("a", "mi250x-gcd", "256x256x256..768x768x768:256"),
                           ("b", "mi100", "256x256x256..768x768x768:256")]:  # fmt: skip
        records = ridge.good("model", "laplacian", "--on", on, "--size", size, "--schedule", "kernel5",
                             "--json").records()  # fmt: skip
        pathlib.Path(name).write_text(json.dumps(records))
        files.append((name, records))
    measured = [{**r, "modelled": False, "seconds": 1.25 * r["seconds"], "achieved_unit": "B/s",
                 "counters": {"source": "ncu", "bytes_read": r["fetched_bytes"], "hit_rate": 0.5}}
                for r in files[0][1]]  # fmt: skip
    pathlib.Path("c").write_text(json.dumps(measured))
    ridge.good("report", "a", "b", "c", "-o", "report.html")
    study = Page(pathlib.Path("report.html").read_text()).section("study")
    charts = [s for s in study.all("svg") if "data-x" in s.attributes]
    assert len(charts) == 4  # figure of merit, efficiency and hit rate over size; merit over the plane
    merit, efficiency, hits, plane = charts
    names = [k.words() for k in study.all("span", "keys")[0].all("span")]
    assert names == ["AMD Instinct MI250X, one GCD, modelled", "AMD Instinct MI100, modelled",
                     "AMD Instinct MI250X, one GCD, measured"]  # fmt: skip
    low, high, start, end = map(float, merit["data-y"].split())
    sizes = [text(r["size"]) for r in files[0][1]]
    left, right, from_x, to_x = map(float, merit["data-x"].split())
    marks = {int(u.words().split(":")[0]): u for u in merit.all("use")}
    everything = [*files[0][1], *files[1][1], *measured]
    assert len(marks) == len(everything) == 21
    for number, mark in marks.items():
        r = everything[number - 1]
        value = (r["bytes_read"] + r["bytes_written"]) / r["seconds"] / 1e9
        assert close(mark["y"], start + (end - start) * (value - low) / (high - low))
        place = sizes.index(text(r["size"]))
        assert close(mark["x"], from_x + (to_x - from_x) * (place - left) / (right - left))
        assert mark.attributes.get("class") == ("c" if r["modelled"] else None)  # hollow
    assert len(efficiency.all("use")) == 21 and len(hits.all("use")) == 21
    left, right, from_x, to_x = map(float, plane["data-x"].split())
    for mark in plane.all("use"):
        r = everything[int(mark.words().split(":")[0]) - 1]
        value = r["size"][0] * r["size"][1] * 8e-6
        assert close(mark["x"], from_x + (to_x - from_x) * (value - left) / (right - left))
