"""Options of ridge.gauge of a wrong kind: one line, with the function, the option and what would be right."""

import numpy as np
import pytest

import ridge
from ridge import gauge

LINKS = np.broadcast_to(np.eye(3), (2, 2, 2, 2, 4, 3, 3)) + 0j
SPINORS = np.ones((2, 2, 2, 2, 4, 3)) + 0j


@pytest.mark.parametrize("call, says", [
    (lambda: gauge.plaquette(LINKS, device=3), "plaquette: device=3: the name of a device"),
    (lambda: gauge.plaquette("links"), "links is an array of <U5"),
    (lambda: gauge.plaquette([[1, 2], [3]]), "links: "),
    (lambda: gauge.heatbath(LINKS, "6"), "heatbath: beta='6' .str.: a number"),
    (lambda: gauge.heatbath(LINKS, 6, sweeps=1.5), "heatbath: sweeps=1.5; a whole number"),
    (lambda: gauge.heatbath(LINKS, 6, seed=None), "heatbath: seed=None; a whole number"),
    (lambda: gauge.smear(LINKS, stout="a"), "smear: stout='a'"),
    (lambda: gauge.smear(LINKS, stout=0.1, steps=2.5), "smear: steps=2.5; a whole number"),
    (lambda: gauge.smear(LINKS, stout=0.1, spatial="no"), "smear: spatial='no' .str.: True or False"),
    (lambda: gauge.read("file", accept="no"), "read: accept='no'"),
    (lambda: gauge.write("file", LINKS, overwrite=[]), r"write: overwrite=\[\]"),
    (lambda: gauge.Wilson(LINKS, kappa="a"), "Wilson: kappa='a' .str.: a number"),
    (lambda: gauge.Wilson(LINKS, kappa=True), "Wilson: kappa=True"),
    (lambda: gauge.Wilson(LINKS, 0.1, boundary=None), "Wilson: boundary=None: expected 'antiperiodic' or"),
    (lambda: gauge.DomainWall(LINKS, 0.1, ls=2.9), "DomainWall: ls=2.9; a whole number"),
    (lambda: gauge.DomainWall(LINKS, 0.1, ls=True), "DomainWall: ls=True; a whole number"),
    (lambda: gauge.cg(gauge.Wilson(LINKS, 0.1), SPINORS, iterations=1.5), "cg: iterations=1.5; a whole number"),
    (lambda: gauge.cg(gauge.Wilson(LINKS, 0.1), SPINORS, shifts=.1), "cg: shifts=0.1 .float.: numbers in a list"),
    (lambda: gauge.cg(gauge.Wilson(LINKS, 0.1), SPINORS, shifts=b"x"), "cg: shifts=b'x' .bytes.: numbers in a list"),
    (lambda: gauge.cg(gauge.Wilson(LINKS, 0.1), SPINORS, shifts=["a"]), "cg: shifts.0.='a'"),
    (lambda: gauge.cg("D", SPINORS), "cg: D='D'"),
    (lambda: gauge.cold(2, 2, 2, 2.0), "an extent=2.0; a whole number"),
])
def test_kinds_of_options(call, says):
    with pytest.raises(TypeError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value) and "incompatible function arguments" not in str(caught.value)


@pytest.mark.parametrize("call, says", [
    (lambda: gauge.plaquette(LINKS, device="gpu"), "gpu"),
    (lambda: gauge.heatbath(LINKS, float("inf")), "heatbath: beta=inf: a finite number"),
    (lambda: gauge.heatbath(LINKS, -1), "heatbath: beta=-1"),
    (lambda: gauge.heatbath(LINKS, 6, seed=-1), "heatbath: seed=-1: at least 0"),
    (lambda: gauge.heatbath(LINKS, 6, seed=2**64), "heatbath: seed=18446744073709551616: at most"),
    (lambda: gauge.heatbath(LINKS, 6, sweeps=-1), "heatbath: sweeps=-1: at least 0"),
    (lambda: gauge.heatbath(LINKS, 6, first_sweep=2**32), "heatbath: first_sweep=4294967296: at most"),
    (lambda: gauge.smear(LINKS, stout=0.1, steps=-1), "smear: steps=-1: at least 0"),
    (lambda: gauge.smear(LINKS, stout=float("nan")), "smear: stout=nan: a finite number"),
    (lambda: gauge.smear(LINKS, ape=1.5), "smear: ape=1.5: a number from 0 to 1"),
    (lambda: gauge.smear(LINKS, ape=0.5, stout=0.1), "give either ape= or stout=, not both"),
    (lambda: gauge.Wilson(LINKS, kappa=float("nan")), "Wilson: kappa=nan: a finite number"),
    (lambda: gauge.Wilson(LINKS, kappa=10**400), "Wilson: kappa=1000.*: a finite number"),
    (lambda: gauge.Wilson(LINKS, mass=-4), "Wilson: mass=-4: another number"),
    (lambda: gauge.Wilson(LINKS, 0.1, mass=1), "give either kappa or mass=, not both"),
    (lambda: gauge.DomainWall(LINKS, float("nan")), "DomainWall: mass=nan"),
    (lambda: gauge.DomainWall(LINKS, 0.1, ls=-2), "DomainWall: ls=-2: at least"),
    (lambda: gauge.DomainWall(LINKS, 0.1, ls=10**6), "DomainWall: ls=1000000: at most 128"),
    (lambda: gauge.DomainWall(LINKS, 0.1, b5=0), "b5=0, c5=0.0: a positive sum"),
    (lambda: gauge.cg(gauge.Wilson(LINKS, 0.1), SPINORS, iterations=-1), "cg: iterations=-1: at least 0"),
    (lambda: gauge.cg(gauge.Wilson(LINKS, 0.1), SPINORS, tol=float("nan")), "cg: tol=nan: a finite number"),
    (lambda: gauge.cold(2, 2), r"cold.2, 2.: four extents"),
])
def test_sizes_of_options(call, says):
    with pytest.raises(ridge.UsageError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)
