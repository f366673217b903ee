"""Gradients of sweeps over ranks: the bits of one rank."""

import pytest
from test_ranks import HEAT, MPIRUN, run

pytestmark = pytest.mark.skipif(MPIRUN is None, reason="there is no mpirun here")

KERNELS = HEAT + """
@ridge.stencil
def wave(u, before, c, dt):  # not linear; of its coefficient at a distance; two points away along x
    return 2*u[0, 0] - before[0, 0] + dt*c[0, 1]*u[0, 1]*u[0, -2] - dt*c[-1, 0]*u[1, 0]

def same(kernel, arrays, weights, options, by=None, **call):
    over, alone = ridge.sweeps(kernel, points=arrays[0].shape, **options), ridge.sweeps(kernel, **options)
    mine = over.mine
    cut = [a[mine].copy() for a in (*arrays, *weights)]
    found, right = ridge.grad(over, by=by), ridge.grad(alone, by=by)
    n = len(arrays)
    several = len(weights) > 1
    left = found(*cut[:n], tuple(cut[n:]) if several else cut[n], **call)
    for name, a, b in zip(right.by, left, right(*arrays, weights if several else weights[0], **call)):
        assert np.array_equal(a, b if isinstance(b, float) else b[mine]), (options, name, mine)
    return found.plan, right.plan

rng = np.random.default_rng(2)
cubes = rng.standard_normal((2, *whole.shape))
flat = rng.standard_normal((5, 12, 21))
"""
CALLS = KERNELS + """
for boundary in ("periodic", "x=periodic,y-=dirichlet:1,y+=mirror,z=neumann:0.5", "z=mirror"):
    same(heat, [cubes[0]], (cubes[1],), {"boundary": boundary}, steps=5, rate=0.1)
for boundary in ("periodic", "untouched", "x=neumann:0.5,y-=dirichlet:1"):
    options = {"boundary": boundary, "levels": 2}
    plans = same(wave, list(flat[:3]), (flat[3], flat[4]), options, ("u", "before", "c", "dt"), steps=7, dt=0.01)
    assert plans[0]["again"] == plans[1]["again"] > 0, plans
sys.stdout.write("right\\n")
"""


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_gradients_of_sweeps_have_the_bits_of_one_rank(ranks):
    done = run(ranks, "-c", CALLS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["right"] * ranks


def test_fp32_and_an_emulated_gpu():
    done = run(2, "-c", KERNELS + """
u, w = cubes.astype("f4")
same(heat, [u], (w,), {"boundary": "periodic"}, steps=3, rate=0.1, device="simt:32")
sys.stdout.write("right\\n")
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["right"] * 2


def test_what_a_rank_does_not_own_is_refused():
    done = run(4, "-c", KERNELS + """
for wrong in (lambda: ridge.grad(ridge.sweeps(wave, levels=2, points=(3, 12))),
              lambda: ridge.grad(ridge.sweeps(heat, points=whole.shape))(whole, whole, steps=1, rate=0.1)):
    try:
        wrong()
    except ridge.UsageError as e:
        if ridge.ranks().rank == 0:
            print(e)
""")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "a rank owns 3 points, and a step back reads 4 of a neighbour's; take fewer ranks" in lines[0]
    assert "u has the shape (13, 9, 17); this rank owns (" in lines[1]


def test_torch_over_ranks():
    pytest.importorskip("torch")
    done = run(2, "-c", KERNELS + """
import torch

def backward(in_time, mine):
    u, before, c, w = (torch.from_dlpack(a[mine].copy()) for a in flat[:4])
    dt = torch.tensor(0.01, dtype=torch.float64)
    given = [x.requires_grad_() for x in (u, before, c, dt)]
    (in_time(u, before, c, steps=7, dt=dt)[0] * w).sum().backward()
    return [np.from_dlpack(x.grad) for x in given]

options = {"boundary": "x=neumann:0.5,y-=dirichlet:1", "levels": 2}
over = ridge.sweeps(wave, points=flat[0].shape, **options)
found, right = backward(over, over.mine), backward(ridge.sweeps(wave, **options), slice(None))
assert all(np.array_equal(a, b[over.mine] if b.ndim else b) for a, b in zip(found, right))
sys.stdout.write("right\\n")
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["right"] * 2
