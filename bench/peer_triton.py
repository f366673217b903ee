"""What bench/python_peers.py writes in Triton: a sweep in blocks of rows, and gravity in blocks of targets and
sources. Triton tunes the blocks itself."""

import torch
import triton
import triton.language as tl

__version__ = triton.__version__


@triton.autotune(configs=[triton.Config({"X": x, "Y": y}, num_warps=w)
                          for x in (64, 128, 256) for y in (1, 2, 4) for w in (4, 8)], key=["nx", "ny", "nz"])
@triton.jit
def _sweep(a, b, rate, nx, ny, nz, X: tl.constexpr, Y: tl.constexpr):
    x = tl.program_id(0) * X + tl.arange(0, X)[None, :]
    y = tl.program_id(1) * Y + tl.arange(0, Y)[:, None]
    z = tl.program_id(2) + 1
    inside = (x > 0) & (x < nx - 1) & (y > 0) & (y < ny - 1)
    at = (z * ny + y).to(tl.int64) * nx + x
    r = tl.load(rate)  # a number of Triton's arguments would be in single precision
    u = tl.load(a + at, mask=inside)
    around = (tl.load(a + at + 1, mask=inside) + tl.load(a + at - 1, mask=inside)
              + tl.load(a + at + nx, mask=inside) + tl.load(a + at - nx, mask=inside)
              + tl.load(a + at + nx * ny, mask=inside) + tl.load(a + at - nx * ny, mask=inside))
    tl.store(b + at, u + r * (around - 6 * u), mask=inside)


def stencil(u, rate):
    nz, ny, nx = u.shape
    number = torch.tensor([rate], dtype=u.dtype, device=u.device)

    def grid(block):
        return triton.cdiv(nx, block["X"]), triton.cdiv(ny, block["Y"]), nz - 2

    return lambda out: _sweep[grid](u, out, number, nx, ny, nz)


@triton.autotune(configs=[triton.Config({"T": t, "S": s}, num_warps=w)
                          for t in (64, 128) for s in (16, 32, 64) for w in (4, 8)], key=["n"])
@triton.jit
def _gravity(bodies, sums, n, eps2, T: tl.constexpr, S: tl.constexpr):
    t = tl.program_id(0) * T + tl.arange(0, T)
    tx = tl.load(bodies + t, mask=t < n)[:, None]
    ty = tl.load(bodies + n + t, mask=t < n)[:, None]
    tz = tl.load(bodies + 2 * n + t, mask=t < n)[:, None]
    fx = tl.zeros((T,), tl.float32)
    fy = tl.zeros((T,), tl.float32)
    fz = tl.zeros((T,), tl.float32)
    for first in range(0, n, S):
        s = first + tl.arange(0, S)
        dx = tl.load(bodies + s, mask=s < n)[None, :] - tx
        dy = tl.load(bodies + n + s, mask=s < n)[None, :] - ty
        dz = tl.load(bodies + 2 * n + s, mask=s < n)[None, :] - tz
        mass = tl.load(bodies + 3 * n + s, mask=s < n, other=0.0)[None, :]
        w = tl.rsqrt(dx * dx + dy * dy + dz * dz + eps2)
        f = mass * w * w * w
        fx += tl.sum(f * dx, axis=1)
        fy += tl.sum(f * dy, axis=1)
        fz += tl.sum(f * dz, axis=1)
    tl.store(sums + t, fx, mask=t < n)
    tl.store(sums + n + t, fy, mask=t < n)
    tl.store(sums + 2 * n + t, fz, mask=t < n)


def gravity(bodies, eps2):
    """The sums of all bodies on each, (3, bodies)."""
    n = bodies.shape[1]
    sums = torch.zeros_like(bodies[:3])

    def run():
        _gravity[lambda block: (triton.cdiv(n, block["T"]),)](bodies, sums, n, eps2)
        return sums

    return run
