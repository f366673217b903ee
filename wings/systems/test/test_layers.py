"""How much of a wave layers that absorb send back: the table of docs/systems.md, measured."""

import re

import h5py
import numpy as np
import pytest

from conftest import ROOT
from system_runs import evolve, read, write

pytestmark = pytest.mark.usefixtures("folder")

#: System: array that starts, the wave's speed, the medium that is 1, and the step.
WAVES = {"wave": ("u", 1, None, 0.6), "acoustic": ("p", 1, "c", 0.5), "elastic": ("vx", 3**0.5, "rho", 0.3),
         "maxwell": ("ez", 1, "eps", 0.6)}


def table():
    """(system, width, degrees, points a wave): the part that comes back."""
    text = (ROOT / "docs" / "systems.md").read_text()
    lengths = [int(n) for n in re.search(r"^\| points a wave \|(.*)\|$", text, re.M)[1].split("|")]
    rows = re.findall(r"^\| `(\S+)`, (\d+) points(?:, (\d+)°)? \|(.*)\|$", text, re.M)
    assert len(rows) == 8
    return {(system, int(width), int(degrees or 0), length): float(part)
            for system, width, degrees, parts in rows for length, part in zip(lengths, parts.split("|")) if part.strip()}


def comes_back(ridge, system, width, degrees, length):
    """Of the Fourier coefficient of one wave, which is that of a packet before and after a layer; exact for any packet
    that lies within the part looked at."""
    array, speed, medium, dt = WAVES[system]
    angle = np.radians(degrees)
    speed *= np.cos(angle)
    k = 2 * np.pi / length * np.cos(angle)
    start, points = width + 11 * length, width + 45 * length
    x = np.arange(points) - start
    across = np.cos(2 * np.pi * np.arange(round(length / np.sin(angle)) if degrees else 1) * np.sin(angle) / length)
    packet = np.exp(-((x / 1.25 / length) ** 2)) * np.cos(k * x)
    line = system == "wave" and not degrees
    dt = 0.9 if line else dt  # about what --dt auto takes
    fields = {array: packet if line else packet * across[:, None]}
    write(**fields, **({medium: np.ones((len(across), points))} if medium else {}))
    steps = round(5.5 * length / speed / dt)
    words = ("--steps", str(5 * steps), "--every", str(steps), "--dt", str(dt), "--absorb", "x-", "--absorb-width", str(width))
    words += () if line else ("--boundary", "y=periodic")
    if medium:
        evolve(ridge, system, *words)
    else:
        ridge.good("evolve", system, "in.h5:/u", "-o", "out.h5", "--overwrite", "--device", "cpu", "--schedule", "threads=1",
                   *words)

    def part(step, before):
        wave = across @ np.atleast_2d(read(array, step=step))
        return abs(wave[:before] @ np.exp(-1j * k * np.arange(before)))

    return part(5 * steps, width + 27 * length) / part(steps, start)


@pytest.mark.in_turn
@pytest.mark.parametrize("system, degrees", [*((system, 0) for system in WAVES), ("wave", 30), ("acoustic", 30)])
def test_layers_send_back_what_is_said(ridge, monkeypatch, system, degrees):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    said = {case: part for case, part in table().items() if case[0] == system and case[2] == degrees}
    assert said
    for case, part in said.items():
        found = comes_back(ridge, *case)
        assert found == pytest.approx(part, rel=0.1), case
