"""`ridge compare`: verdicts, exit codes, bad input."""

import json

import pytest

from sample_records import record, written
from tables import rows_of


def slower_by(percent):
    factor = 1 + percent / 100
    return {name: record()[name] * factor for name in ("seconds", "seconds_min", "seconds_max")}


def test_says_faster_slower_and_cannot_tell_with_the_reason(ridge, folder):
    written("a.json", [record(), record(kernel="k"), record(kernel="same"), record(kernel="gone")])
    written("b.json", [record(**slower_by(50)), record(kernel="k", **slower_by(-50)),
                       record(kernel="same"), record(kernel="new")])
    text = ridge.good("compare", "a.json", "b.json").out
    lines = {line.split("  ")[0]: line for line in rows_of(text)}
    assert "+50.0 %" in lines["slower"] and "times apart: 1.90 ms to 2.20 ms" in lines["slower"]
    assert "-50.0 %" in lines["faster"]
    assert "times overlap" in text
    assert "only in a.json" in text and "only in b.json" in text
    assert "1 faster, 1 slower, 3 cannot tell" in text


def test_table_is_lined_up(ridge, folder):
    written("a.json", [record(), record(kernel="a-kernel-with-a-long-name", size=[7])])
    written("b.json", [record(**slower_by(1200)), record(kernel="a-kernel-with-a-long-name", size=[7])])
    lines = rows_of(ridge.good("compare", "a.json", "b.json").out)
    rule = next(i for i, line in enumerate(lines) if line.startswith("---"))
    header, rows = lines[rule - 1], lines[rule + 1:rule + 3]
    for word, cells in (("kernel", ("laplacian", "a-kernel")), ("precision", ("fp64", "fp64")),
                        ("why", ("times apart", "times overlap"))):
        for row, cell in zip(rows, cells):
            assert row.index(cell) == header.index(word)
    # What changed is lined up at its unit.
    assert rows[0].index("%") == rows[1].index("%")


def test_json(ridge, folder):
    written("a.json", [record(), record(kernel="k", site="real")])
    written("b.json", [record(**slower_by(50))])
    one, other = json.loads(ridge.good("compare", "a.json", "b.json", "--json").out)
    assert one["kernel"] == "laplacian" and one["size"] == [64, 32, 16]
    assert one["verdict"] == "slower" and "times apart" in one["reason"]
    assert one["change_percent"] == pytest.approx(50)
    assert one["change_of"] == "time"
    assert one["a"]["seconds"] == 2e-3 and one["b"]["seconds"] == pytest.approx(3e-3)
    assert one["a"]["seconds_min"] == 1.9e-3 and one["a"]["fraction_low"] is None
    assert other["verdict"] == "cannot tell" and other["reason"] == "only in a.json"
    assert other["site"] == "real"
    assert other["b"] is None and other["change_percent"] is None


def test_fails_when_asked_to_and_slower_by_more(ridge, folder):
    written("a.json", [record(), record(kernel="k")])
    written("b.json", [record(**slower_by(30)), record(kernel="k", **slower_by(50))])
    ridge.good("compare", "a.json", "b.json")
    ridge.good("compare", "a.json", "b.json", "--fail-slower", 51)
    ridge.good("compare", "b.json", "a.json", "--fail-slower", 0)
    bad = ridge.bad("compare", "a.json", "b.json", "--fail-slower", 40, code=1,
                    says="one launch is slower by more than 40 %; most of all k 64x32x16 fp64, by 50.0 %")
    assert "1 faster" not in bad.out and "2 slower" in bad.out  # the table is there all the same
    bad = ridge.bad("compare", "a.json", "b.json", "--fail-slower", 5, "--json", code=1,
                    says="2 launches are slower")
    assert len(json.loads(bad.out)) == 2


def test_does_not_fail_where_it_cannot_tell(ridge, folder):
    written("a.json", [record()])
    written("b.json", [record(seconds=2.19e-3)])
    ridge.good("compare", "a.json", "b.json", "--fail-slower", 1)


def test_a_gate_that_compares_nothing_fails(ridge, folder):
    written("a.json", [record()])
    written("b.json", [record(device="hip:0", device_name="another GPU")])
    assert "other device" in ridge.good("compare", "a.json", "b.json").out
    ridge.bad("compare", "a.json", "b.json", "--fail-slower", 5, code=1, says="nothing was compared")


def test_fractions_with_intervals_decide(ridge, folder):
    written("a.json", [record(fraction=0.8, fraction_low=0.79, fraction_high=0.81)])
    written("b.json", [record(fraction=0.9, fraction_low=0.89, fraction_high=0.91)])
    (one,) = json.loads(ridge.good("compare", "a.json", "b.json", "--json").out)
    assert one["verdict"] == "faster" and one["change_of"] == "fraction"
    assert one["change_percent"] == pytest.approx(100 * (0.8 / 0.9 - 1))


def test_names_from_files_do_not_move_the_cursor(ridge, folder):
    written("a.json", [record(kernel="\x1b[2Jk\n", schedule_name="\t")])
    ridge.good("compare", "a.json", "a.json")  # looks for control characters
    ridge.good("compare", "a.json", "a.json", "--json")


def test_records_of_a_bench_compare_with_themselves(ridge, folder):
    made = ridge.good("bench", "laplacian", "--device", "simt:32", "--size", "40x24x12", "--schedule", "all",
                      "--repeat", 3, "--json", limit=300)
    (folder / "a.json").write_text(made.out)
    out = json.loads(ridge.good("compare", "a.json", "a.json", "--json").out)
    assert len(out) == len(json.loads(made.out))
    assert {one["verdict"] for one in out} == {"cannot tell"}


@pytest.mark.parametrize("content, says", [
    ("", "is empty"), ("[", "no JSON"), ("[]", "holds no records"), ("{}", "is an object"),
    ('{"device":"cpu","ceilings":[]}', "holds the ceilings of a device; give records"),
    (json.dumps([dict(record(), version=9)]), "of version 9; this ridge reads version 1"),
])
def test_bad_files(ridge, folder, content, says):
    written("a.json", [record()])
    (folder / "b.json").write_text(content)
    ridge.bad("compare", "a.json", "b.json", says=["b.json", says])
    ridge.bad("compare", "b.json", "a.json", says=["b.json", says])


@pytest.mark.parametrize("words, says", [
    ([], "A is required"), (["a.json"], "B is required"), (["a.json", "none.json"], "none.json"),
    (["a.json", "a.json", "b.json"], "b.json"), (["a.json", "a.json", "--fail-slower"], "--fail-slower"),
    (["a.json", "a.json", "--fail-slower", "-1"], "not below 0"),
    (["a.json", "a.json", "--fail-slower", "nan"], "not below 0"),
    (["a.json", "a.json", "--fail-slower", "much"], "--fail-slower"),
])
def test_bad_words(ridge, folder, words, says):
    written("a.json", [record()])
    ridge.bad("compare", *words, says=says)
