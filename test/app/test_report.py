"""`ridge report`: what the page shows, where, and that nothing in a file gets out of its text."""

import base64
import hashlib
import html.parser
import json
import math
import os
import pathlib
import re
import stat

import pytest

from conftest import ROOT, left_in
from sample_records import record, written

ROOF = {"device": "cuda:0", "device_name": "a GPU", "ceilings": [
    {"name": "read", "value": 1.5e9, "unit": "B/s", "how": "added up"},
    {"name": "fma_fp64", "value": 4e10, "unit": "flop/s", "how": "two a step"},
    {"name": "launch", "value": 3e-6, "unit": "s", "how": "empty"}]}


class Node:
    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children, self.text = tag, attributes, [], ""

    def all(self, tag, cls=None):
        found = []
        for child in self.children:
            if child.tag == tag and cls in (None, child.attributes.get("class")):
                found.append(child)
            found += child.all(tag, cls)
        return found

    def words(self):
        return " ".join((self.text + " ".join(c.words() for c in self.children)).split())

    def __getitem__(self, name):
        return self.attributes[name]


class Page(html.parser.HTMLParser):
    """The elements of a page; the end tags that HTML lets one leave out may be missing."""

    VOID = {"meta", "link", "br", "img"}
    CLOSES = {"td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"}, "li": {"li"},
              "tbody": {"td", "th", "tr", "tbody", "thead"}, "thead": {"td", "th", "tr"}}

    def __init__(self, text):
        super().__init__()
        self.root = Node("root", {})
        self.open = [self.root]
        self.feed(text)
        self.close()
        assert len(self.open) == 1, [node.tag for node in self.open]

    def handle_starttag(self, tag, attributes):
        while self.open[-1].tag in self.CLOSES.get(tag, ()):
            self.open.pop()
        node = Node(tag, dict(attributes))
        assert len(node.attributes) == len(attributes), attributes  # none is there twice
        self.open[-1].children.append(node)
        if tag not in self.VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attributes):
        self.open[-1].children.append(Node(tag, dict(attributes)))

    def handle_endtag(self, tag):
        while self.open[-1].tag in ("td", "th", "tr", "tbody", "thead", "li") and self.open[-1].tag != tag:
            self.open.pop()
        assert self.open.pop().tag == tag

    def handle_data(self, data):
        self.open[-1].text += data

    def section(self, name):
        found = [s for s in self.root.all("section") if s["id"] == name]
        return found[0] if found else None


def made(ridge, *files, text=False):
    ridge.good("report", *files, "-o", "report.html", "--overwrite")
    content = pathlib.Path("report.html").read_text()
    return content if text else Page(content)


class Scale:
    def __init__(self, text):
        self.low, self.high, self.start, self.end = map(float, text.split())

    def at(self, value):
        return self.start + (self.end - self.start) * (
            math.log(value / self.low) / math.log(self.high / self.low))


def close(a, b):
    return float(a) == pytest.approx(b, abs=0.06)  # written in tenths


def points(svg):
    """Marks of a chart by the number of their record."""
    return {int(use.words().split(":")[0]): use for use in svg.all("use")}


def segments(path):
    return [tuple(map(float, numbers)) for numbers in
            re.findall(r"M([-\d.]+) ([-\d.]+)L([-\d.]+) ([-\d.]+)", path["d"])]


# Where things are.


def test_points_of_the_roofline_are_where_the_data_say(ridge, folder):
    records = [record(),
               record(kernel="pairs", pattern="pairs", flops=6e9, items=3e8, seconds=0.5, roof=2e9,
                      achieved=6e8, achieved_unit="interactions/s", roof_name="issue", fraction=0.3),
               record(kernel="chain", pattern="chain", seconds=4e-2, in_cache=True),
               record(schedule_name="slow", seconds=8e-3, fraction=0.19),
               record(kernel="no-flops", flops=0)]
    page = made(ridge, written("a.json", records), written("roof.json", ROOF))
    (svg,) = [s for s in page.section("roofline").all("svg") if "data-x" in s.attributes]
    x, y = Scale(svg["data-x"]), Scale(svg["data-y"])
    marks = points(svg)
    assert sorted(marks) == [1, 2, 3]
    for number, mark in marks.items():
        r = records[number - 1]
        assert close(mark["x"], x.at(r["flops"] / (r["bytes_read"] + r["bytes_written"])))
        assert close(mark["y"], y.at(r["flops"] / r["seconds"]))
    assert marks[3]["class"] == "c"  # hollow: in the cache
    # The other schedule of the first launch is a dash at its place.
    (dash,) = svg.all("path", "tick")
    left, top, width = map(float, re.fullmatch(r"M([\d.]+) ([\d.]+)h([\d.]+)", dash["d"]).groups())
    assert close(left + width / 2, x.at(2)) and close(top, y.at(3e6 / 8e-3))
    # The ceilings: copy as the records had it, and those of the file.
    (lines,) = svg.all("path", "roof")
    for bandwidth in (1e9, 1.5e9):
        assert any(close(y0, y.at(bandwidth * x.low)) and close(y1, y.at(4e10)) and
                   close(x1, x.at(4e10 / bandwidth)) for _, y0, x1, y1 in segments(lines)
                   if y.at(bandwidth * x.low) <= y.start)
    assert any(close(y0, y.at(4e10)) and y0 == y1 for _, y0, _, y1 in segments(lines))
    # A kernel's own ceiling: interactions times operations of one.
    (own,) = svg.all("path", "own")
    ((x0, y0, x1, y1),) = segments(own)
    assert close((x0 + x1) / 2, x.at(6e9 / 1.5e6)) and close(y0, y.at(2e9 * 20)) and y0 == y1
    assert "1 record wrong, or without bytes, operations or time: not drawn" in (
        page.section("roofline").words())


def test_all_marks_and_ticks_are_inside_their_chart(ridge, folder):
    page = made(ridge, *sorted((ROOT / "docs/results/epyc-2-cores").glob("*.json")))
    charts = [s for s in page.root.all("svg") if "data-x" in s.attributes]
    assert len(charts) > 3
    for svg in charts:
        x, y = Scale(svg["data-x"]), Scale(svg["data-y"])
        for mark in svg.all("use"):
            assert x.start <= float(mark["x"]) <= x.end and y.end <= float(mark["y"]) <= y.start
        for text in svg.all("text", "mid"):  # a tick of the x axis is where its value is
            n = re.fullmatch(r"([\d.]+)(?: ([kMGT]))?", text.words())
            if n:
                value = float(n[1]) * 1000 ** ("kMGT".index(n[2]) + 1 if n[2] else 0)
                assert close(text["x"], x.at(value))


def test_bars_are_as_long_as_their_fractions(ridge, folder):
    page = made(ridge, written("a.json", [
        record(fraction=0.5, fraction_low=0.45, fraction_high=0.6), record(schedule_name="b", fraction=0.4),
        record(kernel="k", fraction=3.0, in_cache=True), record(kernel="none", fraction=None)]))
    rows = page.section("fractions").all("tr")[1:]
    assert len(rows) == 2
    bar, interval = rows[0].all("rect")
    assert bar["width"] == "40%"  # of an axis up to 1.25
    assert interval["x"] == "36%" and interval["width"] == "12%"
    assert "0.500 of copy" in rows[0].words()
    assert "0.500 (0.450 to 0.600)" in page.section("records").words()
    assert rows[0].all("a")[0]["href"] == "#r1"
    assert rows[1].all("rect")[0]["width"] == "100%" and rows[1].all("text")
    assert "3.000 of copy, in cache" in rows[1].words()


def test_schedules_are_compared_with_the_fastest(ridge, folder):
    page = made(ridge, written("a.json", [
        record(schedule_name="slow", seconds=4e-3, seconds_min=3e-3, seconds_max=5e-3),
        record(seconds=2e-3), record(kernel="alone"),
        record(schedule_name="", schedule="tile=8 store=plain", seconds=8e-3),
        record(schedule_name="wrong", seconds=1e-9, check={"ok": False, "message": "at 3"})]))
    rows = page.section("schedules").all("tr")[1:]
    assert rows[0].words() == "laplacian fp64 64x32x16 all: store=plain"
    assert [row.all("a")[0].words() for row in rows[1:]] == ["default", "slow", "tile=8", "wrong"]
    assert [row.all("rect")[0]["width"] for row in rows[1:4]] == ["80%", "40%", "20%"]
    interval = rows[2].all("rect")[1]
    assert interval["x"] == "32%" and interval["width"] == "21.3%"  # 2/5 to 2/3
    assert not rows[4].all("rect") and "wrong" in rows[4].words()
    (failed,) = page.root.all("p", "bad")
    assert failed.all("a")[0].words() == "laplacian fp64" and "64x32x16. at 3" in failed.words()


def test_long_lists_end_with_how_many_more_there_are(ridge, folder):
    page = made(ridge, written("a.json", [record(size=[i + 1], fraction=1 - i / 100) for i in range(25)] + [
        record(kernel="k", schedule_name=f"s{i}", seconds=1e-3 + i * 1e-6) for i in range(70)]))
    rows = page.section("fractions").all("tr")[1:]
    assert len(rows) == 22
    assert "0.760" in rows[0].words()  # the farthest from the roof first
    assert rows[20].words() == "laplacian fp64 5 more with higher fractions: see the raw data"
    rows = page.section("schedules").all("tr")[1:]
    assert len(rows) == 62 and rows[61].words() == "10 slower ones: see the raw data"
    assert len(page.section("records").all("tr")) == 96


def test_time_against_size(ridge, folder):
    page = made(ridge, written("a.json", [
        record(size=[100], seconds=1e-5, seconds_min=9e-6, seconds_max=2e-5),
        record(size=[10, 100], seconds=1e-4), record(size=[10, 100], seconds=2e-4, schedule_name="slow"),
        record(size=[100], seconds=5e-6, precision="fp32"), record(kernel="one-size")]))
    (svg,) = [s for s in page.section("sizes").all("svg") if "data-x" in s.attributes]
    x, y = Scale(svg["data-x"]), Scale(svg["data-y"])
    marks = points(svg)
    assert sorted(marks) == [1, 2, 4]
    for number, n, seconds in ((1, 100, 1e-5), (2, 1000, 1e-4), (4, 100, 5e-6)):
        assert close(marks[number]["x"], x.at(n)) and close(marks[number]["y"], y.at(seconds))
    spread = re.findall(r"M([\d.]+) ([\d.]+)V([\d.]+)", svg.all("path", "line")[0]["d"])
    assert any(close(at, x.at(100)) and close(low, y.at(9e-6)) and close(high, y.at(2e-5))
               for at, low, high in spread)


# What is there.


def test_raw_data(ridge, folder):
    page = made(ridge, written("a.json", [
        record(host_seconds=4e-7, compiled="ahead", ranks=2, registers=64,
               counters={"dram_read": 1.5e6, "source": "modelled"}),
        record(schedule_name="", kernel="k", precision="fp32")]))
    table = page.section("records").all("table")[0]
    head = [cell.words() for cell in table.all("th")]
    rows = [dict(zip(head, (cell.words() for cell in row.all("td")))) for row in table.all("tr")[1:]]
    assert len(rows) == 2 and [row["id"] for row in table.all("tr")[1:]] == ["r1", "r2"]
    assert rows[0] == {
        "#": "1", "kernel": "laplacian", "device": "cuda:0", "precision": "fp64", "size": "64x32x16",
        "schedule": "default", "time": "2 ms", "least": "1.9 ms", "most": "2.2 ms", "repeats": "15",
        "achieved": "750 MB/s", "roof": "copy 1 GB/s", "fraction": "0.750", "check": "ok 1.0e-15",
        "work": "1", "more": "host 400 ns; compiled ahead; 2 ranks; counters dram_read 1.5e+06, "
                             "source modelled; registers 64"}
    assert rows[1]["schedule"] == "tile=4 store=plain"
    assert "default tile=4 store=plain" in page.section("named").words()
    assert "1 stencil 1 MB 500 kB 3 M 300 k each point once" in page.section("conventions").words()


def test_diagnoses(ridge, folder):
    page = made(ridge, written("a.json", [record(diagnoses=[
        {"cause": "cache-overflow", "evidence": 1.31, "threshold": "1.1", "predicted_gain": 0.25,
         "proved_gain": 0.24, "fix": "tile=8"}])]))
    row = page.section("diagnoses").all("tr")[1]
    assert [cell.words() for cell in row.all("td")] == ["cache-overflow", "1.31", "1.1", "0.25", "0.24",
                                                        "tile=8"]
    assert made(ridge, written("a.json", [record()])).section("diagnoses") is None


def test_devices_and_files(ridge, folder):
    page = made(ridge, written("a.json", [record(roof=1e9), record(roof=3e9, kernel="k"),
                                          record(device="cpu", device_name="a CPU")]),
                written("roof.json", ROOF))
    words = page.section("devices").words()
    assert "a GPU (cuda): 2 records" in words and "a CPU (cpu): 1 record" in words
    assert "copy 2 GB/s 1 GB/s to 3 GB/s measured with 2 records" in words
    assert "fma_fp64 40 Gflop/s - two a step" in words
    assert "a.json: 3 records roof.json: ceilings" in words


def test_records_with_little_in_them(ridge, folder):
    page = made(ridge, written("a.json", [
        {"kernel": "k", "device": "cpu", "precision": "fp32", "size": [7]}]))
    assert "1 k cpu fp32 7 - - - - - - - - 1" in page.section("records").words()
    assert page.section("roofline") is None and page.section("fractions") is None


def test_extreme_numbers(ridge, folder):
    made(ridge, written("a.json", [record(seconds=1e-300, fraction=0.0), record(flops=1e300, kernel="k"),
                                   record(flops=1e300, kernel="j", seconds=1e-300),
                                   record(roof=1e308, kernel="l", fraction=1e-308),
                                   record(size=[2**62], bytes_read=2**63, kernel="m")]))
    assert not re.search(r"\b(nan|inf)\b", made(ridge, "a.json", text=True))


# What must hold of the page as a whole.


HOSTILE = "<script>alert(1)</script>\"'--></style></svg><img src=x onerror=alert(2)>&amp;"


def test_hostile_names_are_harmless(ridge, folder):
    texts = ("pattern", "kernel", "device", "device_name", "precision", "schedule", "schedule_name",
             "convention", "achieved_unit", "roof_name", "compiled", "site")
    hostile = record(**{name: HOSTILE for name in texts}, extra=HOSTILE, counters={HOSTILE: HOSTILE},
                     check={"ok": False, "message": HOSTILE},
                     diagnoses=[{n: HOSTILE for n in ("cause", "evidence", "threshold", "fix")}])
    good = {**hostile, "check": None}
    hostile_roof = {"device": HOSTILE, "device_name": HOSTILE, "ceilings": [
        {"name": HOSTILE, "value": 1, "unit": unit, "how": HOSTILE} for unit in ("B/s", "flop/s", HOSTILE)]}
    page = made(ridge, written(HOSTILE.replace("/", "") + ".json",
                               [hostile, good, {**good, "size": [8]}, {**good, "schedule": "x"}]),
                written("roof.json", hostile_roof))
    assert not page.root.all("img")
    assert len(page.root.all("script")) == 1 and "alert" not in page.root.all("script")[0].words()
    assert len(page.root.all("style")) == 1
    assert HOSTILE in page.section("records").words()
    for node in page.root.all("use") + page.root.all("svg") + page.root.all("a") + page.root.all("tr"):
        assert not any(name.startswith("on") for name in node.attributes)


def test_needs_nothing_but_itself(ridge, folder):
    text = made(ridge, written("a.json", [record()]), text=True)
    assert "http" not in text.replace("http-equiv", "")
    page = Page(text)
    policy = page.root.all("meta")[1]["content"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.root.all(kind)[0].text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy, f"src/report/style.cpp: {kind} has {digest} now"
    for link in page.root.all("a") + page.root.all("use"):
        assert link["href"].startswith("#")
    ids = [node["id"] for tag in ("section", "tr", "circle", "path", "h2", "title", "desc")
           for node in page.root.all(tag) if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    for link in page.root.all("a") + page.root.all("use"):
        assert link["href"][1:] in ids
    assert not any("style" in n.attributes for n in page.root.all("svg") + page.root.all("td"))


def test_is_accessible(ridge, folder):
    page = made(ridge, written("a.json", [record(), record(size=[8], seconds=1e-6)]), written("r.json", ROOF))
    assert page.root.all("html")[0]["lang"] == "en"
    for svg in page.root.all("svg"):
        if "data-x" in svg.attributes:
            named = [n["id"] for n in svg.all("title") + svg.all("desc") if "id" in n.attributes]
            assert svg["role"] == "img" and svg["aria-labelledby"].split() == named
            assert all(n.words() for n in svg.all("title") + svg.all("desc"))
    assert page.root.all("table")
    for table in page.root.all("table"):
        assert table.all("caption")[0].words() and table.all("th")


def test_page_reads_without_its_script(ridge, folder):
    page = made(ridge, written("a.json", [record()]))
    assert not page.root.all("button")  # the script adds them
    assert "laplacian" in page.section("records").words()


def all_results():
    records = []
    for file in sorted((ROOT / "docs/results").glob("*/*.json")):
        content = json.loads(file.read_text())
        records += content if isinstance(content, list) else []
    return records


@pytest.mark.parametrize("kind", ["results", "sizes", "kernels", "schedules"])
def test_500_records_are_at_most_300_kB(ridge, folder, kind):
    full = {"fraction_low": 0.7123, "fraction_high": 0.7891, "host_seconds": 4.123e-7, "compiled": "ahead"}
    if kind == "results":
        records = all_results()[-500:]
    elif kind == "sizes":  # every launch has work of its own
        records = [record(size=[512, 512, 16 + i], bytes_read=10**9 + i, **full) for i in range(500)]
    elif kind == "kernels":
        records = [record(kernel=f"kernel-{i}", flops=1e6 + i, fraction=i / 500, **full) for i in range(500)]
    else:
        records = [record(schedule_name="", seconds=1e-3 + i * 1e-6, **full,
                          schedule=f"block={i}x4x1 tile=4 loads=ascending store=plain grid=xyz split=1")
                   for i in range(500)]
    assert len(records) == 500
    text = made(ridge, written("a.json", records), text=True)
    assert len(text.encode()) <= 300_000


def test_every_result_in_the_documentation_is_reported(ridge, folder):
    page = made(ridge, *sorted((ROOT / "docs/results").glob("*/*.json")))
    assert len(page.section("records").all("tr")) == 1 + len(all_results())


# Files.


def test_appears_whole_or_not_at_all(ridge, folder):
    written("a.json", [record()])
    (folder / "bad.json").write_text("[")
    (folder / "report.html").write_text("before")
    ridge.bad("report", "a.json", "bad.json", "-o", "report.html", "--overwrite", says="bad.json is no JSON")
    assert (folder / "report.html").read_text() == "before"
    assert left_in(folder) == ["a.json", "bad.json", "report.html"]
    assert ridge.good("report", "a.json", "-o", "report.html", "--overwrite").out == "report.html: 1 record\n"
    assert left_in(folder) == ["a.json", "bad.json", "report.html"]
    assert stat.S_IMODE(os.stat("report.html").st_mode) & 0o400


def test_is_printed_where_asked(ridge, folder):
    written("a.json", [record()])
    os.symlink("/proc/self/fd/1", "out")  # what /dev/stdout is
    assert Page(ridge.good("report", "a.json", "-o", "out").out).section("records")
    assert (folder / "out").is_symlink()


def test_is_the_same_each_time(ridge, folder):
    written("a.json", [record(), record(kernel="k")])
    assert made(ridge, "a.json", text=True) == made(ridge, "a.json", text=True)


@pytest.mark.parametrize("content, says", [
    ("", "is empty; it must be an array of records"), ("not JSON", "is no JSON at line 1, column "),
    ('[{"kernel":"k"', "is no JSON at its end"), ("[]", "holds no records"), ("{}", "is an object"),
    ("7", "is no array"), ("[7]", "record 1 is no record"), ("[{}]", "record 1 has no 'kernel'"),
    (json.dumps([record(), record(version=2)]), "record 2 is of version 2; this ridge reads version 1"),
    (json.dumps([record(seconds="fast")]), "record 1: 'seconds' must be a number"),
    (json.dumps(ROOF), "there are no records"),
])
def test_bad_files(ridge, folder, content, says):
    (folder / "a.json").write_text(content)
    ridge.bad("report", "a.json", "-o", "report.html", says=says)
    assert left_in(folder) == ["a.json"]


@pytest.mark.parametrize("words, says", [
    ([], "INPUT"), (["a.json"], "--output"), (["none.json", "-o", "r.html"], "none.json cannot be read"),
    ([".", "-o", "r.html"], ". is a folder"), (["a.json", "-o", "no/r.html"], "there is no folder no"),
    (["a.json", "-o", "a.json"], "is an input"), (["a.json", "-o", "."], "is a folder"),
])
def test_bad_words(ridge, folder, words, says):
    written("a.json", [record()])
    ridge.bad("report", *words, says=says)
    assert left_in(folder) == ["a.json"]
