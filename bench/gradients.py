"""Gradients beside their forward runs, in turn, with the targets that were set, and JAX's own gradient of the same.

    python bench/gradients.py [--device cuda:0] [--size 512] [--bodies 65536] [--json FILE] [--only ROW]

A row's figure is the median of the gradient's time over the forward run's in the same process. Arrays are torch's on a
GPU, NumPy's on a cpu. A peer that is not installed is said and left out.
"""

import argparse
import json
import time

import numpy as np
from python_peers import in_turn, seconds

import ridge

TARGETS = {"heat": 1.03, "diffusion": 2.1, "wave8": 3.4, "gravity": 3, "lennard-jones": 2.5, "torch call, us": 25}
C8 = [-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]


def laplacian8(u):
    def ring(i):
        return u[0, 0, i] + u[0, 0, -i] + u[0, i, 0] + u[0, -i, 0] + u[i, 0, 0] + u[-i, 0, 0]

    return 3 * C8[0] * u[0, 0, 0] + sum(C8[i] * ring(i) for i in range(1, 5))


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


@ridge.stencil
def diffusion(u, k):
    return sum((k[0, 0, 0] + k[d]) * (u[d] - u[0, 0, 0]) / 2
               for d in ((0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0)))  # fmt: skip


@ridge.stencil
def wave8(u, before, c2):
    return 2 * u[0, 0, 0] - before[0, 0, 0] + c2[0, 0, 0] * laplacian8(u)


@ridge.pairs(targets=3, sources=4, sums=3)
def gravity(t, s, eps2):
    d = [s[i] - t[i] for i in range(3)]
    w = ridge.rsqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + eps2)
    return [s[3] * w * w * w * x for x in d]


@ridge.pairs(targets=3, sources=3, sums=1)
def lennard_jones(t, s):
    d = [s[i] - t[i] for i in range(3)]
    w = 1 / (d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
    w3 = w * w * w
    return [2 * (w3 * w3 - w3)]


def jax_gradient(step, arrays, weights):
    """Forward and gradient of sum(step(*arrays) * weights) by JAX on its own device, periodic."""
    import jax

    held = [jax.numpy.asarray(a) for a in arrays]
    loss = jax.jit(jax.grad(lambda *a: (step(jax.numpy, *a) * weights).sum(), argnums=tuple(range(len(held)))))
    return lambda: jax.block_until_ready(loss(*held))


def rolled_heat(xp, u):
    return u + 0.1 * (sum(xp.roll(u, s, a) for a in range(3) for s in (1, -1)) - 6 * u)


def rolled_diffusion(xp, u, k):
    return sum((k + xp.roll(k, s, a)) * (xp.roll(u, s, a) - u) / 2 for a in range(3) for s in (1, -1))


class Bench:
    def __init__(self, options):
        self.options, self.rows = options, []
        self.rng = np.random.default_rng(7)
        self.gpu = options.device.startswith("cuda")
        if self.gpu:
            import torch

            self.torch, self.settle = torch, torch.cuda.synchronize
        else:
            self.settle = lambda: None

    def random(self, *shape, dtype=np.float32):
        a = self.rng.random(shape, dtype=np.float64).astype(dtype)
        return self.torch.from_numpy(a).to(self.options.device) if self.gpu else a

    def row(self, name, forward, gradient, peer=None):
        """Times both; `peer` makes what takes the gradient elsewhere."""
        found = in_turn(forward, gradient, 5, self.settle)
        row = {"row": name, "forward_seconds": found["ridge_seconds"], "gradient_seconds": found["peer_seconds"],
               "ratio": found["ratio"], "target": TARGETS.get(name)}  # fmt: skip
        text = f"{name:16}{row['forward_seconds'] * 1e3:10.3f} ms{row['gradient_seconds'] * 1e3:10.3f} ms"
        text += f"{row['ratio']:8.2f}"
        text += f"   target {row['target']}" if row["target"] else ""
        if peer:
            try:
                row["jax_seconds"] = seconds(peer(), lambda: None)
                text += f"   JAX {row['jax_seconds'] * 1e3:.3f} ms"
            except ImportError as missing:
                text += f"   no JAX: {missing}"
        print(text, flush=True)
        self.rows.append(row)

    def stencils(self):
        n, on = self.options.size, {"device": self.options.device}
        for kernel, numbers, fields, same in (heat, {"rate": 0.1}, 1, rolled_heat), (diffusion, {}, 2, rolled_diffusion):
            *arrays, w, out = (self.random(n, n, n, dtype=np.float64) for _ in range(fields + 2))
            backs = tuple(self.random(n, n, n, dtype=np.float64) for _ in range(fields))
            gradient = ridge.grad(kernel)
            self.row(kernel.__name__, lambda: kernel(*arrays, out=out, **numbers, **on),
                     lambda: gradient(*arrays, w, out=backs, **numbers, **on), lambda: self.in_jax(same, arrays, w))

    def in_jax(self, rolled, arrays, w):
        import jax

        jax.config.update("jax_enable_x64", True)
        *held, weights = (np.asarray(a.cpu() if self.gpu else a) for a in (*arrays, w))
        return jax_gradient(rolled, held, weights)

    def waves(self):
        n = self.options.size
        u, before, c2, w, zero = (0.1 * self.random(n, n, n) for _ in range(5))
        in_time = ridge.sweeps(wave8, boundary="mirror", levels=2, memory="40GB" if self.gpu else "1GB")
        gradient, steps, on = ridge.grad(in_time), 20, {"device": self.options.device}
        self.row("wave8", lambda: in_time(u, before, c2, steps=steps, **on),
                 lambda: gradient(u, before, c2, (w, 0 * zero), steps=steps, **on))  # fmt: skip

    def pairs(self):
        n, on = self.options.bodies, {"device": self.options.device}
        x, w, out, back = self.random(4, n), self.random(3, n), self.random(3, n), self.random(4, n)
        gradient = ridge.grad(gravity)
        self.row("gravity", lambda: gravity(x, eps2=1e-4, out=out, **on),
                 lambda: gradient(x, w, eps2=1e-4, out=(back,), **on))  # fmt: skip

    def lists(self):
        side = 100 if self.gpu else 24
        n, length = side**3, side * 0.8442 ** (-1 / 3)
        grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij")).reshape(3, -1)
        moved = (grid + 0.5 + 0.2 * self.rng.random((3, n))) * (length / side)
        moved = moved.astype(np.float32) % np.float32(length)
        x = self.torch.from_numpy(moved).to(self.options.device) if self.gpu else moved
        w, out, back = self.random(1, n), self.random(1, n), self.random(3, n)
        near = {"cutoff": 2.5, "skin": 0.3, "box": (length,) * 3, "device": self.options.device}
        gradient = ridge.grad(lennard_jones)
        self.row("lennard-jones", lambda: lennard_jones(x, out=out, **near),
                 lambda: gradient(x, w, out=(back,), **near))  # fmt: skip

    def solves(self):
        n = self.options.size // 2 + 1
        f, on = self.random(n, n, n, dtype=np.float64), {"device": self.options.device, "boundary": "dirichlet:0"}
        gradient = ridge.grad(ridge.solve, by=("f",))
        self.row("poisson", lambda: ridge.solve("poisson", f, **on), lambda: gradient("poisson", f, f, **on))

    def host(self):
        """Microseconds on the host of a call with its gradient, from torch on small arrays."""
        try:
            import torch
        except ImportError as missing:
            print(f"torch call: {missing}")
            return
        u = torch.rand(16, 16, 16, device=self.options.device if self.gpu else "cpu", requires_grad=True)
        w = torch.rand_like(u)

        def call():
            heat(u, rate=0.1).backward(w)
            u.grad = None

        for _ in range(50):
            call()
        self.settle()
        begin = time.perf_counter()
        for _ in range(200):
            call()
        self.settle()
        took = (time.perf_counter() - begin) / 200 * 1e6
        row = {"row": "torch call, us", "ratio": took, "target": TARGETS["torch call, us"]}
        print(f"{row['row']:16}{row['ratio']:10.1f}   target {row['target']}", flush=True)
        self.rows.append(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--bodies", type=int, default=65536)
    parser.add_argument("--json")
    parser.add_argument("--only", action="append", choices=("stencils", "waves", "pairs", "lists", "solves", "host"))
    options = parser.parse_args()
    bench = Bench(options)
    print(f"{'row':16}{'forward':>13}{'gradient':>13}{'ratio':>8}", flush=True)
    for part in options.only or ("host", "pairs", "lists", "solves", "stencils", "waves"):
        getattr(bench, part)()
    if options.json:
        with open(options.json, "w") as out:
            json.dump(bench.rows, out, indent=1)


main()
