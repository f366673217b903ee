"""torch.compile keeps kernels whole: graphs without a break, with gradients."""

import pytest

import ridge

torch = pytest.importorskip("torch")
if not hasattr(getattr(torch, "library", None), "register_autograd"):
    pytest.skip(f"torch {torch.__version__} has no custom operators; from 2.4 on it has", allow_module_level=True)
SIMT = "simt:32"


@pytest.fixture(scope="module")
def step():
    @ridge.stencil
    def step(u, k, m, rate=0.1):
        return u[0, 0] + rate * k[0, 0] * u[0, 1] * u[1, 0] + ridge.floor(m[0, 0])

    return step


def tensors(*shapes):
    return [torch.rand(s, dtype=torch.float64, requires_grad=True) for s in shapes]


def gradients(f, inputs):
    loss = f(*inputs).square().sum()
    return [loss, *torch.autograd.grad(loss, inputs)]


def same(f, inputs):
    whole = torch.compile(f, fullgraph=True, backend="aot_eager")
    for a, b in zip(gradients(whole, inputs), gradients(f, inputs)):
        assert torch.allclose(a, b, rtol=1e-13)


def test_a_stencil(step):
    u, k = tensors((6, 7), (6, 7))
    rate, m = torch.tensor(0.3, dtype=torch.float64, requires_grad=True), torch.rand((6, 7), dtype=torch.float64)
    same(lambda u, k, rate: step(step(u, k, m, rate=rate, device=SIMT) * 2, k, m, device=SIMT), (u, k, rate))

    def into(u, k):
        out = k * 3
        step(u, k, m, out=out, rate=0.2, device=SIMT)
        return out.sin()

    same(into, (u, k))
    with torch.no_grad():
        assert torch.equal(torch.compile(into, fullgraph=True, backend="aot_eager")(u, k), into(u, k))


def test_operators_are_well_formed(step):
    u, k, m = (x.detach() for x in tensors((6, 7), (6, 7), (6, 7)))
    u.requires_grad_()
    torch.library.opcheck(torch.ops.ridge.call.default, ([u, k, m], [], [], [0.2], step._key, "rate", "auto", SIMT))


def test_several_results_and_pairs():
    @ridge.chain(edge="periodic")
    def pair(u, v):
        return u[0, 1] * v[0, 0], ridge.sin(u[1, 0]) * v[0, 0]

    @ridge.pairs(targets=3, sources=3, sums=1)
    def near(t, s, width=2.0):
        return [ridge.exp(-width * sum((a - b)**2 for a, b in zip(t, s)))]

    same(lambda u, v: pair(*pair(u, v, device=SIMT), device=SIMT)[1], tensors((4, 5), (4, 5)))
    same(lambda x: near(x, cutoff=0.5, box=(1.5, 1.5, None), device=SIMT) * x, tensors((3, 9)))


def test_refused_when_it_is_compiled(step):
    u, k, m = tensors((6, 7), (6, 7), (6, 7))
    with pytest.raises(Exception, match="no derivative by m"):
        torch.compile(lambda m: step(u, k, m, device=SIMT), fullgraph=True, backend="aot_eager")(m)
