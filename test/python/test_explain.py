"""Tuning, the doctor and the report, on the user's arrays and by the command's names."""

import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import heat_of, let_it_work

import ridge


@pytest.fixture
def wisdom(tmp_path, monkeypatch):
    monkeypatch.setenv("RIDGE_WISDOM", str(tmp_path / "wisdom"))
    return tmp_path / "wisdom"


TUNED = """
import numpy as np, sys
import ridge

@ridge.stencil
def tuned(u, rate):
    return u[0, 0] + rate * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0] - 4 * u[0, 0])

u = np.random.default_rng(1).standard_normal((200, 300))
out = np.full_like(u, 5.0)
if sys.argv[1] == "tune":
    found = ridge.tune(tuned, u, out=out, rate=0.1, seconds=120, most=3)
    assert found.kept and found["size"] == [300, 200] and 1 <= found["measured"] <= 4, dict(found)
    assert found.gain > 0 and len(found["trials"]) >= 1
    assert "<table>" in found._repr_html_() and found.schedule in repr(found)
    i = slice(1, -1)
    right = u[i, i] + 0.1 * (u[i, 2:] + u[i, :-2] + u[2:, i] + u[:-2, i] - 4 * u[i, i])
    np.testing.assert_allclose(out[i, i], right, atol=1e-14)  # as a call leaves it
    assert (out[0] == 5).all()
    print(found.schedule)
else:
    tuned(u, out=out, rate=0.1)
    print(tuned.record.schedule)
"""


def run(what, tmp_path):
    return subprocess.run([sys.executable, "-c", TUNED, what], capture_output=True, text=True, check=True,
                          timeout=400).stdout.strip()


def test_what_was_tuned_is_what_auto_means(wisdom, tmp_path):
    schedule = run("tune", tmp_path)
    assert run("call", tmp_path) == schedule  # in another process
    # Wisdom is read back: an entry of another schedule is taken.
    other = "threads=1" if "threads=1" not in schedule else "threads=2"
    fields = dict(f.split("=", 1) for f in schedule.split())
    fields["threads"] = other.split("=")[1]
    changed = " ".join(f"{k}={v}" for k, v in fields.items())
    wisdom.write_text(wisdom.read_text().replace(schedule, changed))
    assert run("call", tmp_path) == changed


def test_ctrl_c_ends_tuning(wisdom):
    text = TUNED.split("u = np")[0] + """
u = np.random.default_rng(1).standard_normal((200, 300))
print("ready", flush=True)
try:
    while True:
        ridge.tune(tuned, u, rate=0.1, seconds=1000)
except KeyboardInterrupt:
    sys.exit(7)
"""
    running = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert running.stdout.readline() == "ready\n"
    let_it_work(running)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=100) == 7


def test_tuning_that_is_refused(heat, monkeypatch):
    u = np.ones((5, 6, 7))
    with pytest.raises(ridge.UsageError, match="emulated and has no speed to tune for"):
        ridge.tune(heat, u, seconds=1, device="simt:32")
    with pytest.raises(TypeError, match="size and precision are those of the arrays"):
        ridge.tune(heat, u, size=3)
    with pytest.raises(TypeError, match="makes its own arrays: give size="):
        ridge.tune("laplacian", u)
    with pytest.raises(ridge.UsageError, match="laplacian"):
        ridge.tune("nothing", size=9)
    with pytest.raises(ridge.UsageError, match="RIDGE_TUNE=off"):
        monkeypatch.setenv("RIDGE_TUNE", "off")
        ridge.tune("laplacian", size=(5, 5, 5), seconds=1, device="cpu")


def test_the_doctor_on_arrays(heat, rng):
    u = rng.standard_normal((20, 30, 700))
    out = np.full_like(u, 3.0)
    found = ridge.doctor(heat, u, out=out, rate=0.1, schedule="threads=1 store=plain")
    np.testing.assert_allclose(out, heat_of(u, 0.1, np.full_like(u, 3.0)), atol=1e-14)
    assert found.record.ok and found.record.seconds > 0
    assert found.record["diagnoses"] == list(found)
    for d in found:
        assert d["predicted_gain"] >= 1 and d["proved_gain"] is None and d["fix"]
    assert "heat" in repr(found) and "<table>" in found._repr_html_()
    assert "heat" in str(ridge.report([found.record]))


def test_the_doctor_proves_its_cures(heat, rng):
    found = ridge.doctor(heat, rng.standard_normal((40, 60, 300)), rate=0.1, prove=True,
                         schedule="threads=1")
    cured = [d for d in found if "cured_schedule" in d]
    assert all(d["proved_gain"] > 0 for d in cured)


def test_the_doctor_knows_pairs_and_chains(rng):
    @ridge.pairs(targets=1, sources=1, sums=1)
    def near(t, s, h):
        return [ridge.rsqrt((s[0] - t[0]) ** 2 + h)]

    x, y = rng.standard_normal((1, 200)), rng.standard_normal((1, 300))
    assert ridge.doctor(near, x, h=0.1).record.ok
    assert ridge.doctor(near, x, y, h=0.1).record.ok

    @ridge.chain
    def twice(u):
        g = u[0, 1] - u[0, -1]
        return g[0, 1] - g[0, -1]

    assert ridge.doctor(twice, rng.standard_normal((30, 200))).record.ok


def test_a_wrong_examination(heat):
    u = np.ones((5, 6, 7))
    with pytest.raises(ridge.UsageError, match="one schedule at a time"):
        ridge.doctor(heat, u, schedule="all")
    with pytest.raises(ridge.UsageError, match="tiles"):
        ridge.doctor(heat, u, schedule="tiles=3")
    with pytest.raises(TypeError, match="size and precision"):
        ridge.doctor(heat, u, precision="fp32")


def test_the_doctor_by_the_commands_name():
    found = ridge.doctor("laplacian", size=(30, 40, 50), device="cpu", schedule="threads=1")
    assert found.record["size"] == [50, 40, 30] and found.record.ok
    assert "diagnoses" in found.record


def test_tuning_by_the_commands_name(wisdom):
    found = ridge.tune("laplacian", size=(20, 20, 20), seconds=3, most=2, device="cpu")
    assert found["size"] == [20, 20, 20] and found["wisdom"] == str(wisdom)


def test_reports_are_written_whole_or_not_at_all(tmp_path):
    page = ridge.report(ridge.bench("laplacian", size=(12, 10, 8), device="cpu", repeat=1))
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == str(page)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ridge.UsageError, match="is a folder; give a file name"):
        page.save(str(tmp_path / "folder"))
    with pytest.raises(ridge.Failure, match="none/page.html: No such file"):
        page.save(str(tmp_path / "none" / "page.html"))
    with pytest.raises(ridge.UsageError, match="there are no records"):
        ridge.report([])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "page.html"]
