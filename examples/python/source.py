"""The same stencil in C++, from a file, and a report of both."""

import pathlib

import numpy as np

import ridge

text = (pathlib.Path(__file__).resolve().parents[1] / "01_heat" / "heat.hpp").read_text()
heat = ridge.stencil(source=text, name="Heat")
u = np.random.default_rng(1).random((40, 50, 60))
print(heat(u, rate=0.1).sum())

records = heat.measure_all(u, rate=0.1, schedule="all", repeat=3)
assert all(r.ok for r in records)
page = str(ridge.report(records))
assert "Heat" in page and page.lstrip().startswith("<!DOCTYPE html>")
