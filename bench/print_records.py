"""Prints a line for each record of files that `ridge bench --json` wrote."""

import json
import sys

for file in sys.argv[1:]:
    for r in json.load(open(file)):
        what = [r["kernel"], r.get("site") or "", "x".join(map(str, r["size"])), r["precision"]]
        if "operations" in r:
            what.append(f'{r["operations"]:.0f} operations')
        rate = f'{r["achieved"] / 1e9:.2f} G{r["achieved_unit"]}'
        fraction = "-" if r["fraction"] is None else f'{r["fraction"]:.3f}'
        gain = f' graph {r["graph_gain"]:.2f}x' if "graph_gain" in r else ""
        check = r["check"] and ("ok" if r["check"]["ok"] else "FAILED")
        more = ""
        if air := r.get("atmosphere"):
            more = (f' {r["seconds"] * 1e6:.2f} us a step, energy {air["energy_change"]:.6e}, '
                    f'mass {air["mass_change"]:.1e}: {air["schedule_x"]} | {air["schedule_z"]}')
        print(f'{" ".join(filter(None, what)):56} {rate:>24}  {r["roof_name"] or ""} {fraction} '
              f'{check or "-"} {r.get("schedule_name") or r["schedule"]}{gain}{more}', flush=True)
