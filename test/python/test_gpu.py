"""Arrays that lie on a GPU, of torch, CuPy and JAX: in place, in order with their stream, in graphs."""

import importlib
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import heat_of

import ridge

GPU = next((d for d in ridge.devices() if d.startswith("cuda")), None)
pytestmark = pytest.mark.skipif(GPU is None, reason="there is no CUDA device here")


class Torch:
    name = "torch"

    def __init__(self):
        self.module = importlib.import_module("torch")

    def array(self, x):
        return self.module.from_numpy(np.array(x)).to(GPU)

    def numpy(self, x):
        return x.cpu().numpy()

    def pointer(self, x):
        return x.data_ptr()

    def free(self):
        return self.module.cuda.mem_get_info()[0]

    def wait(self):
        self.module.cuda.synchronize()


class CuPy:
    name = "cupy"

    def __init__(self):
        self.module = importlib.import_module("cupy")

    def array(self, x):
        return self.module.asarray(x)

    def numpy(self, x):
        return self.module.asnumpy(x)

    def pointer(self, x):
        return x.data.ptr

    def free(self):
        return self.module.cuda.runtime.memGetInfo()[0]

    def wait(self):
        self.module.cuda.runtime.deviceSynchronize()


@pytest.fixture(scope="module", params=[Torch, CuPy], ids=lambda c: c.name)
def library(request):
    pytest.importorskip(request.param.name)
    return request.param()


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_stencil_in_place(heat, library, rng, dtype):
    u, before = rng.standard_normal((9, 33, 70)).astype(dtype), np.full((9, 33, 70), 5, dtype)
    a, out = library.array(u), library.array(before)
    there = library.pointer(out)
    assert heat(a, out=out, rate=0.3) is out and library.pointer(out) == there
    np.testing.assert_allclose(library.numpy(out), heat_of(u, 0.3, before), atol=20 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(library.numpy(a), u)
    assert heat.record.device == GPU
    new = heat(a, rate=0.3)
    assert type(new) is type(a) and new.dtype == a.dtype
    np.testing.assert_allclose(library.numpy(new), heat_of(u, 0.3, np.zeros_like(u)),
                               atol=20 * np.finfo(dtype).eps)


def test_rows_with_gaps(heat, library, rng):
    u = rng.standard_normal((6, 9, 40))
    wide = library.array(np.full((6, 12, 50), 7.0))
    out = wide[:, :9, :40]
    heat(library.array(u), out=out, rate=0.2)
    right = np.full((6, 12, 50), 7.0)
    right[:, :9, :40] = heat_of(u, 0.2, right[:, :9, :40])
    np.testing.assert_allclose(library.numpy(wide), right, atol=1e-14)


def test_pairs(library, rng):
    @ridge.pairs(targets=3, sources=4, sums=3)
    def gravity(t, s, eps2):
        d = [s[i] - t[i] for i in range(3)]
        w = ridge.rsqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + eps2)
        return [s[3] * w * w * w * x for x in d]

    bodies = rng.random((4, 501))
    d = bodies[:3, None, :] - bodies[:3, :, None]
    right = (bodies[3] * d * ((d**2).sum(0) + 1e-2) ** -1.5).sum(-1)
    found = gravity(library.array(bodies), eps2=1e-2)
    np.testing.assert_allclose(library.numpy(found), right, rtol=1e-10, atol=1e-8)


def test_a_chain(library, rng):
    @ridge.chain(edge="periodic")
    def smooth(u, rate=0.1):
        g = u[1] - u[-1]
        return u[0] + rate * (g[1] - g[-1])

    u = rng.random(10007)
    g = np.roll(u, -1) - np.roll(u, 1)
    found = smooth(library.array(u))
    np.testing.assert_allclose(library.numpy(found), u + 0.1 * (np.roll(g, -1) - np.roll(g, 1)), atol=1e-14)


def test_a_lattice(rng):
    from ridge import lattice

    def random(*shape):
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)

    links, x, b = random(4, 4, 4, 6, 3, 3), random(4, 4, 4, 6, 3), random(4, 4, 4, 6, 3)
    fields = [lattice.field(v, site, device=GPU) for v, site in
              ((links, "colour_matrix"), (x, "colour_vector"), (b, "colour_vector"))]
    right = (abs(b - np.einsum("...ji,...j->...i", links.conj(), x)) ** 2).sum()
    found = lattice.norm2(fields[2] - fields[0].adj() @ fields[1], reproducible=True)
    assert abs(found - right) < 1e-12 * right and lattice.record().device == GPU
    shifted = fields[1].shift(3, +1).evaluate()
    np.testing.assert_array_equal(shifted.numpy(), np.roll(x, -1, axis=3))


def test_many_sweeps(heat, library, rng):
    u = rng.standard_normal((6, 7, 40))
    host = u.copy()
    a = library.array(u)
    in_time = ridge.sweeps(heat, boundary="periodic")
    assert in_time.run(a, steps=9, rate=0.1) is a
    in_time.run(host, steps=9, rate=0.1)
    np.testing.assert_allclose(library.numpy(a), host, atol=1e-13)


def test_a_lattice_of_arrays_on_the_gpu(library, rng):
    from ridge import lattice

    a = rng.standard_normal((4, 4, 8, 3)) + 1j * rng.standard_normal((4, 4, 8, 3))
    given = library.array(a)
    there, here = lattice.field(given, "colour_vector"), lattice.field(given, "colour_vector", device="cpu")
    assert there.device == GPU and here.device == "cpu"
    for f in (there, here):
        np.testing.assert_array_equal(f.numpy(), a)
    assert abs(lattice.norm2(there, reproducible=True) - (abs(a) ** 2).sum()) < 1e-12 * a.size


def test_a_lattice_of_a_tensor(torch, rng):
    from ridge import lattice

    a = torch.from_numpy(rng.standard_normal((4, 4, 8)))
    np.testing.assert_array_equal(lattice.field(a, "real", device=GPU).numpy(), a.numpy())
    there = a.to(GPU).requires_grad_()
    lattice.norm2(lattice.field(there, "real")).backward()
    torch.testing.assert_close(there.grad, 2 * there.detach())


def test_jax_in_and_cupy_out(heat, rng):
    jax, cupy = pytest.importorskip("jax"), pytest.importorskip("cupy")
    u = rng.standard_normal((5, 8, 64)).astype(np.float32)
    given = jax.device_put(u)
    if given.device.platform != "gpu":
        pytest.skip("this JAX has no GPU")
    out = cupy.zeros(u.shape, np.float32)
    heat(given, out=out, rate=0.1)
    np.testing.assert_allclose(cupy.asnumpy(out), heat_of(u, 0.1, np.zeros_like(u)), atol=1e-5)
    with pytest.raises(TypeError, match="pass out="):
        heat(given, rate=0.1)


def test_a_call_takes_no_memory_of_the_device(heat, library):
    a = library.array(np.ones((64, 64, 64)))
    out = library.array(np.zeros((64, 64, 64)))
    for _ in range(4):  # the first graph of a process takes 2 MiB
        heat(a, out=out, rate=0.1)
    library.wait()
    before = library.free()
    for _ in range(100):
        heat(a, out=out, rate=0.1)
    library.wait()
    assert library.free() == before


def test_in_order_with_a_stream_and_without_waiting(heat, torch, rng):
    u = torch.from_numpy(rng.standard_normal((40, 40, 64))).to(GPU)
    late, out = torch.zeros_like(u), torch.zeros_like(u)
    heat(late, out=out, rate=0.1)  # compiled
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        heat(late, out=out, rate=0.1)  # bound to the stream
        stream.synchronize()
        torch.cuda._sleep(200_000_000)  # a tenth of a second, in the stream
        late.copy_(u)
        heat(late, out=out, rate=0.1)
        assert not stream.query(), "the call came back before the work was done"
        copied = out.clone()
    stream.synchronize()
    right = heat_of(u.cpu().numpy(), 0.1, np.zeros(u.shape))
    np.testing.assert_allclose(copied.cpu().numpy(), right, atol=1e-14)


def test_a_stream_of_cupy(heat, rng):
    cupy = pytest.importorskip("cupy")
    u = rng.standard_normal((5, 8, 64))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        late = cupy.asarray(u) * 2
        out = heat(late, rate=0.1)
        stream.synchronize()
    np.testing.assert_allclose(cupy.asnumpy(out), heat_of(2 * u, 0.1, np.zeros_like(u)), atol=1e-13)


@pytest.mark.parametrize("rate", [0.1, 0.3], ids=["called before", "another number"])
def test_a_captured_graph(heat, torch, rng, rate):
    u = torch.from_numpy(rng.standard_normal((10, 20, 64))).to(GPU)
    out = torch.zeros_like(u)
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        heat(u, out=out, rate=0.1)  # compiled and loaded before
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        heat(u, out=out, rate=rate)
    for factor in (1, 3):
        u.mul_(factor)
        out.zero_()
        graph.replay()
        torch.cuda.synchronize()
        right = heat_of(u.cpu().numpy(), rate, np.zeros(u.shape))
        np.testing.assert_allclose(out.cpu().numpy(), right, atol=1e-13)


def heat_by_torch(u, rate):
    out = u.clone()
    i = slice(1, -1)
    out[i, i, i] += rate * (u[i, i, 2:] + u[i, i, :-2] + u[i, 2:, i] + u[i, :-2, i] + u[2:, i, i]
                            + u[:-2, i, i] - 6 * u[i, i, i])
    return out


def replays_like_calls(torch, run, inputs, out, warm=True):
    """torch's recipe: warm up on a side stream, capture on torch's own, replay on other data."""
    if warm:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            run()
        torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    for _ in range(2):
        for x in inputs:
            x.copy_(torch.randn_like(x))
        out.fill_(7)
        graph.replay()
        torch.cuda.synchronize()
        replayed = out.clone()
        out.fill_(7)
        run()
        torch.cuda.synchronize()
        assert torch.equal(replayed, out)
    return graph


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
def test_a_stencil_in_a_graph_of_torch(torch, warm):
    @ridge.stencil
    def star(u, rate):  # of so many points that it marches, and counts in the queue's memory
        return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0] + u[1, 0, 0]
                                    + u[-1, 0, 0] + u[0, 0, 2] + u[0, 2, 0] + u[2, 0, 0] + u[-2, 0, 0])

    u = torch.randn(200, 200, 200, dtype=torch.float64, device=GPU)
    out = torch.zeros_like(u)
    for schedule in ("auto", "kernel7"):
        replays_like_calls(torch, lambda: star(u, rate=0.1, out=out, schedule=schedule), [u], out, warm)
    assert star.record["pattern"] == "stencil"


@pytest.mark.parametrize("schedule", ["auto", "split=4"])
def test_pairs_in_a_graph_of_torch(torch, schedule):
    @ridge.pairs(targets=1, sources=1, sums=1)
    def pull(t, s):
        d = s[0] - t[0]
        return [d / (1 + d * d)]

    q = torch.randn(5000, dtype=torch.float64, device=GPU)
    out = torch.zeros_like(q)
    replays_like_calls(torch, lambda: pull(q, out=out, schedule=schedule), [q], out)


@pytest.mark.parametrize("schedule", ["auto", "fission", "fission graph=on", "fused"])
def test_a_chain_in_a_graph_of_torch(torch, schedule):
    @ridge.chain
    def smooth(u):
        g = u[1] - u[-1]
        return u[0] + 0.1 * (g[1] - g[-1])

    u = torch.randn(100_000, dtype=torch.float64, device=GPU)
    out = torch.zeros_like(u)
    replays_like_calls(torch, lambda: smooth(u, out=out, schedule=schedule), [u], out)


@pytest.mark.parametrize("schedule", ["auto", "sweeps=4"])
def test_sweeps_in_a_graph_of_torch(heat, torch, schedule):
    in_time = ridge.sweeps(heat, boundary="periodic")
    start = torch.randn(64, 64, 64, dtype=torch.float64, device=GPU)
    u = start.clone()

    def step():
        u.copy_(start)
        in_time.run(u, steps=8, rate=0.1, schedule=schedule)

    replays_like_calls(torch, step, [start], u)


def test_graphs_of_torch_side_by_side_and_one_after_the_other(heat, torch):
    """Each has memory of its own, which goes with it."""
    @ridge.pairs(targets=1, sources=1, sums=1)
    def pull(t, s):
        return [s[0] - t[0]]

    def graph_of(run):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run()
        return graph

    fields = [torch.randn(100, 100, 200, dtype=torch.float64, device=GPU) for _ in range(2)]
    outs = [u.clone() for u in fields]
    graphs = [graph_of(lambda u=u, out=out: heat(u, out=out, rate=0.1))
              for u, out in zip(fields, outs)]
    streams = [torch.cuda.Stream() for _ in graphs]
    torch.cuda.synchronize()
    for _ in range(50):
        for graph, stream in zip(graphs, streams):
            with torch.cuda.stream(stream):
                graph.replay()
    torch.cuda.synchronize()
    for u, out in zip(fields, outs):
        torch.testing.assert_close(out, heat_by_torch(u, 0.1), rtol=0, atol=1e-13)

    q = torch.randn(4_000_000, dtype=torch.float64, device=GPU)[:200_000]
    out = torch.zeros_like(q)
    free = []
    for _ in range(10):
        graph = graph_of(lambda: pull(q, out=out, schedule="split=64"))
        graph.replay()
        torch.cuda.synchronize()
        del graph
        pull(q[:10], out=out[:10])  # what graphs kept goes when a stream is asked again
        torch.cuda.synchronize()
        free.append(torch.cuda.mem_get_info()[0])
    assert free[1] - free[-1] < 2 * 200_000 * 8 * 64, free  # of eight graphs, which go by and by


def test_the_graphed_callables_of_torch(heat, torch):
    class Layer(torch.nn.Module):
        def forward(self, x):
            y = x.clone()
            heat(x, out=y, rate=0.05)
            return y * 2

    x = torch.randn(40, 50, 64, dtype=torch.float64, device=GPU)
    graphed = torch.cuda.make_graphed_callables(Layer(), (x,))
    for _ in range(2):
        z = torch.randn_like(x)
        torch.testing.assert_close(graphed(z), 2 * heat_by_torch(z, 0.05), rtol=0, atol=1e-13)


def test_measuring_tuning_and_the_doctor(heat, torch, tmp_path, monkeypatch):
    monkeypatch.setenv("RIDGE_WISDOM", str(tmp_path / "wisdom"))
    u = torch.rand((64, 64, 128), dtype=torch.float64, device=GPU)
    out = torch.full_like(u, 5)
    record = heat.measure(u, out=out, rate=0.1)
    assert record.ok and record.device == GPU and record.fraction > 0
    assert ridge.doctor(heat, u, out=out, rate=0.1).record.ok
    found = ridge.tune(heat, u, out=out, rate=0.1, seconds=5, most=2)
    assert found.kept
    right = heat_of(u.cpu().numpy(), 0.1, np.full(u.shape, 5.0))
    np.testing.assert_allclose(out.cpu().numpy(), right, atol=1e-13)


def test_what_is_refused(heat, torch):
    def zeros(**options):
        return torch.zeros((5, 6, 7), **{"dtype": torch.float64, "device": GPU, **options})

    for given, out, says in [
            (zeros(dtype=torch.float32), zeros(), "out is float64, and u float32"),
            (zeros(dtype=torch.int64), zeros(), "neither float32 nor float64"),
            (zeros(dtype=torch.bfloat16), zeros(), "out is float64, and u bfloat16"),
            (zeros()[:, :, ::2], zeros(), "not contiguous along its last axis"),
            (zeros().permute(1, 0, 2), zeros(), "another order than C's"),
            (zeros()[:0], zeros(), "is empty"),
            (zeros()[0], zeros(), "has 2 dimensions"),
            (zeros(), zeros(device="cpu"), "on cpu|host's memory"),
            (zeros(device="cpu"), zeros(), f"out is on {GPU}, and the first array on cpu"),
            (zeros(), np.zeros((5, 6, 7)), "out is in the host's memory")]:
        with pytest.raises(TypeError, match=says) as caught:
            heat(given, out=out, rate=0.1)
        assert "\n" not in str(caught.value)
    with pytest.raises(TypeError, match=f"arrays are on {GPU}, which cpu cannot use"):
        heat(zeros(), out=zeros(), rate=0.1, device="cpu")
    u = zeros()
    with pytest.raises(ridge.UsageError, match="overlap"):
        heat(u, out=u, rate=0.1)
    with pytest.raises(ridge.UsageError, match="tiles"):
        heat(u, out=zeros(), rate=0.1, schedule="tiles=3")


SCRIPT = """
import os, sys
import numpy as np
import torch
import ridge

@ridge.stencil
def heat(u, rate=0.1):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])

u = torch.ones((40, 40, 64), dtype=torch.float64, device="cuda")
out = torch.zeros_like(u)
heat(u, out=out)
"""


def run(text, **environment):
    return subprocess.run([sys.executable, "-c", SCRIPT + text], capture_output=True, text=True, timeout=100,
                          check=False, env={**os.environ, **environment})


def test_nvrtc_without_a_part_of_itself(torch, tmp_path):
    folder = pathlib.Path("/usr/local/cuda/lib64")
    if not (folder / "libnvrtc.so").exists() or not (folder.parent / "bin" / "nvcc").exists():
        pytest.skip("there is no toolkit in /usr/local/cuda")
    broken = tmp_path / "libnvrtc.so"
    broken.write_bytes((folder / "libnvrtc.so").read_bytes().replace(b"libnvrtc-builtins", b"libnvrtc-nowhere!"))
    done = run("torch.cuda.synchronize()\nprint(float(out[1, 1, 1]))", RIDGE_NVRTC=str(broken),
               RIDGE_CACHE=str(tmp_path / "cache"))
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr  # nvcc does it


def test_the_interpreter_ends_while_work_is_queued(torch):
    done = run("torch.cuda._sleep(1_000_000_000)\nfor _ in range(100): heat(u, out=out)\nprint('ends')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")


def test_a_forked_child_computes_on_the_cpu_alone(torch):
    done = run("""
torch.cuda.synchronize()
if os.fork() == 0:
    ok = heat(np.ones((5, 6, 7)))[1, 1, 1] == 1
    try:
        heat(u, out=out)
    except RuntimeError as e:
        print(ok, type(e).__name__, "\\n" in str(e).strip(), flush=True)
    os._exit(0)
status = os.wait()[1]
heat(u, out=out)
torch.cuda.synchronize()
print(status, float(out[1, 1, 1]))
""")
    assert done.returncode == 0, done.stderr
    child, parent = done.stdout.splitlines()
    assert child.split()[0] == "True" and parent == "0 1.0", done.stdout + done.stderr
