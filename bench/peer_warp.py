"""What bench/python_peers.py writes in Warp: a sweep and gravity, a thread a point or a target."""

import torch
import warp as wp

wp.config.quiet = True
wp.init()  # by itself it is only once a kernel is launched, and arrays of torch come before that
__version__ = wp.__version__


@wp.kernel(enable_backward=False)
def _sweep(a: wp.array(dtype=wp.float64, ndim=3), b: wp.array(dtype=wp.float64, ndim=3), rate: wp.float64):
    z, y, x = wp.tid()
    if (x > 0 and y > 0 and z > 0 and x < a.shape[2] - 1 and y < a.shape[1] - 1 and z < a.shape[0] - 1):
        b[z, y, x] = a[z, y, x] + rate * (
            a[z, y, x + 1] + a[z, y, x - 1] + a[z, y + 1, x] + a[z, y - 1, x]
            + a[z + 1, y, x] + a[z - 1, y, x] - wp.float64(6.0) * a[z, y, x])


@wp.kernel(enable_backward=False)
def _gravity(bodies: wp.array(dtype=wp.float32, ndim=2), sums: wp.array(dtype=wp.float32, ndim=2), eps2: wp.float32):
    t = wp.tid()
    at = wp.vec3(bodies[0, t], bodies[1, t], bodies[2, t])
    f = wp.vec3(0.0, 0.0, 0.0)
    for s in range(bodies.shape[1]):
        d = wp.vec3(bodies[0, s], bodies[1, s], bodies[2, s]) - at
        w = 1.0 / wp.sqrt(wp.dot(d, d) + eps2)
        f += (bodies[3, s] * w * w * w) * d
    sums[0, t] = f[0]
    sums[1, t] = f[1]
    sums[2, t] = f[2]


def _device(tensor):
    return f"cuda:{tensor.device.index}"


def stencil(u, rate):
    given = wp.from_torch(u)
    kept = {}

    def sweep(out):
        to = kept.setdefault(out.data_ptr(), wp.from_torch(out))
        wp.launch(_sweep, dim=tuple(u.shape), inputs=[given, to, rate], device=_device(u))

    return sweep


def gravity(bodies, eps2):
    """The sums of all bodies on each, (3, bodies)."""
    sums = torch.zeros_like(bodies[:3])
    given, to = wp.from_torch(bodies), wp.from_torch(sums)

    def run():
        wp.launch(_gravity, dim=bodies.shape[1], inputs=[given, to, eps2], device=_device(bodies))
        return sums

    return run
