"""Killed at any moment, runs lead to snapshots that can be read whole and gone on from, bit by bit."""

import itertools
import os
import pathlib
import random
import re
import signal

import h5py
import numpy as np
import pytest
from conftest import built

KILLS = 12
MOST = 40  # runs, among them those that have ended before
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
def test_killed_at_any_moment(killed, folder, command):
    values = np.random.default_rng(3).random((6, 7, 8))
    for file, name in (("in.h5", "u"), ("p.h5", "p")):
        with h5py.File(file, "w") as h5:
            h5[name] = values
    straight = killed(0, *words(command, "straight.h5", STEPS))
    assert straight.code == 0, straight.err
    changes = int(straight.err)
    assert changes > 5 * STEPS
    right = snapshots("straight.h5")
    assert sorted(right) == list(range(STEPS + 1))
    parts = [(part + 0.5) / KILLS for part in range(KILLS)]  # of a run's changes, all over it
    random.Random(5).shuffle(parts)
    kills, number, last, before, seen = 0, 0, None, None, set()
    for part in itertools.islice(itertools.cycle(parts), MOST):
        if last is None or last > STEPS - 3 or command == "atmosphere":
            number += 1
            begin, left = words(command, f"run{number}.h5", STEPS), STEPS
        elif GOES_ON[command]:
            begin, left = ["evolve", "--restart", f"run{number}.h5"], STEPS - last
        else:
            number += 1
            begin, left = [START[command][0], "--restart", before, "-o", f"run{number}.h5", "--every", 1, "--steps",
                           STEPS - last], STEPS - last
        run = killed(1 + int(part * changes * left / STEPS), *begin)
        assert run.code in (0, -signal.SIGKILL), run.err
        kills += run.code == -signal.SIGKILL
        found = require_whole(f"run{number}.h5", right)
        if found is not None:
            last, before = found, f"run{number}.h5"
            seen.add(last)
        if kills == KILLS:
            break
    assert kills == KILLS
    assert len(seen) > 3
