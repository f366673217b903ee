"""Calls like one of the latest are launched at once, on CUDA as graphs: what may change in between."""

import threading

import numpy as np
import pytest
from conftest import exchanging, heat_of

import ridge

GPU = next((d for d in ridge.devices() if d.startswith("cuda")), None)
on_gpu = pytest.mark.skipif(GPU is None, reason="there is no CUDA device here")


@ridge.stencil
def heat(u, rate=0.1):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


def of(u, rate=0.1):
    return heat_of(u, rate, np.zeros_like(u))


def often(u, out, rate=0.1, times=4, **options):
    for _ in range(times):
        assert heat(u, out=out, rate=rate, **options) is out


@pytest.fixture
def u(rng):
    return rng.random((5, 6, 7))


def test_a_call_like_the_latest_is_not_looked_at_again(u):
    offered = exchanging()
    given, out = offered(u), offered(np.zeros_like(u))
    often(given, out)
    before = offered.asked["described"]
    u *= 2
    often(given, out, times=1)
    assert offered.asked == {"described": before + 1, "kept": 0}
    np.testing.assert_allclose(out.array, of(u), atol=1e-14)


def test_a_recorded_call_like_the_latest_is_not_looked_at_again(u):
    class Tensor(exchanging()):
        looks = 0

        @property
        def requires_grad(self):
            Tensor.looks += 1
            return True

    given, out = Tensor(u), Tensor(np.zeros_like(u))
    core, numbers = heat._bind_numbers({"rate": 0.1}, 2)
    for _ in range(3):
        assert core.run((given, out), numbers, "auto", None, True)
    before = Tensor.looks
    u *= 2
    assert core.run((given, out), numbers, "auto", None, True)
    assert Tensor.looks == before and Tensor.asked["kept"] == 0
    np.testing.assert_allclose(out.array, of(u), atol=1e-14)
    assert not core.run((given, out), numbers, "auto", None, False)  # it is to be recorded
    assert core.run((given, out), (0.2,), "auto", None, True)
    np.testing.assert_allclose(out.array, of(u, 0.2), atol=1e-14)
    assert core.run((given, out), numbers, "auto", "simt:32", True)
    assert heat.record.device == "simt:32"
    out.array.flags.writeable = False
    with pytest.raises(TypeError, match="out is read-only"):
        core.run((given, out), numbers, "auto", None, True)


def test_other_arrays_numbers_and_schedules(u):
    offered = exchanging()
    given = [offered(u * i) for i in range(1, 12)]
    outs = [offered(np.zeros_like(u)) for _ in given]
    for rate in (0.1, 0.3, 0.0, -0.0):
        for _ in range(3):
            for a, out in zip(given, outs):
                heat(a, out=out, rate=rate)
                np.testing.assert_allclose(out.array, of(a.array, rate), atol=1e-13)
    often(given[0], outs[0], schedule="threads=1")
    assert heat.record.schedule.endswith("threads=1")
    often(given[0], outs[0], schedule="threads=2")
    assert heat.record.schedule.endswith("threads=2")
    often(given[0], outs[0], float("nan"))
    assert np.all(np.isnan(outs[0].array[1:-1, 1:-1, 1:-1]))


def test_the_same_memory_as_another_array(rng):
    offered = exchanging()
    memory, to = rng.random(4 * 6 * 8), np.zeros(4 * 6 * 8)
    for shape in ((4, 6, 8), (6, 4, 8), (3, 6, 8)):
        n = int(np.prod(shape))
        often(offered(memory[:n].reshape(shape)), offered(to[:n].reshape(shape)))
        inner = (slice(1, -1),) * 3
        right = of(memory[:n].reshape(shape))
        np.testing.assert_allclose(to[:n].reshape(shape)[inner], right[inner], atol=1e-14)
    wide = memory.reshape(4, 6, 8)
    out = offered(np.zeros((4, 6, 5)))
    often(offered(wide[:, :, :5]), out)
    np.testing.assert_allclose(out.array, of(wide[:, :, :5]), atol=1e-14)
    half = memory.view(np.float32)[: 4 * 6 * 8].reshape(4, 6, 8)
    half[...] = rng.random(half.shape)
    out = offered(np.zeros((4, 6, 8), np.float32))
    often(offered(half), out)
    np.testing.assert_allclose(out.array, of(half), atol=1e-6)


def test_what_is_refused_although_it_was_right_before(u):
    class Tensor(exchanging()):
        requires_grad = False

    given, out = Tensor(u), Tensor(np.zeros_like(u))
    often(given, out)
    out.array.flags.writeable = False
    with pytest.raises(TypeError, match="out is read-only"):
        heat(given, out=out, rate=0.1)
    out.array.flags.writeable = True
    given.requires_grad = True
    with pytest.raises(TypeError, match="u requires a gradient"):
        heat(given, out=out, rate=0.1)
    given.requires_grad = False
    with pytest.raises(TypeError, match="u has numbers that are neither"):
        given.array = u.astype(np.int64)
        heat(given, out=out, rate=0.1)


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def tensors(torch, *extents):
    u = torch.rand(extents, dtype=torch.float64, device=GPU)
    return u, torch.zeros_like(u)


def is_right(u, out, rate=0.1, most=1e-13):
    np.testing.assert_allclose(out.cpu().numpy(), of(u.cpu().numpy(), rate), atol=most)


@on_gpu
def test_graphs_of_a_launch_are_given(torch):
    u, out = tensors(torch, 9, 9, 70)
    often(u, out)
    with torch.profiler.profile() as seen:
        often(u, out, times=5)
        torch.cuda.synchronize()
    names = [e.name for e in seen.events()]
    assert names.count("cudaGraphLaunch") == 5
    assert sum("ridge" in name for name in names) == 5  # profilers see each kernel
    is_right(u, out)


@on_gpu
def test_contents_pointers_and_numbers_that_change(torch):
    all_of = [tensors(torch, 9, 20, 70) for _ in range(10)]
    for i in range(40):
        u, out = all_of[i % 3 if i < 30 else i % 10]
        u.mul_(1.1)
        heat(u, out=out, rate=0.1)
        is_right(u, out, most=1e-11)
    u, out = all_of[0]
    for rate in (0.1, 0.2, 0.1, 0.3, 0.1):
        often(u, out, rate)
        is_right(u, out, rate, 1e-11)


@on_gpu
def test_memory_that_is_freed_and_given_again(torch):
    u, out = tensors(torch, 8, 16, 64)
    often(u, out)
    places = u.data_ptr(), out.data_ptr()
    for shape in ((8, 16, 64), (16, 8, 64), (8, 8, 64)):
        del u, out
        u, out = torch.rand(shape, dtype=torch.float64, device=GPU), torch.zeros(shape, dtype=torch.float64, device=GPU)
        often(u, out)
        is_right(u, out)
    assert places[0] in (u.data_ptr(), out.data_ptr()) or places[1] in (u.data_ptr(), out.data_ptr())


@on_gpu
def test_torch_is_told_of_each_write(torch):
    u, out = tensors(torch, 8, 9, 10)
    for _ in range(5):
        read, written = u._version, out._version
        often(u, out, times=1)
        assert (u._version, out._version) == (read, written + 1)
    with torch.inference_mode():  # whose tensors have no versions
        u, out = tensors(torch, 8, 9, 10)
        often(u, out)
        is_right(u, out)


@on_gpu
def test_other_streams(torch):
    u, out = tensors(torch, 20, 40, 64)
    late = torch.zeros_like(u)
    streams = [torch.cuda.default_stream(), torch.cuda.Stream(), torch.cuda.Stream(priority=-1)]
    for stream in streams * 2:
        with torch.cuda.stream(stream):
            often(late, out)
            stream.synchronize()
            torch.cuda._sleep(100_000_000)
            late.copy_(u)
            heat(late, out=out, rate=0.1)
            assert not stream.query(), "the call came back before the work was done"
            found = out.clone()
            late.zero_()
        stream.synchronize()
        is_right(u, found)


@on_gpu
def test_a_graph_of_torch_beside(torch):
    u, out = tensors(torch, 10, 20, 64)
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        often(u, out)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        often(u, out)
        often(out, u)
    for _ in range(3):
        u.copy_(torch.rand_like(u))
        before = u.clone()
        graph.replay()
        torch.cuda.synchronize()
        is_right(before, out)
        with torch.cuda.stream(stream):
            often(u, out)
        torch.cuda.synchronize()
        is_right(u, out)


@on_gpu
def test_threads_and_a_recording_of_another(torch):
    wrong = []

    def work(own):
        try:
            with torch.cuda.stream(own):
                for _ in range(20):
                    u, out = tensors(torch, 9, 12, 40)
                    often(u, out, times=6)
                    own.synchronize()
                    is_right(u, out)
        except Exception as e:  # noqa: BLE001
            wrong.append(e)

    shared = torch.cuda.Stream()
    threads = [threading.Thread(target=work, args=(s,))
               for s in (shared, shared, torch.cuda.Stream(), torch.cuda.default_stream())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    # Launches are recorded apart: what another thread records at the time is not disturbed.
    a, b = tensors(torch, 9, 9, 40)
    mine, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    u, out = tensors(torch, 9, 10, 40)
    with torch.cuda.stream(mine):
        often(a, b, times=1)
        often(u, out, times=2)
    torch.cuda.synchronize()

    def elsewhere():
        with torch.cuda.stream(shared):
            often(a, b)

    with torch.cuda.stream(shared):
        often(a, b, times=2)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=mine, capture_error_mode="thread_local"):
        heat(u, out=out, rate=0.1)
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        heat(out, out=u, rate=0.1)
    torch.cuda.synchronize()
    is_right(a, b)
    before = u.clone()
    graph.replay()
    torch.cuda.synchronize()
    is_right(before, out)


@on_gpu
def test_pairs_and_chains(torch):
    @ridge.pairs(targets=3, sources=4, sums=3)
    def gravity(t, s, eps2):
        d = [s[i] - t[i] for i in range(3)]
        w = ridge.rsqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + eps2)
        return [s[3] * w * w * w * x for x in d]

    @ridge.chain(edge="periodic")
    def smooth(u, rate=0.1):
        g = u[1] - u[-1]
        return u[0] + rate * (g[1] - g[-1])

    bodies = torch.rand((4, 501), dtype=torch.float64, device=GPU)
    forces = torch.zeros((3, 501), dtype=torch.float64, device=GPU)
    line = torch.rand(10007, dtype=torch.float64, device=GPU)
    to = torch.zeros_like(line)
    for _ in range(6):
        bodies.copy_(torch.rand_like(bodies))
        line.copy_(torch.rand_like(line))
        gravity(bodies, out=forces, eps2=1e-2)
        smooth(line, out=to)
        d = bodies[:3, None, :] - bodies[:3, :, None]
        right = (bodies[3] * d * ((d**2).sum(0) + 1e-2) ** -1.5).sum(-1)
        torch.testing.assert_close(forces, right, rtol=1e-10, atol=1e-8)
        g = torch.roll(line, -1) - torch.roll(line, 1)
        right = line + 0.1 * (torch.roll(g, -1) - torch.roll(g, 1))
        torch.testing.assert_close(to, right, rtol=1e-12, atol=1e-13)


@on_gpu
def test_a_second_gpu(torch):
    if torch.cuda.device_count() < 2:
        pytest.skip("there is one GPU")
    there = torch.rand((9, 9, 70), dtype=torch.float64, device="cuda:1")
    out = torch.zeros_like(there)
    often(there, out)  # while the current device is the first
    is_right(there, out)
