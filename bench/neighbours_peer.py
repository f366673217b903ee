#!/usr/bin/env python3
"""`ridge.neighbours` beside SciPy's cKDTree: the same pairs, and seconds of the processor on one core.

    OMP_NUM_THREADS=1 python bench/neighbours_peer.py [bodies]

Bodies are uniform in a periodic cube at density 0.8442; the cutoff is 2.5. Exits with 1 where pairs differ."""

import sys
import time

import numpy as np
from scipy.spatial import cKDTree

import ridge


def least(run, times=3):
    seconds = []
    for _ in range(times):
        begin = time.process_time()
        found = run()
        seconds.append(time.process_time() - begin)
    return min(seconds), found


def main():
    bodies = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    edge = (bodies / 0.8442) ** (1 / 3)
    x = np.random.default_rng(1).uniform(0, edge, (3, bodies))
    ours, pairs = least(lambda: ridge.neighbours(x, 2.5, box=edge, device="cpu"))
    lines = np.ascontiguousarray(x.T)
    theirs, found = least(lambda: cKDTree(lines, boxsize=edge).query_pairs(2.5, output_type="ndarray"))
    found = found[np.lexsort((found[:, 1], found[:, 0]))]
    same = np.array_equal(pairs, found)
    print(f"{bodies} bodies, {len(pairs)} pairs: ridge {ours:.3f} s in order, SciPy {theirs:.3f} s; the pairs "
          f"{'are the same' if same else 'DIFFER'}")
    return not same


if __name__ == "__main__":
    sys.exit(main())
