"""Ctrl-C in functions of ridge.gauge: each ends within a second, and the next call is right."""

import pytest
from test_interrupts import require_end

LINKS = "from ridge import gauge; u = gauge.cold(4, 4, 4, 4)"
SOURCE = LINKS + "; u = gauge.heatbath(u, 5.5, 3); b = rng.normal(size=(4, 4, 4, 4, 4, 3)) + 0j"
# A step of smear_fermion is so small that none of its million steps comes to numbers that a processor is slow with:
# by 0.1 they are after 16000 steps, 40 times as slow, and so is what Ctrl-C waits for.
CALLS = {
    "smear": (LINKS, "gauge.smear(u, stout=0.1)", "gauge.smear(u, stout=0.1, steps=10**6)"),
    "heatbath": (LINKS, "gauge.heatbath(u, 6)", "gauge.heatbath(u, 6, sweeps=10**6)"),
    "a sweep of heatbath": (LINKS, "gauge.heatbath(u, 6)", "gauge.heatbath(u, 6, relaxations=10**6)"),
    "smear_fermion": (SOURCE, "gauge.smear_fermion(u, b, 2, 0.1)", "gauge.smear_fermion(u, b, 10**6, 1e-4)"),
    "wilson_loops": (LINKS + "; v = gauge.cold(48, 16, 16, 16)", "gauge.wilson_loops(u, 1, 1)",
                     "gauge.wilson_loops(v, 16, 48)"),
    "cg": (SOURCE + "; d = gauge.Wilson(u, 0.11, precision='fp64')", "gauge.cg(d, b, 1e-3)",
           "[gauge.cg(d, b, 1e-8) for _ in range(10**6)]"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_ends(name):
    require_end(*CALLS[name])
