#!/usr/bin/env python3
"""Draws how near the tuner and random search have come to the best of the whole space after each measurement,
from the folder that bench/tune.sh filled: a picture with one chart a case, as SVG on standard output. Random
search draws from what was measured; its curve is the median of a few hundred.

Usage: tune_curves.py FOLDER
"""

import html
import itertools
import math
import random
import statistics
import sys

import tune_cases

WIDTH, HEIGHT, COLUMNS = 260, 170, 4
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 26, 26
MOST = 1.5  # times the best; what is slower is drawn at the edge
SEARCHES = 301
STYLES = {"random": "#b45309", "guided": "#1d4ed8"}


def best_so_far(times, best):
    """Of each time, in order, how many times the best's the least so far is."""
    return [least / best for least in itertools.accumulate(times, min)]


def at_random(seconds, measured, best):
    """The same of random search: after each measurement the median of a few hundred searches."""
    dice = random.Random(1)
    times = list(seconds)
    searches = [best_so_far(dice.sample(times, min(measured, len(times))), best) for _ in range(SEARCHES)]
    return [statistics.median(after) for after in zip(*searches)]


def curves_of(cases):
    """Of each case its name and, by search, its curve. Times are those of the run over the whole space,
    as far as it has them."""
    for name, case in cases.tuned.items():
        seconds = cases.seconds[name]
        best = seconds[case["best"]]
        guided = [seconds.get(row, microseconds / 1e6) for row, microseconds in case["tuner"]["trials"]]
        yield name, {"random": at_random(seconds.values(), len(guided), best), "guided": best_so_far(guided, best)}


def place(measured, times, most_measured):
    """In a chart, of the fastest after so many measurements."""
    x = LEFT + (WIDTH - LEFT - RIGHT) * math.log(measured) / math.log(max(most_measured, 2))
    y = TOP + (HEIGHT - TOP - BOTTOM) * (MOST - min(times, MOST)) / (MOST - 1)
    return x, y


def chart(case, curves):
    most = max(len(curve) for curve in curves.values())
    parts = [f'<text x="{LEFT}" y="16" font-weight="bold">{html.escape(case)}</text>']
    for times in (1, 1.05, 1.25, 1.5):
        _, y = place(1, times, most)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d4d4d4"/>'
                     f'<text x="{LEFT - 4}" y="{y + 4:.1f}" text-anchor="end">{times:g}</text>')
    for measured in (1, 10, 100, 1000):
        if measured <= most:
            x, _ = place(measured, 1, most)
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{measured}</text>')
    for kind, curve in curves.items():
        points = [place(i + 1, times, most) for i, times in enumerate(curve)]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="{path}" fill="none" stroke="{STYLES[kind]}" stroke-width="2" class="{kind}"/>')
    return parts


def picture(all_cases):
    all_cases = list(all_cases)
    if not all_cases:
        raise SystemExit("no case is complete: run bench/tune.sh first")
    rows = math.ceil(len(all_cases) / COLUMNS)
    width, height = WIDTH * min(COLUMNS, len(all_cases)), HEIGHT * rows + 24
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="sans-serif" font-size="11">',
             "<title>The fastest schedule so far, in times of the best of the space, after each measurement"
             "</title>", f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, (case, curves) in enumerate(all_cases):
        lines += [f'<g transform="translate({WIDTH * (i % COLUMNS)} {HEIGHT * (i // COLUMNS)})">',
                  *chart(case, curves), "</g>"]
    legend = "".join(f'<tspan fill="{colour}">{kind}  </tspan>' for kind, colour in reversed(STYLES.items()))
    lines += [f'<text x="{LEFT}" y="{height - 8}">{legend}</text>', "</svg>"]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(picture(curves_of(tune_cases.Cases(sys.argv[1]))))
