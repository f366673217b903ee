"""Kernels from Python beside what else Python users would write them in, each in turn with Ridge: a stencil
in numba, Warp, Triton and by torch.compile, sums over pairs in PyKeOps, Warp and Triton.

    python bench/python_peers.py [--device cuda:0] [--size 512] [--bodies 65536] [--pairs 9] [--json FILE]

Both compute the same, which is compared, on the same arrays, in the same process, one for each
peer. Who goes first changes from pair to pair; the figure is the median of the ratios. What is not
installed, is for GPUs or fails is said and left out. Ridge's records are in the JSON file, `peers` beside them.
"""

import argparse
import dataclasses
import importlib
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
import typing

import numpy as np

import ridge


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


@ridge.pairs(targets=3, sources=4, sums=3)
def gravity(t, s, eps2):
    d = [s[i] - t[i] for i in range(3)]
    w = ridge.rsqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + eps2)
    return [s[3] * w * w * w * x for x in d]


def seconds(call, settle, least=0.2):
    """Of one call: the mean of as many as fill `least` seconds."""
    settle()
    begin, calls = time.perf_counter(), 0
    while time.perf_counter() - begin < least or calls == 0:
        call()
        settle()
        calls += 1
    return (time.perf_counter() - begin) / calls


def in_turn(ours, theirs, pairs, settle):
    """The peer's time over ours: the median of pairs, and the least and the largest."""
    ours(), theirs()
    ratios, times = [], {"ridge": [], "peer": []}
    for k in range(pairs):
        order = [("ridge", ours), ("peer", theirs)]
        found = {}
        for name, call in order if k % 2 == 0 else reversed(order):
            found[name] = seconds(call, settle)
            times[name].append(found[name])
        ratios.append(found["peer"] / found["ridge"])
    return {"ridge_seconds": statistics.median(times["ridge"]),
            "peer_seconds": statistics.median(times["peer"]),
            "ratio": statistics.median(ratios), "ratio_low": min(ratios), "ratio_high": max(ratios)}


def numba_stencil(numba, device, u, rate):
    """The same sweep by numba: parallel loops on the cpu, a thread a point on a GPU."""
    if device == "cpu":
        @numba.njit(parallel=True, fastmath=True)
        def sweep(a, b, r):
            for z in numba.prange(1, a.shape[0] - 1):
                for y in range(1, a.shape[1] - 1):
                    for x in range(1, a.shape[2] - 1):
                        b[z, y, x] = a[z, y, x] + r * (
                            a[z, y, x + 1] + a[z, y, x - 1] + a[z, y + 1, x] + a[z, y - 1, x]
                            + a[z + 1, y, x] + a[z - 1, y, x] - 6 * a[z, y, x])

        return lambda out: sweep(u, out, rate)
    cuda = importlib.import_module("numba.cuda")

    @cuda.jit(fastmath=True)
    def point(a, b, r):
        x, y, z = cuda.grid(3)
        if 0 < x < a.shape[2] - 1 and 0 < y < a.shape[1] - 1 and 0 < z < a.shape[0] - 1:
            b[z, y, x] = a[z, y, x] + r * (
                a[z, y, x + 1] + a[z, y, x - 1] + a[z, y + 1, x] + a[z, y - 1, x]
                + a[z + 1, y, x] + a[z - 1, y, x] - 6 * a[z, y, x])

    n = u.shape
    blocks = (-(-n[2] // 128), -(-n[1] // 2), n[0])
    return lambda out: point[blocks, (128, 2, 1)](u, out, rate)


def torch_stencil(torch, device, u, rate):
    """The same sweep by torch.compile, of views that are shifted."""
    tensor = torch.from_numpy(u) if device == "cpu" else u
    i = slice(1, -1)

    @torch.compile
    def sweep(a):
        return a[i, i, i] + rate * (a[i, i, 2:] + a[i, i, :-2] + a[i, 2:, i] + a[i, :-2, i]
                                    + a[2:, i, i] + a[:-2, i, i] - 6 * a[i, i, i])

    def peer(out):
        result = sweep(tensor)
        if out is not None:
            out[i, i, i] = result.numpy() if device == "cpu" else result

    return peer


def stencils(given, arrays, name):
    library = importlib.import_module(name)
    writes = {"numba": numba_stencil, "torch": torch_stencil}.get(name, lambda peer, _, u, rate: peer.stencil(u, rate))
    zeros, random, settle, near = arrays
    u = random((given.size,) * 3, "float64")
    out, theirs = zeros(u), zeros(u)
    record = heat.measure(u, out=out, rate=0.1)
    peer = writes(library, given.device, u, 0.1)
    heat(u, out=out, rate=0.1)
    peer(theirs)
    settle()
    assert near(out, theirs, 1e-13), "both compute the same"
    to = None if name == "torch" else theirs  # which makes arrays of its own
    return record, {
        "version": library.__version__, "kernel": "heat", "size": list(u.shape),
        **in_turn(lambda: heat(u, out=out, rate=0.1), lambda: peer(to), given.pairs, settle)}


def keops_gravity(given, bodies, name):
    """The same sums by LazyTensors of PyKeOps, (bodies, 3)."""
    lazy = importlib.import_module(f"{name}.numpy" if given.device == "cpu" else f"{name}.torch").LazyTensor
    where = bodies[:3].T
    where = np.ascontiguousarray(where) if given.device == "cpu" else where.contiguous()
    mass = bodies[3].reshape(1, -1, 1)
    x, y, m = lazy(where[:, None, :]), lazy(where[None, :, :]), lazy(mass)

    def peer():
        d = y - x
        w = ((d * d).sum(-1) + 1e-2).rsqrt()
        return (m * w * w * w * d).sum(1).T

    return peer


def interactions(given, arrays, name):
    library = importlib.import_module(name)
    zeros, random, settle, near = arrays
    bodies = random((4, given.bodies), "float32")
    sums = zeros(bodies[:3])
    record = gravity.measure(bodies, out=sums, eps2=1e-2)
    peer = keops_gravity(given, bodies, name) if name == "pykeops" else library.gravity(bodies, 1e-2)
    gravity(bodies, out=sums, eps2=1e-2)
    found = peer()
    settle()
    assert near(sums, found, 2e-3 * float(abs(sums).max())), "both compute the same"
    return record, {
        "version": library.__version__, "kernel": "gravity", "size": [given.bodies],
        **in_turn(lambda: gravity(bodies, out=sums, eps2=1e-2), peer, given.pairs, settle)}


def arrays_of(device):
    """How arrays are made and compared there, and how calls are waited for."""
    if device == "cpu":
        rng = np.random.default_rng(1)
        return (np.zeros_like, lambda shape, dtype: rng.random(shape).astype(dtype), lambda: None,
                lambda a, b, tolerance: float(np.abs(np.asarray(a) - np.asarray(b)).max()) <= tolerance)
    torch = importlib.import_module("torch")
    return (torch.zeros_like,
            lambda shape, dtype: torch.rand(shape, dtype=getattr(torch, dtype), device=device),
            torch.cuda.synchronize, lambda a, b, tolerance: float((a - b).abs().max()) <= tolerance)


@dataclasses.dataclass(frozen=True)
class Peer:
    """A library that a pattern is written in: by `module`, where that is a file beside this one."""

    package: str
    measure: typing.Callable
    module: str
    on_gpus_alone: bool = False


PEERS = {
    "numba": Peer("numba", stencils, "numba"),
    "torch": Peer("torch", stencils, "torch"),
    "warp": Peer("warp", stencils, "peer_warp", True),
    "triton": Peer("triton", stencils, "peer_triton", True),
    "pykeops": Peer("pykeops", interactions, "pykeops"),
    "warp-pairs": Peer("warp", interactions, "peer_warp", True),
    "triton-pairs": Peer("triton", interactions, "peer_triton", True),
}


def measure(given):
    """One peer, in this process."""
    peer = PEERS[given.peer]
    record, peer = peer.measure(given, arrays_of(given.device), peer.module)
    with open(given.json, "w", encoding="utf-8") as file:
        json.dump({"record": dict(record), "peer": peer}, file)


def measure_apart(given, name):
    """A peer in a process of its own: its record and its figures, or why there are none."""
    if PEERS[name].on_gpus_alone and given.device == "cpu":
        return None, "is for GPUs"
    if importlib.util.find_spec(PEERS[name].package) is None:
        return None, "not installed"
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        words = [sys.executable, __file__, "--peer", name, "--json", file.name]
        for option in "device", "size", "bodies", "pairs":
            words += [f"--{option}", str(getattr(given, option))]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip() or "no word").splitlines()[-1]
            return None, f"failed ({done.returncode}): {last}"
        found = json.load(file)
        return found["record"], found["peer"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--device", default="cpu")
    options.add_argument("--size", type=int, default=512)
    options.add_argument("--bodies", type=int, default=65536)
    options.add_argument("--pairs", type=int, default=9)
    options.add_argument("--peer", choices=PEERS, help="only this one, in this process; --json is its own")
    options.add_argument("--json")
    given = options.parse_args()
    if given.peer:
        measure(given)
        return
    results = {"records": [], "peers": {}}
    for name in PEERS:
        record, peer = measure_apart(given, name)
        results["peers"][name] = peer
        if record is not None:
            results["records"].append(record)
            print(ridge.Record(record))
        print(f"{name}: {peer}" if isinstance(peer, str) else
              f"{name} {peer['version']}, {peer['kernel']}: {peer['ratio']:.2f} times Ridge's time "
              f"({peer['ratio_low']:.2f} to {peer['ratio_high']:.2f}, {given.pairs} pairs)")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()
