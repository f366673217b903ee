"""Killed at any moment, runs lead to snapshots that can be read whole and gone on from, bit by bit."""

import itertools
import os
import pathlib
import random
import re
import signal
import time

import h5py
import numpy as np
import pytest
from conftest import built

KILLS = 12 # and more, up to MOST, where a busy machine lets runs come less far
MOST = 40
STEPS = 12

START = built({
    "nbody": ["nbody", "--plummer", 40, "--precision", "fp64"],
    "md": ["md", "--lattice", 108, "--cutoff", 1.6, "--dt", 0.01],
    "heat": ["evolve", "heat", "in.h5:/u", "--boundary", "x=periodic"],
    "acoustic": ["evolve", "acoustic", "p.h5"],
    "atmosphere": ["atmosphere", "--size", "20x16"],
})
GOES_ON = {name: name in ("heat", "acoustic") for name in START} # in its own files


def words(command, output, steps):
    last = ["--time", 30, "--snapshots", steps] if command == "atmosphere" else ["--steps", steps, "--every", 1]
    return [*START[command], "-o", output, "--device", "cpu", *last]


def all_in(group):
    """All numbers of a snapshot: reads each."""
    found = {name: data[...].tobytes() for name, data in group.items()}
    return {**found, **{name: np.asarray(value).tobytes() for name, value in group.attrs.items() if name not in ("run", "medium")}}  # names of a run and of its file


def snapshots(file):
    """Of a run, by step."""
    with h5py.File(file) as h5:
        return {int(step): all_in(group) for step, group in h5.get("snapshots", h5).items()}


def require_whole(file, right):
    """All that has a name: FILE.h5, the snapshots that it leads to, those that it does not lead to yet, FILE.xdmf."""
    there = snapshots(file) if os.path.exists(file) else {}
    assert there.keys() <= right.keys()
    for step, found in there.items():
        assert found == right[step], step
    stem = file.removesuffix(".h5")
    for name in pathlib.Path(".").glob(f"{stem}.*.h5"):
        step = int(name.name.split(".")[1])
        if step not in there:
            with h5py.File(name) as h5:
                assert all_in(h5) == right[step], name
    if os.path.exists(f"{stem}.xdmf"):
        text = pathlib.Path(f"{stem}.xdmf").read_text()
        assert text.endswith("</Xdmf>\n")
        for name, path in re.findall(r">(\S+\.h5):(/\S+)</DataItem>", text):
            with h5py.File(name) as h5:
                assert h5[path].size > 0
    return max(there, default=None)


@pytest.mark.parametrize("command", START)
def test_killed_at_any_moment(ridge, folder, command):
    values = np.random.default_rng(3).random((6, 7, 8))
    for file, name in (("in.h5", "u"), ("p.h5", "p")):
        with h5py.File(file, "w") as h5:
            h5[name] = values
    ridge.good(*words(command, "straight.h5", STEPS))
    began = time.monotonic()
    ridge.good(*words(command, "warm.h5", STEPS))
    takes = time.monotonic() - began
    right = snapshots("straight.h5")
    assert sorted(right) == list(range(STEPS + 1))
    parts = [0.1 + 0.9 * (part + 0.5) / KILLS for part in range(KILLS)]  # of a run, all over it
    random.Random(5).shuffle(parts)
    moments = itertools.cycle(parts)
    kills, number, last, before, seen = 0, 0, None, None, set()
    while kills < KILLS or (len(seen) < 3 and kills < MOST):
        if last is None or last == STEPS or command == "atmosphere":
            number += 1
            begin = words(command, f"run{number}.h5", STEPS)
        elif GOES_ON[command]:
            begin = ["evolve", "--restart", f"run{number}.h5"]
        else:
            number += 1
            begin = [START[command][0], "--restart", before, "-o", f"run{number}.h5", "--every", 1, "--steps",
                     STEPS - last]
        run = ridge.start(*begin)
        time.sleep(next(moments) * min(takes, 2))
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=60)
        kills += run.returncode == -signal.SIGKILL
        found = require_whole(f"run{number}.h5", right)
        if found is not None:
            last, before = found, f"run{number}.h5"
            seen.add(last)
    assert len(seen) > 2 # that many moments, on a busy machine
