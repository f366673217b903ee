"""Walls, open faces and forces of lbm-walls: where walls lie, how they move, what the fluid gives to them."""

import h5py
import numpy as np
import pytest

from system_runs import evolve, read, write

pytestmark = pytest.mark.usefixtures("folder")


def forces(file="out.traces.h5"):
    with h5py.File(file) as h5:
        return h5["forces"][...], list(h5["body"][...])


def channel(n, axis=0, places=(0.5, 0.5)):
    """Solids 1 and 2 at both ends of an axis, the distance from walls that far beyond the first fluid points."""
    solid = np.zeros((n + 2, 3))
    solid[0], solid[-1] = 1, 2
    at = np.arange(n + 2.0)
    distance = np.minimum(at - (1 - places[0]), n + places[1] - at)
    spread = np.broadcast_to(distance[:, None], solid.shape)
    return {name: np.ascontiguousarray(np.moveaxis(f, 0, 1 if axis == 0 else 0)) for name, f in
            {"solid": solid, "distance": spread}.items()}  # fmt: skip


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("places", [(0.5, 0.5), (0.25, 0.875), (0.75, 0.125)])
@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
def test_fluid_between_a_wall_that_moves_and_one_at_rest_is_a_line(ridge, axis, places, device):
    n, lid = 5, 0.03
    fields = channel(n, axis, places)
    along = "uy" if axis == 0 else "ux"
    moves = np.where(fields["solid"] == 2, lid, 0)
    write(**fields, **{"wall_" + along: moves}, ux=np.where(fields["solid"] > 0, 0.3, 0))  # not what moves walls
    evolve(ridge, "lbm-walls", "--steps", "900", "--every", "900", "--forces", "--set", "tau=0.9", device=device)
    u = np.moveaxis(read(along), 1 if axis == 0 else 0, 0)
    height = n - 1 + sum(places)
    right = lid * (np.arange(n) + places[0]) / height
    np.testing.assert_allclose(u[1:-1], np.broadcast_to(right[:, None], (n, 3)), atol=1e-6)
    np.testing.assert_array_equal(u[[0, -1]], 0)
    force, bodies = forces()
    assert bodies == [1, 2] and force.shape == (2, 2, 900)
    drag = 0.4 / 3 * lid / height * 3  # viscosity times the slope, on three points
    np.testing.assert_allclose(force[:, 1 if axis == 0 else 0, -1], [drag, -drag], rtol=1e-4)


def rough(shape, seed=2):
    random = np.random.default_rng(seed)
    centre = [(n - 1) / 2 for n in shape]
    at = np.meshgrid(*(np.arange(n) - c for n, c in zip(shape, centre)), indexing="ij")
    distance = np.sqrt(sum(a * a for a in at)) - 2.3
    solid = np.where(distance < 0, 7, (random.random(shape) < 0.1) * 2.0)
    return {"solid": solid, "distance": np.where(solid == 2, -distance, distance), "ux": np.full(shape, 0.04),
            "wall_uy": np.where(solid == 7, 0.02, 0)}  # fmt: skip


@pytest.mark.parametrize("magic", ["0", "0.1875"])
@pytest.mark.parametrize("moves, more", [(0, ()), (0, ("--set", "force_z=-1e-4")), (1, ())])
@pytest.mark.parametrize("anywhere", [False, True])
def test_what_bodies_get_the_fluid_loses(ridge, magic, moves, more, anywhere):
    """Half-way walls at rest keep the mass, and momentum changes by what forces say."""
    shape = (7, 9, 8)
    fields = rough(shape)
    fields["wall_uy"] *= moves
    fields["distance"] *= anywhere
    write(**fields)
    evolve(ridge, "lbm-walls", "--steps", "12", "--every", "1", "--forces", "--set", "tau=0.7", "--set", f"magic={magic}", *more)
    fluid = fields["solid"] == 0
    mass, momentum = [], []
    for step in range(13):
        rho, *u = read("rho", "ux", "uy", "uz", step=step)
        mass.append(rho[fluid].sum())
        momentum.append([(rho * one)[fluid].sum() for one in u])
    if not moves and not anywhere:
        np.testing.assert_allclose(mass, mass[0], rtol=1e-14)
    force, bodies = forces()
    assert bodies == [2, 7]
    body_force = np.array([0, 0, -1e-4 if more else 0]) * fluid.sum()
    # After step n the force is that of step n + 1.
    np.testing.assert_allclose(np.diff(momentum, axis=0)[1:], (body_force[:, None] - force.sum(axis=0)).T[:-1], atol=1e-13)


@pytest.mark.parametrize("device", ["simt:32", "simt:64"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_devices_agree_on_walls_anywhere(ridge, device, dtype):
    write(**{name: f.astype(dtype) for name, f in rough((6, 9, 11)).items()})
    found = []
    for on in ("cpu", device):
        evolve(ridge, "lbm-walls", "--steps", "9", "--every", "9", "--forces", "--set", "magic=0.2", device=on)
        found.append((*read("rho", "ux", "uy", "uz"), forces()[0]))
    exact = 1e-13 if dtype == "f8" else 3e-6
    for one, other in zip(*found):
        np.testing.assert_allclose(one, other, atol=exact)


def test_forces_go_on_after_a_restart_and_over_ranks(ridge, mpi):
    write(**rough((8, 9, 11)))
    evolve(ridge, "lbm-walls", "--steps", "12", "--every", "5", "--forces")
    right, _ = forces()
    evolve(ridge, "lbm-walls", "--steps", "7", "--every", "5", "--forces", out="part.h5")
    ridge.good("evolve", "--restart", "part.h5", "--steps", "5", "--device", "cpu")
    np.testing.assert_array_equal(forces("part.traces.h5")[0], right)
    over = mpi(2, "evolve", "lbm-walls", "in.h5", "-o", "ranks.h5", "--device", "cpu", "--steps", "12", "--every", "5",
               "--forces", "--ranks", "1x1x2")  # fmt: skip
    assert over.code == 0, over.err
    np.testing.assert_allclose(forces("ranks.traces.h5")[0], right, atol=1e-14)


def test_a_fluid_runs_from_an_inlet_to_an_open_face(ridge):
    """A wall that moves lets as much in as leaves through the open face, at the density given there."""
    n, speed, density = 12, 0.02, 1.1
    solid = np.zeros((3, n + 2))
    solid[:, 0], solid[:, -1] = 3, -1
    write(solid=solid, wall_ux=np.where(solid == 3, speed, 0), rho=np.full(solid.shape, density))
    evolve(ridge, "lbm-walls", "--steps", "8000", "--every", "8000")
    rho, ux, uy = (f[:, 1:-1] for f in read("rho", "ux", "uy"))
    np.testing.assert_allclose(rho * ux, density * speed, rtol=1e-3)
    np.testing.assert_allclose(rho, density, rtol=1e-3)
    assert np.abs(uy).max() < 1e-12


def test_walls_move_from_step_to_step(ridge):
    """A plate that turns back is one that moves the other way from there."""
    fields = channel(6)
    write(**fields, wall_uy=np.where(fields["solid"] == 2, 0.03, 0))
    with open("walls.txt", "w") as out:
        out.write("1\n" * 4 + "-1\n" * 5)
    evolve(ridge, "lbm-walls", "--steps", "9", "--every", "4", "--by-step", "walls=walls.txt")
    right = read("uy")
    evolve(ridge, "lbm-walls", "--steps", "4", "--every", "4", out="first.h5")
    ridge.good("evolve", "lbm-walls", "first.h5:/snapshots/0000000004", "-o", "out.h5", "--overwrite", "--steps", "5", "--every",
               "5", "--set", "walls=-1", "--device", "cpu")  # fmt: skip
    np.testing.assert_allclose(read("uy"), right, atol=1e-16)


@pytest.mark.parametrize("fields, options, says", [
    ({"c": 1.0}, ("acoustic", "--forces"), "--forces: acoustic has no bodies; lbm-walls has"),
    ({"solid": 0.0}, ("lbm-walls", "--forces"), "--forces: no point of the start's `solid` is 1 or more beside a fluid"),
    ({"solid": 1.0, "wall_ux": 0.6}, ("lbm-walls",), "'(wall_ux^2 + wall_uy^2 + wall_uz^2)^(1/2)' is 0.6 at point x=0"),
    ({"solid": 1001.0}, ("lbm-walls",), "'solid' is 1001 at point x=0, y=0, z=0, counted from 0; a body's number, 1 to 1000,"),
    ({"solid": 1.0}, ("lbm-walls", "--set", "magic=-1"), "--set magic=-1: 0 or a finite number above it is right for magic"),
    ({"solid": 1.0}, ("lbm-walls", "--forces", "--by-step", "walls=w.txt"), "walls must move alike in all steps"),
])
def test_bad_walls_say_what_is_right(ridge, fields, options, says):
    write(**{name: np.full((4, 5, 6), value) for name, value in fields.items()})
    with open("w.txt", "w") as out:
        out.write("1\n1\n")
    system, *more = options
    ridge.bad("evolve", system, "in.h5", "-o", "out.h5", "--device", "cpu", "--steps", "2", *more, says=says)
