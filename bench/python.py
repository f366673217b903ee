"""What a call from Python costs, and that it is as fast as C++: the figures of docs/python.md.

    python bench/python.py [--device cuda:0] [--size 512] [--json FILE]

On a GPU, with torch: calls on a field of one point, beside an operation of torch's own, a stream without any
wait, a captured graph, device memory before and after, and the kernel beside `ridge bench`. What is not
installed is said and left out. Other libraries beside Ridge: bench/python_peers.py.
"""

import argparse
import importlib
import json
import time

import numpy as np

import ridge


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


def least(call, batches=200, calls=200, settle=lambda: None):
    """The least seconds of a call over several batches: what others do on the machine is not in it."""
    call()
    found = []
    for _ in range(batches):
        settle()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        found.append((time.perf_counter() - begin) / calls)
    return min(found)


def on_cpu(results):
    a, b = np.ones((3, 3, 3)), np.zeros((3, 3, 3))
    results["call, cpu, one point [s]"] = least(
        lambda: heat(a, out=b, rate=0.1, schedule="threads=1"))
    results["call, cpu, other number each time [s]"] = least(
        lambda i=iter(range(1 << 30)): heat(a, out=b, rate=0.1 + 1e-9 * next(i), schedule="threads=1"),
        batches=20)


def on_gpu(results, device, n):
    torch = importlib.import_module("torch")
    # What of a call is looking at tensors, and what a launch takes where torch makes it.
    here, there = torch.ones((3, 3, 3), dtype=torch.float64), torch.zeros((3, 3, 3), dtype=torch.float64)
    results["call, cpu, one point of torch's [s]"] = least(
        lambda: heat(here, out=there, rate=0.1, schedule="threads=1"))
    options = {"device": device, "dtype": torch.float64}
    a, b = torch.ones((3, 3, 3), **options), torch.zeros((3, 3, 3), **options)
    results["torch's own b.add_(a) [s]"] = least(lambda: b.add_(a), settle=torch.cuda.synchronize)
    results[f"call, {device}, one point [s]"] = least(
        lambda: heat(a, out=b, rate=0.1), settle=torch.cuda.synchronize)
    results[f"call, {device}, other number each time [s]"] = least(
        lambda i=iter(range(1 << 30)): heat(a, out=b, rate=0.1 + 1e-9 * next(i)), batches=20,
        settle=torch.cuda.synchronize)
    on_cupy(results, device)

    u = torch.rand((n, n, n), **options)
    out = torch.zeros_like(u)
    right = torch.zeros_like(u)
    i = slice(1, -1)
    right[i, i, i] = u[i, i, i] + 0.1 * (
        u[i, i, 2:] + u[i, i, :-2] + u[i, 2:, i] + u[i, :-2, i] + u[2:, i, i] + u[:-2, i, i]
        - 6 * u[i, i, i])
    heat(u, out=out, rate=0.1)
    torch.cuda.synchronize()
    before = torch.cuda.mem_get_info()[0]
    for _ in range(10):
        heat(u, out=out, rate=0.1)
    torch.cuda.synchronize()
    results["device memory taken by ten calls [B]"] = before - torch.cuda.mem_get_info()[0]

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        late = u * 1.0
        late.mul_(2.0)
        heat(late, out=out, rate=0.1)  # in order with what torch queued, without a wait
        doubled = out.clone()
    stream.synchronize()
    results["stream: largest error"] = float((doubled - 2 * right).abs().max())

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        heat(u, out=out, rate=0.1)  # bound before the capture
    stream.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        heat(u, out=out, rate=0.3)  # binds
        heat(u, out=out, rate=0.1)
    out.zero_()
    torch.cuda.synchronize()
    graph.replay()
    torch.cuda.synchronize()
    results["graph: largest error"] = float((out - right).abs().max())

    record = heat.measure(u, out=out, rate=0.1)
    results["heat from Python"] = dict(record)
    built_in = ridge.bench("laplacian", size=(n, n, n), device=device)[0]
    results["laplacian of the command"] = dict(built_in)
    results["Python over C++, fraction of the roof"] = record.fraction / built_in.fraction


def on_cupy(results, device):
    try:
        cupy = importlib.import_module("cupy")
    except ImportError:
        results["cupy"] = "not installed"
        return
    a, b = cupy.ones((3, 3, 3)), cupy.zeros((3, 3, 3))
    results[f"call, {device}, one point of CuPy's [s]"] = least(
        lambda: heat(a, out=b, rate=0.1), settle=cupy.cuda.runtime.deviceSynchronize)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--device", default="cpu")
    options.add_argument("--size", type=int, default=512)
    options.add_argument("--json")
    given = options.parse_args()
    results = {}
    try:
        on_cpu(results)
        if given.device != "cpu":
            on_gpu(results, given.device, given.size)
    finally:  # what was measured before an error counts
        for name, value in results.items():
            print(f"{name}: {value if not isinstance(value, dict) else ridge.Record(value)}")
        if given.json:
            with open(given.json, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()
