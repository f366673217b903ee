"""Gradients beside their forward runs, in turn, with the targets that were set, then gradients by peers.

    python bench/gradients.py [--device cuda:0] [--size 512] [--bodies 65536] [--json FILE] [--only ROW] [--seconds 110]

A row's figure is the median of the gradient's time over the forward run's in the same process. Each row stands for
itself: one that fails is said, and the others go on. Peers come last, as long as `--seconds` last. Arrays are torch's
on a GPU, NumPy's on a cpu. Rows `host` are microseconds of the host, with torch: calls with a gradient beside calls
without one, and an operation of torch's own.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import time
import traceback

import numpy as np
from python_peers import in_turn, seconds

import ridge

TARGETS = {"heat": 1.03, "diffusion": 2.1, "wave8": 3.4, "wave8, 1000 steps": 4.5, "gravity": 3, "lennard-jones": 2.5,
           "forward and backward": 25}
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

    held = [jax.numpy.asarray(a) for a in (*arrays, weights)]
    by = tuple(range(len(arrays)))
    loss = jax.jit(jax.grad(lambda *a: (step(jax.numpy, *a[:-1]) * a[-1]).sum(), argnums=by))
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
        if self.gpu:
            kind = self.torch.float64 if dtype == np.float64 else self.torch.float32
            return self.torch.rand(shape, dtype=kind, device=self.options.device)
        return self.rng.random(shape, dtype=np.float64).astype(dtype)

    def row(self, name, forward, gradient, pairs=5):
        """Times both."""
        found = in_turn(forward, gradient, pairs, self.settle)
        row = {"row": name, "forward_seconds": found["ridge_seconds"], "gradient_seconds": found["peer_seconds"],
               "ratio": found["ratio"], "target": TARGETS.get(name)}  # fmt: skip
        text = f"{name:16}{row['forward_seconds'] * 1e3:10.3f} ms{row['gradient_seconds'] * 1e3:10.3f} ms"
        text += f"{row['ratio']:8.2f}"
        print(text + (f"   target {row['target']}" if row["target"] else ""), flush=True)
        self.rows.append(row)

    def stencil(self, kernel, numbers, fields):
        n, on = self.options.size, {"device": self.options.device}
        *arrays, w, out = (self.random(n, n, n, dtype=np.float64) for _ in range(fields + 2))
        backs = tuple(self.random(n, n, n, dtype=np.float64) for _ in range(fields))
        gradient = ridge.grad(kernel)
        self.row(kernel.__name__, lambda: kernel(*arrays, out=out, **numbers, **on),
                 lambda: gradient(*arrays, w, out=backs, **numbers, **on))  # fmt: skip

    def heat(self):
        self.stencil(heat, {"rate": 0.1}, 1)

    def diffusion(self):
        self.stencil(diffusion, {}, 2)

    def in_jax(self, name, rolled, fields):
        """The gradient by JAX on its own device."""
        import jax

        jax.config.update("jax_enable_x64", True)
        n = self.options.size
        *arrays, weights = (self.rng.random((n, n, n)) for _ in range(fields + 1))
        self.peer(f"{name}, JAX", name, jax_gradient(rolled, arrays, weights), lambda: None)

    def in_torch(self, name, rolled, fields):
        """By torch.compile, which computes the forward run, too."""
        import torch

        n = self.options.size
        *arrays, weights = (torch.from_numpy(self.rng.random((n, n, n))).to(self.options.device)
                            for _ in range(fields + 1))  # fmt: skip
        step = torch.compile(lambda *a: rolled(torch, *a))
        for a in arrays:
            a.requires_grad_()

        def gradient():
            torch.autograd.grad((step(*arrays) * weights).sum(), arrays)

        self.peer(f"{name}, torch.compile", name, gradient, self.settle)

    def peer(self, title, name, gradient, settle):
        """A row of a peer, compiled before, with what Ridge's own row took."""
        gradient()
        took = seconds(gradient, settle)
        ours = [r["gradient_seconds"] for r in self.rows if r["row"] == name]
        times = f"   {took / ours[0]:.2f} times Ridge's" if ours else ""
        print(f"{title:29}{took * 1e3:10.3f} ms{times}", flush=True)
        self.rows.append({"row": title, "gradient_seconds": took})

    def jax_heat(self):
        self.in_jax("heat", rolled_heat, 1)

    def jax_diffusion(self):
        self.in_jax("diffusion", rolled_diffusion, 2)

    def deepwave_wave8(self):
        """A wave of order 8 by deepwave, without layers, by its speed: 20 steps and their gradient."""
        import deepwave
        import torch

        n, at = self.options.size, self.options.device
        speed = torch.full((n, n, n), 1500.0, device=at, requires_grad=True)
        start, weights = (self.random(1, n, n, n) for _ in range(2))
        one = torch.full((1, 1, 3), n // 2, dtype=torch.long, device=at)
        source = torch.zeros((1, 1, 20), device=at)

        def gradient():
            found = deepwave.scalar(speed, 5.0, 5e-4, source_amplitudes=source, source_locations=one,
                                    receiver_locations=one, accuracy=8, pml_width=0, wavefield_0=start)  # fmt: skip
            torch.autograd.grad((found[0] * weights).sum(), speed)

        self.peer("wave8, deepwave", "wave8", gradient, self.settle)

    def torch_heat(self):
        self.in_torch("heat", rolled_heat, 1)

    def torch_diffusion(self):
        self.in_torch("diffusion", rolled_diffusion, 2)

    def wave8(self):
        self.waves("wave8", 20, "40GB" if self.gpu else "1GB", 5)

    def wave8_long(self):
        self.waves("wave8, 1000 steps", 1000, "30GB", 1)

    def waves(self, name, steps, memory, pairs):
        n, on = self.options.size, {"device": self.options.device}
        u, before, c2, w = (0.1 * self.random(n, n, n) for _ in range(4))
        c2 += 0.01  # of a medium it is nowhere 0
        none = 0 * w
        in_time = ridge.sweeps(wave8, boundary="mirror", levels=2, memory=memory)
        gradient = ridge.grad(in_time)
        self.row(name, lambda: in_time(u, before, c2, steps=steps, **on),
                 lambda: gradient(u, before, c2, (w, none), steps=steps, **on), pairs)  # fmt: skip
        row = self.rows[-1]
        row["points_per_second"] = n**3 * steps / row["gradient_seconds"]
        print(f"{'':16}both together {row['points_per_second'] / 1e9:.1f}e9 points a second", flush=True)

    def pairs(self):
        n, on = self.options.bodies, {"device": self.options.device}
        x, w, out, back = self.random(4, n), self.random(3, n), self.random(3, n), self.random(4, n)
        gradient = ridge.grad(gravity)
        self.row("gravity", lambda: gravity(x, eps2=1e-4, out=out, **on),
                 lambda: gradient(x, w, eps2=1e-4, out=(back,), **on))  # fmt: skip

    def lists(self):
        side = 100 if self.gpu and self.options.size > 256 else 24
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
        """Microseconds of the host, with torch, on small arrays."""
        import torch

        torch.set_num_threads(1)
        u = torch.rand((3, 3, 3), device=self.options.device, requires_grad=True)
        w, out = torch.rand_like(u), torch.zeros_like(u)
        here = {"rate": 0.1, "schedule": "auto" if self.gpu else "threads=1"}

        def both(forward):
            def call():
                forward().backward(w)
                u.grad = None

            return call

        calls = {
            "forward, no gradient": lambda v=u.detach(): heat(v, out=out, **here),
            "forward": lambda: heat(u, **here),
            "forward and backward": both(lambda: heat(u, **here)),
            "torch's own 2*u, both": both(lambda: 2 * u),
        }
        for name, call in calls.items():
            took = self.host_seconds(call) * 1e6
            row = {"row": name, "host_microseconds": took, "target": TARGETS.get(name)}
            target = f"   target {row['target']}" if row["target"] else ""
            print(f"{name:22}{took:8.1f} us of the host{target}", flush=True)
            self.rows.append(row)

    def host_seconds(self, call, batches=60, calls=50):
        """Host seconds of one call: the least over batches, each short enough for the device's queue."""
        for _ in range(20):
            call()
        found = []
        for _ in range(batches):
            self.settle()
            begin = time.perf_counter()
            for _ in range(calls):
                call()
            found.append((time.perf_counter() - begin) / calls)
        self.settle()
        return min(found)


ROWS = ("host", "heat", "diffusion", "wave8", "wave8_long", "pairs", "lists", "solves")
PEERS = ("deepwave_wave8", "torch_heat", "torch_diffusion", "jax_heat", "jax_diffusion")


def run(bench, part):
    """One row for itself: what it needed is free afterwards."""
    try:
        getattr(bench, part)()
    except ImportError as missing:
        print(f"{part}: {missing}", flush=True)
    except Exception as failed:  # noqa: BLE001
        traceback.print_exc()
        print(f"{part}: {type(failed).__name__}: {failed}", flush=True)
        return False
    finally:
        gc.collect()
        if bench.gpu:
            bench.torch.cuda.empty_cache()
    return True


def prepare(options, parts):
    """Compiles what rows need, which is most of their time, in a process of each row at once, on small arrays."""
    small = ["--device", options.device, "--size", "33", "--bodies", "512", "--prepared"]
    started = [subprocess.Popen([sys.executable, __file__, *small, "--only", part], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for part in parts]  # fmt: skip
    for process in started:
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--bodies", type=int, default=65536)
    parser.add_argument("--json")
    parser.add_argument("--only", action="append", choices=ROWS + PEERS)
    parser.add_argument("--seconds", type=float, default=110, help="peers begin as long as these are not over")
    parser.add_argument("--prepared", action="store_true", help="start no processes that compile first")
    options = parser.parse_args()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    begin, bench = time.perf_counter(), Bench(options)
    print(f"{'row':16}{'forward':>13}{'gradient':>13}{'ratio':>8}", flush=True)
    if not options.prepared and os.cpu_count() >= 8:
        prepare(options, [p for p in options.only or ROWS if p in ROWS])
        print(f"compiled in {time.perf_counter() - begin:.0f} s", flush=True)
    failed = []
    for part in options.only or ROWS + PEERS:
        since = time.perf_counter()
        if part in PEERS and since - begin > options.seconds:
            print(f"{part}: left out after {options.seconds:.0f} s", flush=True)
            continue
        failed += [] if run(bench, part) else [part]
        bench.rows.append({"row": f"seconds of {part}", "seconds": time.perf_counter() - since})
        if options.json:
            with open(options.json, "w") as out:
                json.dump(bench.rows, out, indent=1)
    print(f"{time.perf_counter() - begin:.0f} s", flush=True)
    return 1 if failed else 0


raise SystemExit(main())
