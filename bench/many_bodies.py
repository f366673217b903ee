#!/usr/bin/env python3
"""Time of forces against the number of bodies: over all pairs, by a tree and within a cutoff.

    python bench/many_bodies.py run --ridge build/ridge --device cuda:0 FOLDER      # records, a file each
    python bench/many_bodies.py draw FOLDER > docs/many_bodies.svg                  # and a table on stderr

Gravity in fp32 over all pairs and by a tree of theta 0.75 (Plummer's sphere, all rebuilt), Lennard-Jones within 2.5 at
density 0.8442 (forces and energies; lists are there). Every record is checked in its run."""

import json
import math
import pathlib
import subprocess
import sys

CASES = {
    "pairs": (["gravity"], "gravity, all pairs", "#b33"),
    "tree": (["gravity-tree", "--theta", "0.75"], "gravity by a tree, θ 0.75, rebuilt", "#27a"),
    "near": (["lennard-jones", "--cutoff", "2.5"], "Lennard-Jones within 2.5", "#393"),
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 20, 20, 50


def run(folder, ridge, device, seconds=30):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (words, _, _) in CASES.items():
        for power in range(12, 25, 2):
            done = subprocess.run([ridge, "bench", *words, "--size", str(2**power), "--device", device, "--repeat", "5",
                                   "--no-roof", "--json"], capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name} of 2^{power}: {done.stderr.strip()}", file=sys.stderr)
                break
            (folder / f"{name}-{2**power}.json").write_text(done.stdout)
            if 16 * 8 * json.loads(done.stdout)[0]["seconds"] > seconds:
                break


def points(folder, name):
    found = []
    for file in folder.glob(f"{name}-*.json"):
        if not file.stem.removeprefix(name + "-").isdigit():
            continue
        (r,) = json.loads(file.read_text())
        assert r["check"]["ok"], file
        found.append((r["size"][0], r["seconds"], r["device_name"]))
    return sorted(found)


def draw(folder):
    curves = {name: points(folder, name) for name in CASES}
    every = [p for c in curves.values() for p in c]
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
    for row, (name, (_, label, colour)) in enumerate(CASES.items()):
        line = " ".join(f"{x(n):.1f},{y(s):.1f}" for n, s, _ in curves[name])
        out += [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>']
        out += [f'<circle cx="{x(n):.1f}" cy="{y(s):.1f}" r="3" fill="{colour}"/>' for n, s, _ in curves[name]]
        out += [f'<text x="{LEFT + 12}" y="{TOP + 16 + 16 * row}" fill="{colour}">{label}</text>']
        print(f"{label}: " + ", ".join(f"{n}: {s:.3g} s" for n, s, _ in curves[name]), file=sys.stderr)
    device = every[0][2]
    out += [f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">bodies; one evaluation on '
            f'{device}, fp32</text>', "</svg>"]
    print("\n".join(out))


if __name__ == "__main__":
    if len(sys.argv) == 7 and sys.argv[1] == "run" and sys.argv[2] == "--ridge" and sys.argv[4] == "--device":
        run(pathlib.Path(sys.argv[6]), sys.argv[3], sys.argv[5])
    elif len(sys.argv) == 3 and sys.argv[1] == "draw":
        draw(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(__doc__)
