"""Faces of elastic waves without traction: each as the others, on each device, and where there is none."""

import numpy as np
import pytest

from system_runs import evolve, read, write

pytestmark = pytest.mark.usefixtures("folder")

VELOCITIES = ("vx", "vy", "vz")
SHAPE = (11, 12, 10)  # x, y, z


def start():
    random = np.random.default_rng(4)
    fields = {name: random.random(SHAPE) - 0.5 for name in VELOCITIES}
    fields["vy"][:, -1] = 0  # on the wall of the mirror
    return fields | {"rho": 1 + random.random(SHAPE), "mu": random.random(SHAPE), "lambda": 2 * random.random(SHAPE)}


def turned(name, field, axis, high):
    """A field of a run whose free face is y-, as the run has it whose free face is another."""
    swapped = np.swapaxes(field, 1, axis)
    if not high:
        return swapped
    flipped = np.flip(swapped, axis)
    return -np.roll(flipped, -1, axis) if name == "vy" else flipped


def name_there(name, axis):
    """vy lies along the normal of the face."""
    if name not in VELOCITIES:
        return name
    other = {1: axis, axis: 1}
    own = VELOCITIES.index(name)
    return VELOCITIES[other.get(own, own)]


def after(ridge, fields, face, device="cpu"):
    write(**{name: np.ascontiguousarray(f.T) for name, f in fields.items()})
    evolve(ridge, "elastic", "--steps", "30", "--every", "30", "--dt", "0.15", "--boundary", f"{face}=free",
           "--spacing", "1.1", device=device)  # fmt: skip
    return {name: read(name).T for name in VELOCITIES}


def test_faces_are_alike(ridge):
    fields = start()
    right = after(ridge, fields, "y-")
    assert np.abs(right["vx"]).max() > 0.1
    for axis, face in enumerate("xyz"):
        for high, sign in enumerate("-+"):
            there = {name_there(name, axis): turned(name, f, axis, high) for name, f in fields.items()}
            found = after(ridge, there, face + sign)
            for name in VELOCITIES:
                ours = found[name_there(name, axis)]
                known = turned(name, right[name], axis, high)
                if high and name == "vy":  # its last point lies beyond the face
                    ours, known = (np.delete(f, -1, axis) for f in (ours, known))
                np.testing.assert_allclose(ours, known, atol=1e-12, err_msg=f"{face}{sign} {name}")


@pytest.mark.parametrize("device", ["simt:32", "simt:64"])
def test_gpus_set_them_too(ridge, device):
    fields = start()
    right, found = (after(ridge, fields, "z+", one) for one in ("cpu", device))
    for name in VELOCITIES:
        np.testing.assert_allclose(found[name], right[name], atol=1e-13)


def test_a_plate_is_as_stiff_as_a_plate(ridge):
    """A long wave in it has the speed of plane stress, 4 mu (lambda + mu) / (lambda + 2 mu) over rho: not P's."""
    ny, nx = 5, 128
    x = 2 * np.pi * np.arange(nx) / nx
    shape = (ny, nx)
    speed = np.sqrt(4 * 0.5 * 1.5 / 2)  # lambda 1, mu 0.5
    steps = 400
    write(vx=np.broadcast_to(np.sin(x + np.pi / nx), shape), mu=np.full(shape, 0.5), **{"lambda": np.ones(shape)})
    evolve(ridge, "elastic", "--steps", str(steps), "--every", str(steps), "--dt", f"{float(nx / 4 / speed / steps)!r}",
           "--boundary", "x=periodic,y=free")  # fmt: skip
    # A quarter of a period: all is in the stress.
    assert np.abs(read("vx")).max() < 0.02
    assert np.abs(read("sxx")).max() == pytest.approx(speed, rel=0.02)


@pytest.mark.parametrize("system, words, says", [
    ("acoustic", ("y-=free",), "y-=free is of elastic; a free face of acoustic is another condition"),
    ("elastic", ("vx.y-=free",), "free is for all arrays"),
    ("elastic", ("y-=free,sxy.y-=mirror",), "one has another condition at y-"),
    ("elastic", ("y-=free", "--store-as", "fp16"), "runs in fp32 and fp64"),
    ("elastic", ("y-=free:1",), "free takes no number"),
])  # fmt: skip
def test_what_is_refused(ridge, system, words, says):
    write(rho=np.ones((8, 8), np.float32))
    ridge.bad("evolve", system, "in.h5", "-o", "out.h5", "--steps", 2, "--device", "cpu", "--boundary", *words, says=says)
