"""`ridge evolve` of systems: datasets of INPUT, links to them, and files that a run goes on with."""

import os
import subprocess
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest

from system_runs import evolve, places, read, write

pytestmark = pytest.mark.usefixtures("folder")


def test_datasets_that_no_system_takes(ridge):
    start = ["in.h5", "-o", "out.h5", "--device", "cpu", "--steps", "1"]
    cube = np.ones((5, 6, 7))
    write(vx=cube, rho=cube, lamda=cube)  # a misspelt array would count as 1 everywhere
    ridge.bad("evolve", "elastic", *start, says=["in.h5: elastic takes no dataset /lamda; did you mean lambda? It takes",
                                                 "lambda (1)", "rename"])
    write(vx=cube, rho=cube, lamda=np.ones(5))  # of other points it cannot be meant for anything else
    ridge.bad("evolve", "elastic", *start, says="did you mean lambda?")
    write(**{"a/h": np.ones((5, 6)), "a/bed": np.ones((5, 6))})
    ridge.bad("evolve", "shallow-water", "in.h5:/a", *start[1:],
              says=["shallow-water takes no dataset /a/bed; it takes h, hu, hv, bottom", "bottom (0)"])
    # All arrays are there, or what else is there can be none of them.
    full = {name: cube for name in "vx vy vz sxx syy szz sxy sxz syz rho lambda mu porosity".split()}
    write(**full)
    ran = evolve(ridge, "elastic", "--steps", "1")
    assert "in.h5: elastic takes no dataset /porosity, which counts for nothing" in ran.out
    write(vx=cube, times=np.ones(3), note="made by hand", **{"more/lamda": cube})
    evolve(ridge, "elastic", "--steps", "1")


@pytest.mark.parametrize("link", ["hard", "soft", "external"])
def test_arrays_that_links_lead_to_are_read(ridge, link):
    random = np.random.default_rng(11)
    p, c = random.standard_normal((6, 7, 8)), 1 + random.random((6, 7, 8))
    write(p=p, c=c, rho=c)
    evolve(ridge, "acoustic", "--steps", "5", "--dt", "0.1")
    right = read("p")
    with h5py.File("in.h5", "a") as h5:
        del h5["rho"]
        h5["rho"] = {"hard": h5["c"], "soft": h5py.SoftLink("/c"), "external": h5py.ExternalLink("c.h5", "/c")}[link]
    write("c.h5", c=c)
    evolve(ridge, "acoustic", "--steps", "5", "--dt", "0.1")
    np.testing.assert_array_equal(read("p"), right)
    with h5py.File("in.h5", "a") as h5:
        del h5["rho"]
        h5["rho"] = h5py.SoftLink("/gone")
    ridge.bad("evolve", "acoustic", "in.h5", "-o", "o.h5", "--device", "cpu", says="there is no dataset /rho")
    ridge.bad("evolve", "acoustic", "in.h5", "-o", "o.h5:/p", "--device", "cpu",
              says="-o o.h5:/p: snapshots of a system have its arrays by their own names; give -o o.h5")


def test_restarts_at_once_lose_no_step(ridge):
    random = np.random.default_rng(12)
    write(p=random.standard_normal((40, 40, 40)))
    evolve(ridge, "acoustic", "--steps", "2")
    words = [ridge.program, "evolve", "--restart", "out.h5", "--steps", "50", "--every", "50"]
    runs = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    ends = [(*run.communicate(timeout=120), run.returncode) for run in runs]
    assert all(code == 2 and ("out.h5 is being written by another run" in err or
                              "another run went on with out.h5" in err)
               for _, err, code in ends if code != 0), ends
    done = [code for _, _, code in ends].count(0)
    with h5py.File("out.h5") as h5:
        assert done > 0 and int(sorted(h5["snapshots"])[-1]) == 2 + 50 * done


def test_a_run_that_lacks_an_attribute(ridge):
    write(p=np.ones((6, 7, 8)))
    evolve(ridge, "acoustic", "--steps", "2")
    with h5py.File("out.h5", "a") as h5:
        del h5.attrs["boundary"]
    ridge.bad("evolve", "--restart", "out.h5", "--steps", "2",
              says="out.h5 is damaged: it lacks the attribute boundary")


@pytest.mark.parametrize("small_disk", ["400k"], indirect=True)
def test_a_full_disk_leaves_the_last_snapshot_readable(ridge, small_disk):
    write(p=np.random.default_rng(5).random((20, 20, 20)))
    result = ridge("evolve", "acoustic", "in.h5", "-o", "disk/out.h5", "--device", "cpu", "--steps", 100, "--every", 10)
    assert result.code == 1
    (line,) = result.err.splitlines()
    assert "stopped at step 10; disk/out.h5 leads to the snapshots up to step 0" in line
    assert read("p", file="disk/out.h5").shape == (20, 20, 20)
    ridge.good("evolve", "--restart", "disk/out.h5", "-o", "further.h5", "--steps", "3")
    evolve(ridge, "acoustic", "--steps", "3")
    np.testing.assert_array_equal(read("p", file="further.h5"), read("p"))


STARTS = {
    "acoustic": ("p vx vy vz", "c rho"), "elastic": ("vx vy vz sxx syy szz sxy sxz syz", "rho lambda mu"),
    "maxwell": ("ex ey ez hx hy hz", "eps"), "shallow-water": ("h hu hv", "bottom"),
}


@pytest.mark.parametrize("system", list(STARTS))
def test_a_snapshot_starts_another_run_with_its_medium(ridge, system):
    random = np.random.default_rng(13)
    states, media = (names.split() for names in STARTS[system])
    shape = (9, 10) if system == "shallow-water" else (7, 8, 9)
    dtype = "f4" if system == "maxwell" else "f8"
    write(**{name: (1 + 0.1 * random.random(shape)).astype(dtype) for name in states[:1] + media})
    words = ("--dt", "0.05", "--every", "3")
    evolve(ridge, system, "--steps", "9", *words, out="whole.h5")
    right = read(*states, file="whole.h5")
    whole = ridge.good("evolve", "--restart", "whole.h5", "--steps", "1", "--device", "cpu")  # in links, too
    assert whole.code == 0
    for start in ("whole.h5:/snapshots/0000000003", "whole.0000000006.h5", "whole.0000000000.h5"):
        done = int(start[-13:-3] if start.endswith("h5") else start[-10:])
        ridge.good("evolve", system, start, "-o", "on.h5", "--overwrite", "--steps", str(9 - done), *words,
                   "--device", "cpu")
        for one, other in zip(read(*states, file="on.h5"), right):
            np.testing.assert_array_equal(one, other)
    # The medium lies in the first file alone, of each output.
    with h5py.File("whole.0000000003.h5") as h5:
        assert isinstance(h5.get(media[0], getlink=True), h5py.ExternalLink)
        assert h5[media[0]].shape == shape and h5.attrs["medium"] == "whole.0000000000.h5"
    ridge.good("evolve", "--restart", "whole.h5", "-o", "other.h5", "--steps", "2", "--device", "cpu")
    with h5py.File("other.h5") as h5:
        first, *_, last = sorted(h5["snapshots"])
        assert h5.attrs["medium"] == f"other.{first}.h5" and h5["snapshots"][last][media[0]].shape == shape


def test_snapshots_of_earlier_versions(ridge):
    """They have no medium, and their runs have numbers as texts."""
    random = np.random.default_rng(14)
    write(p=random.random((7, 8, 9)), c=1 + random.random((7, 8, 9)))
    evolve(ridge, "acoustic", "--steps", "6", "--spacing", "0.7", out="whole.h5")
    evolve(ridge, "acoustic", "--steps", "4", "--spacing", "0.7")
    with h5py.File("out.h5", "a") as h5:
        for name in ("dt", "spacing_x", "spacing_y", "spacing_z"):
            number = float(h5.attrs[name])
            del h5.attrs[name]
            h5.attrs[name] = number.hex()
        h5.attrs["format"] = 1
        del h5.attrs["medium"]
    with h5py.File("out.0000000004.h5", "a") as h5:
        del h5["c"], h5.attrs["medium"]
    ridge.bad("evolve", "acoustic", "out.0000000004.h5", "-o", "on.h5", "--device", "cpu",
              says=["out.0000000004.h5", "is a snapshot of an earlier ridge", "c (1), rho (1) would count as",
                    "h5copy -i MEDIUM.h5 -o out.0000000004.h5 -s /c -d /c"])
    ridge.good("evolve", "--restart", "out.h5", "--steps", "2", "--device", "cpu")
    np.testing.assert_array_equal(read("p"), read("p", file="whole.h5"))
    with h5py.File("out.0000000005.h5") as h5:  # it has the medium again
        assert not isinstance(h5.get("c", getlink=True), h5py.ExternalLink) and h5["c"].shape == (7, 8, 9)


def test_an_output_is_no_start(ridge):
    write(p=np.ones((7, 8, 9)))
    evolve(ridge, "acoustic", "--steps", "2")
    ridge.bad("evolve", "acoustic", "out.h5", "-o", "on.h5", "--device", "cpu",
              says="its snapshots are groups, such as out.h5:/snapshots/0000000000")


def test_populations_come_all_together(ridge):
    write(ux=np.zeros((4, 5, 6)))
    evolve(ridge, "lbm-d3q19", "--steps", "2")
    with h5py.File("out.0000000002.h5", "a") as h5:
        h5["solid"] = np.ones((4, 5, 6))
    start = ["evolve", "lbm-d3q19", "out.0000000002.h5", "-o", "on.h5", "--device", "cpu"]
    ridge.bad(*start, says="'solid' is beside f0 to f18, which say it themselves")
    with h5py.File("out.0000000002.h5", "a") as h5:
        del h5["solid"], h5["f7"]
    ridge.bad(*start, says="takes f0 to f18 all together, or none of them; f7 is not in /")


def test_the_files_of_a_run_say_it_in_numbers_and_show_all_arrays(ridge):
    write(c=np.ones((7, 8, 9)))
    evolve(ridge, "acoustic", "--steps", "4", "--every", "2", "--spacing", "0.5x0.25x1", "--dt", "0.0625")
    with h5py.File("out.h5") as h5:
        assert [h5.attrs[name] for name in ("dt", "spacing_x", "spacing_y", "spacing_z")] == [0.0625, 0.5, 0.25, 1]
    grids = ElementTree.parse("out.xdmf").getroot().findall(".//Grid[@GridType='Uniform']")
    assert [grid.find("Time").get("Value") for grid in grids] == ["0", "0.125", "0.25"]
    for step, grid in zip((0, 2, 4), grids):
        shown = {one.get("Name"): one.find("DataItem").text for one in grid.findall("Attribute")}
        own = {name: f"out.{step:010}.h5:/{name}" for name in ("p", "vx", "vy", "vz")}
        assert shown == {**own, "c": "out.0000000000.h5:/c"}


def test_places_that_are_no_text(ridge):
    write(c=np.ones((8, 10, 12)))
    words = ["evolve", "acoustic", "in.h5", "-o", "out.h5", "--device", "cpu", "--receivers", "r.csv"]
    for text in ("x,y,z\n1,2,3\n".encode("utf-16"), "x,y,z\n1,2,3\n".encode("utf-16-be"), b"\x89PNG\r\n\x1a\n\0\0"):
        with open("r.csv", "wb") as out:
            out.write(text)
        ridge.bad(*words, says="--receivers r.csv: line 1 ")
    with open("r.csv", "wb") as out:
        out.write("x,y,z,array\n1,2,3,pré\n".encode("latin-1"))
    ridge.bad(*words, says="line 2 has the byte 0xe9, which no UTF-8 text has there")


def test_places_in_layers_are_said(ridge):
    write(c=np.ones((18, 20, 22)))
    places("s.csv", (11, 10, 9), (2, 10, 9), (11, 17, 9))
    ran = evolve(ridge, "acoustic", "--steps", "2", "--absorb", "x-,y+", "--absorb-width", "5", "--source", "s.csv",
                 "--wavelet", "ricker:0.1")
    assert "--source s.csv: 2 of 3 places lie in layers that absorb, where waves lose strength, the first in line 3" \
        in ran.out
