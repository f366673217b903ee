#!/usr/bin/env python3
"""Draws how residuals fall with cycles: docs/convergence.svg.

    python3 bench/convergence.py build/ridge docs/convergence.svg

Boxes of about 129^3 points, random right-hand sides, on the cpu. Needs h5py.
"""
import math
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

DIRICHLET = "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0"
PERIODIC = "x=periodic,y=periodic,z=periodic"
CYCLES = ["--method", "multigrid", "--smoother"]
CASES = [  # name, points, colour, dashes of a line that lies on another, options
    ("red-black, dirichlet, 65³", 65, "#9ecae1", "", [*CYCLES, "red-black", "--boundary", DIRICHLET]),
    ("red-black, dirichlet, 129³", 129, "#08519c", "6 6", [*CYCLES, "red-black", "--boundary", DIRICHLET]),
    ("Chebyshev, dirichlet, 65³", 65, "#a1d99b", "", [*CYCLES, "chebyshev", "--boundary", DIRICHLET]),
    ("Chebyshev, dirichlet, 129³", 129, "#006d2c", "6 6", [*CYCLES, "chebyshev", "--boundary", DIRICHLET]),
    ("red-black, periodic, 128³", 128, "#c994c7", "", [*CYCLES, "red-black", "--boundary", PERIODIC, "--project"]),
    ("red-black, periodic, 129³", 129, "#ce1256", "", [*CYCLES, "red-black", "--boundary", PERIODIC, "--project"]),
    ("cg, dirichlet, 129³", 129, "#756bb1", "", ["--method", "cg", "--boundary", DIRICHLET]),
    ("cg, k over four decades, 129³", 129, "#e6550d", "", ["--coefficient", "in.h5:/smooth", "--boundary", DIRICHLET]),
    ("cg, k jumps by 10⁴, 129³", 129, "#a50f15", "", ["--coefficient", "in.h5:/jumps", "--boundary", DIRICHLET]),
    ("fft, dirichlet, 129³", 129, "#000000", "", ["--method", "fft", "--boundary", DIRICHLET])]
WIDE, HIGH, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 60, 20, 470, 350
LEAST, MOST = -16, 0


def residuals(program, folder, n, options):
    z, y, x = np.meshgrid(*[np.arange(n) / n] * 3, indexing="ij")
    with h5py.File(folder / "in.h5", "w") as h5:
        h5["f"] = np.random.default_rng(1).standard_normal((n, n, n))
        h5["smooth"] = 10 ** (2 * np.sin(6 * x + 4 * y + 5 * z))
        h5["jumps"] = np.where((abs(x - 0.5) < 0.2) & (abs(y - 0.4) < 0.25) & (abs(z - 0.5) < 0.3), 1e4, 1.0)
    out = subprocess.run([program, "solve", "poisson", "in.h5:/f", "-o", "u.h5:/u", "--overwrite", "--device", "cpu", *options],
                         cwd=folder, capture_output=True, text=True, check=True).stdout
    rows = out.split("factor\n")[1].splitlines()
    return [float(row.split()[1]) for row in rows if len(row.split()) > 1 and row.split()[0].isdigit() and 'e' in row.split()[1]]


def main():
    program, target = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        found = [(*case[:4], residuals(program, pathlib.Path(name), case[1], case[4])) for case in CASES]
    most = max(len(r) for *_, r in found) - 1
    def at_x(cycle):
        return LEFT + (RIGHT - LEFT) * cycle / most
    def at_y(residual):
        return TOP + (BOTTOM - TOP) * (MOST - max(math.log10(max(residual, 1e-300)), LEAST)) / (MOST - LEAST)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDE}" height="{HIGH}" fill="white"/>']
    for power in range(LEAST, MOST + 1, 2):
        y = at_y(10.0 ** power)
        svg += [f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>',
                f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>']
    for cycle in range(0, most + 1, 2):
        svg.append(f'<text x="{at_x(cycle):.1f}" y="{BOTTOM + 16}" text-anchor="middle">{cycle}</text>')
    svg += [f'<text x="{(LEFT + RIGHT) / 2}" y="{HIGH - 12}" text-anchor="middle">cycles or iterations</text>',
            f'<text x="14" y="{(TOP + BOTTOM) / 2}" transform="rotate(-90 14 {(TOP + BOTTOM) / 2})" text-anchor="middle">'
            'residual over right-hand side</text>']
    for i, (name, _, colour, dashes, values) in enumerate(found):
        points = " ".join(f"{at_x(c):.1f},{at_y(r):.1f}" for c, r in enumerate(values))
        y = TOP + 16 + 20 * i
        line = f'stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
        svg += [f'<polyline points="{points}" fill="none" {line}/>',
                f'<line x1="{RIGHT + 16}" x2="{RIGHT + 40}" y1="{y - 4}" y2="{y - 4}" {line}/>',
                f'<text x="{RIGHT + 46}" y="{y}">{name}</text>']
        print(f"{name:32} {len(values) - 1:3} cycles, {values[-1]:.1e}")
    target.write_text("\n".join([*svg, "</svg>"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
