#!/usr/bin/env python3
"""Time of forces against the number of bodies: over all pairs, by a tree and within a cutoff.

    python bench/many_bodies.py run --ridge build/ridge --device cuda:0 FOLDER      # records, a file each
    python bench/many_bodies.py draw FOLDER > docs/many_bodies.svg                  # and a table on stderr

Gravity in fp32 over all pairs and by a tree of theta 0.75 (Plummer's sphere; the tree is built each time).
Lennard-Jones within 2.5 at density 0.8442, forces and energies: over lists that are there, and with a look whether
they still serve and a seventh of a build, since lists last seven steps of a melt. Every record is checked in its
run."""

import json
import math
import pathlib
import subprocess
import sys

CASES = {
    "pairs": ["gravity"],
    "tree": ["gravity-tree", "--theta", "0.75"],
    "near": ["lennard-jones", "--cutoff", "2.5"],
}
CURVES = [
    ("pairs", "gravity, all pairs", 'stroke="#b33"', lambda r: r["seconds"]),
    ("tree", "gravity by a tree, θ 0.75, with building it", 'stroke="#27a"', lambda r: r["seconds"]),
    ("near", "Lennard-Jones within 2.5, with 1/7 of building lists", 'stroke="#393" stroke-dasharray="5 3"',
     lambda r: r["seconds"] + r["look_seconds"] + r["build_seconds"] / 7),
    ("near", "Lennard-Jones within 2.5, lists are there", 'stroke="#393"', lambda r: r["seconds"]),
]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 20, 20, 50


def run(folder, ridge, device, seconds=30):
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in CASES.items():
        for power in range(12, 25, 2):
            done = subprocess.run([ridge, "bench", *words, "--size", str(2**power), "--device", device, "--repeat", "5",
                                   "--no-roof", "--json"], capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name} of 2^{power}: {done.stderr.strip()}", file=sys.stderr)
                break
            (folder / f"{name}-{2**power}.json").write_text(done.stdout)
            if 16 * 8 * json.loads(done.stdout)[0]["seconds"] > seconds:
                break


def points(folder, name, seconds_of):
    found = []
    for file in folder.glob(f"{name}-*.json"):
        if not file.stem.removeprefix(name + "-").isdigit():
            continue
        (r,) = json.loads(file.read_text())
        assert r["check"]["ok"], file
        found.append((r["size"][0], seconds_of(r), r["device_name"]))
    return sorted(found)


def draw(folder):
    curves = [points(folder, name, seconds_of) for name, _, _, seconds_of in CURVES]
    every = [p for c in curves for p in c]
    x0, x1 = (f(math.log10(p[0]) for p in every) for f in (min, max))
    y0, y1 = math.floor(min(math.log10(p[1]) for p in every)), math.ceil(max(math.log10(p[1]) for p in every))

    def x(n):
        return LEFT + (math.log10(n) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)

    def y(s):
        return TOP + (y1 - math.log10(s)) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for power in range(y0, y1 + 1):
        unit, scale = ("s", 0) if power >= 0 else ("ms", 3) if power >= -3 else ("µs", 6)
        out += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(10**power):.1f}" y2="{y(10**power):.1f}" stroke="#ddd"/>',
                f'<text x="{LEFT - 6}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10**(power + scale):g} {unit}</text>']
    for power in range(math.ceil(x0), math.floor(x1) + 1):
        out += [f'<line x1="{x(10**power):.1f}" x2="{x(10**power):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>',
                f'<text x="{x(10**power):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">10'
                f'<tspan dy="-4" font-size="9">{power}</tspan></text>']
    for row, (curve, (_, label, stroke, _)) in enumerate(zip(curves, CURVES)):
        line = " ".join(f"{x(n):.1f},{y(s):.1f}" for n, s, _ in curve)
        fill = stroke.split()[0].replace("stroke", "fill")
        beside = TOP + 32 + 16 * row
        out += [f'<polyline points="{line}" fill="none" {stroke} stroke-width="2"/>']
        out += [f'<circle cx="{x(n):.1f}" cy="{y(s):.1f}" r="3" {fill}/>' for n, s, _ in curve]
        out += [f'<line x1="{LEFT + 12}" x2="{LEFT + 36}" y1="{beside - 4}" y2="{beside - 4}" {stroke} '
                'stroke-width="2"/>',
                f'<text x="{LEFT + 42}" y="{beside}" {fill}>{label}</text>']
        print(f"{label}: " + ", ".join(f"{n}: {s:.3g} s" for n, s, _ in curve), file=sys.stderr)
    out += [f'<text x="{LEFT + 12}" y="{TOP + 16}">time of one evaluation, {every[0][2]}, fp32</text>',
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">bodies</text>', "</svg>"]
    print("\n".join(out))


if __name__ == "__main__":
    if len(sys.argv) == 7 and sys.argv[1] == "run" and sys.argv[2] == "--ridge" and sys.argv[4] == "--device":
        run(pathlib.Path(sys.argv[6]), sys.argv[3], sys.argv[5])
    elif len(sys.argv) == 3 and sys.argv[1] == "draw":
        draw(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(__doc__)
