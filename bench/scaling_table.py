#!/usr/bin/env python3
"""Weak and strong efficiencies of what bench/scaling.sh left in a folder, beside what was predicted.

scaling_table.py RESULTS [PREDICTED.json]               a table of all
scaling_table.py RESULTS PREDICTED.json --markdown      the efficiencies alone, for a document
scaling_table.py RESULTS PREDICTED.json --plot          a drawing of them, SVG on standard output

PREDICTED.json has seconds, or efficiencies, by name and ranks: see bench/scaling_predict.py.
"""

import json
import pathlib
import sys

WORDS = {"laplacian": "Laplacian, order 2", "laplacian8": "Laplacian, order 8", "diffusion": "diffusion",
         "heat-sweeps1": "heat, single sweeps", "heat-sweeps4": "heat, passes of four sweeps",
         "norm2": "norm of a lattice field", "residual": "norm of a residual",
         "residual-reproducible": "norm of a residual, reproducible", "bodies": "262144 bodies", "large": "Laplacian, 1024³"}


def read(folder):
    """Records by name and ranks."""
    found = {}
    for file in sorted(pathlib.Path(folder).glob("*-[0-9].json")):
        name, ranks = file.stem.rsplit("-", 1)
        records = json.loads(file.read_text())
        if isinstance(records, list) and "seconds" in records[0] and name != "bits":
            found.setdefault(name, {})[int(ranks)] = records[0]
    return found


def efficiency(name, seconds, ranks):
    """Of one rank with its share (weak), or with all, divided by the ranks (strong); none for grids."""
    if 1 not in seconds:
        return None
    ratio = seconds[1] / seconds[ranks]
    return ratio if name.startswith("weak") else ratio / ranks


def predicted_efficiency(predicted, name, ranks):
    said = predicted.get("efficiencies", {}).get(name, {}).get(str(ranks))
    if said:
        return said
    seconds = {int(r): s for r, s in predicted.get("seconds", {}).get(name, {}).items()}
    return efficiency(name, seconds, ranks) if ranks in seconds else None


def title(name):
    kind, rest = name.split("-", 1)
    kernel, _, precision = rest.rpartition("-")
    return kind, f"{WORDS.get(kernel, kernel)}, {precision}"


def rows(found, predicted):
    """Kind, title, and by ranks what was measured and predicted; the best last in each kind."""
    made = []
    for name, records in found.items():
        seconds = {ranks: r["seconds"] for ranks, r in records.items()}
        if 1 not in seconds or len(seconds) < 2:
            continue
        kind, words = title(name)
        by_ranks = {ranks: (efficiency(name, seconds, ranks), predicted_efficiency(predicted, name, ranks))
                    for ranks in sorted(seconds) if ranks > 1}
        made.append((kind, words, seconds[1], by_ranks))
    return sorted(made, key=lambda row: (row[0] != "weak", -row[3][max(row[3])][0]))


def table(found, predicted):
    print(f"{'what':34} {'GPUs':>4} {'grid':>7} {'step, us':>10} {'efficiency':>10} {'predicted, us':>13} {'off':>6}")
    for name, records in found.items():
        for ranks, r in sorted(records.items()):
            share = efficiency(name, {n: one["seconds"] for n, one in records.items()}, ranks)
            guess = predicted.get("seconds", {}).get(name, {}).get(str(ranks))
            print(f"{name:34} {ranks:4} {r.get('rank_grid', ''):>7} {r['seconds'] * 1e6:10.1f} "
                  + (f"{share:10.3f}" if share else " " * 10)
                  + (f" {guess * 1e6:13.1f} {100 * (guess / r['seconds'] - 1):+5.1f}%" if guess else ""))


def markdown(found, predicted):
    counts = sorted({ranks for records in found.values() for ranks in records if ranks > 1 and 1 in records})
    print("| | | one GPU | " + " | ".join(f"{n} GPUs | predicted" for n in counts) + " |")
    print("|---|---|---|" + "---|---|" * len(counts))
    for kind, words, one, by_ranks in rows(found, predicted):
        cells = []
        for n in counts:
            got, said = by_ranks.get(n, (None, None))
            cells += [f"{got:.3f}" if got else "", f"{said:.3f}" if said else ""]
        step = f"{one * 1e6:.1f} us" if one < 1e-3 else f"{one * 1e3:.2f} ms"
        print(f"| {kind} | {words} | {step} | " + " | ".join(cells) + " |")


def plot(found, predicted):
    """A line for each case: efficiencies of 2, 4, ... GPUs as filled circles that grow, predictions as rings."""
    width, left, right, line, top = 860, 285, 30, 24, 58
    low, high = 0.82, 1.01
    all_rows = rows(found, predicted)
    counts = sorted({n for *_, by_ranks in all_rows for n in by_ranks})
    height = top + line * (len(all_rows) + 2) + 40
    at = lambda e: left + (width - left - right) * (max(min(e, high), low) - low) / (high - low)
    colours = {n: c for n, c in zip(counts, ("#60a5fa", "#1d4ed8", "#172554"))}
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="13">', f'<rect width="{width}" height="{height}" fill="white"/>']
    x = left
    for n in counts:
        out.append(f'<circle cx="{x}" cy="20" r="5.5" fill="{colours[n]}"/><text x="{x + 11}" y="24.5">{n} GPUs</text>')
        x += 90
    out.append(f'<circle cx="{x}" cy="20" r="5.5" fill="none" stroke="#b45309" stroke-width="2"/>'
               f'<text x="{x + 11}" y="24.5">predicted for {counts[-1]}, before the run</text>')
    bottom = height - 40
    for k in range(82, 101, 2):
        e = k / 100
        out.append(f'<path d="M{at(e):.1f} {top - 12}V{bottom}" stroke="{"#888" if k == 100 else "#ddd"}"/>'
                   f'<text x="{at(e):.1f}" y="{bottom + 17}" text-anchor="middle">{e:.2f}</text>')
    out.append(f'<text x="{at((low + high) / 2):.1f}" y="{bottom + 34}" text-anchor="middle">efficiency</text>')
    y, kind = top, None
    for row_kind, words, _, by_ranks in all_rows:
        if row_kind != kind:
            kind = row_kind
            said = "the same share on each GPU" if kind == "weak" else "the same problem on all"
            out.append(f'<text x="12" y="{y + 4}" font-weight="bold">{kind}: {said}</text>')
            y += line
        out.append(f'<path d="M{left} {y}H{width - right}" stroke="#eee"/><text x="24" y="{y + 4}">{words}</text>')
        for n, (got, said) in by_ranks.items():
            out.append(f'<circle cx="{at(got):.1f}" cy="{y}" r="5.5" fill="{colours[n]}"/>')
            if said and n == counts[-1]:
                out.append(f'<circle cx="{at(said):.1f}" cy="{y}" r="7.5" fill="none" stroke="#b45309" stroke-width="2"/>')
        y += line
    print("\n".join(out + ["</svg>"]))


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    found = read(words[0])
    predicted = json.loads(pathlib.Path(words[1]).read_text()) if len(words) > 1 else {}
    (plot if "--plot" in sys.argv else markdown if "--markdown" in sys.argv else table)(found, predicted)
    bad = [f"{name} on {ranks}" for name, records in found.items() for ranks, r in records.items()
           if r.get("check") and not r["check"]["ok"]]
    if bad:
        sys.exit("checks failed: " + ", ".join(bad))


if __name__ == "__main__":
    main()
