"""ridge.solve: elliptic problems on arrays where they lie."""

import copy
import pickle

import numpy as np
import pytest

import ridge

BOX = {"x": "dirichlet:0", "y": "periodic", "z-": "neumann:0.5", "z+": "dirichlet:1"}


def applied(u, h=(1.0, 1.0, 1.0)):
    """The laplacian at the points inside."""
    inner = u[1:-1, 1:-1, 1:-1]
    total = 0
    for axis in range(3):
        low, high = [slice(1, -1)] * 3, [slice(1, -1)] * 3
        low[axis], high[axis] = slice(None, -2), slice(2, None)
        total = total + (u[tuple(low)] - 2 * inner + u[tuple(high)]) / h[axis] ** 2
    return total


@pytest.mark.parametrize("method", ["auto", "multigrid", "cg"])
@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-8), (np.float32, 2e-4)])
def test_solves_in_place(method, dtype, tolerance):
    f = np.random.default_rng(1).standard_normal((10, 12, 14)).astype(dtype)
    out = np.full_like(f, np.nan)
    h = (0.5, 1.0, 2.0)
    result = ridge.solve("poisson", f, out=out, boundary=BOX, spacing=h, method=method)
    assert result.out is out and result.converged and result.residual == result.residuals[-1] <= 1e-5
    assert np.abs(applied(out.astype(float), h) - f[1:-1, 1:-1, 1:-1]).max() < tolerance * 10
    assert np.all(out[-1] == 1) and np.all(out[:-1, :, 0] == 0)
    assert result.iterations == len(result.residuals) - 1 and result.seconds > 0 and result.fraction > 0
    assert result.method.startswith("fft" if method == "auto" else method) and "converged" in repr(result)


def test_tiles_are_a_schedule():
    f = np.random.default_rng(1).standard_normal((19, 21, 27))
    words = {"boundary": "dirichlet:0", "method": "multigrid"}
    usual = ridge.solve("poisson", f, device="simt:32", **words)
    laid = ridge.solve("poisson", f, device="simt:32", schedule="down=small up=large", **words)
    assert laid.tiles == "small/large" and "/" in usual.tiles and laid.iterations == usual.iterations
    assert np.abs(laid.out - usual.out).max() < 1e-12 * np.abs(usual.out).max()
    for schedule, says in (("down=tiny", "expected auto, large, small, cells"), ("cycle=w", "it says down, up and march_from"),
                           ("up=small", "on cpu there is none such")):
        with pytest.raises(ridge.UsageError, match=says):
            ridge.solve("poisson", f, schedule=schedule, device="cpu", **words)


def test_diffusion_helmholtz_and_guesses():
    random = np.random.default_rng(2)
    f, k = random.standard_normal((9, 11)), 10 ** random.uniform(-1, 1, (9, 11))
    result = ridge.solve("diffusion", f, coefficient=k, boundary="dirichlet:0")
    u = result.out
    between = [2 * a * b / (a + b) for a, b in ((k[:-1], k[1:]), (k[:, :-1], k[:, 1:]))]
    flux = [between[0] * np.diff(u, axis=0), between[1] * np.diff(u, axis=1)]
    got = np.diff(flux[0], axis=0)[:, 1:-1] + np.diff(flux[1], axis=1)[1:-1]
    assert np.abs(got - f[1:-1, 1:-1]).max() < 1e-7 and result.method == "cg"

    first = ridge.solve("helmholtz", f, shift=2.5, boundary="periodic", method="multigrid", tol=1e-3)
    more = ridge.solve("helmholtz", f, out=first.out, guess=True, shift=2.5, boundary="periodic", method="multigrid")
    assert more.residuals[0] <= 1e-3 and more.converged
    symbol = sum((2 * np.cos(2 * np.pi * np.fft.fftfreq(n)) - 2).reshape(s) for n, s in ((9, (9, 1)), (11, (1, 11)))) - 2.5
    assert np.abs(more.out - np.fft.ifft2(np.fft.fft2(f) / symbol).real).max() < 1e-8


def test_the_last_problem_is_kept():
    """Calls with the problem of the one before take its solver; others in between change nothing."""
    f = np.random.default_rng(5).standard_normal((9, 10, 12))
    words = dict(boundary={"x": "dirichlet:0", "y": "mirror", "z": "neumann:0.5"}, method="multigrid")
    first = ridge.solve("poisson", f, **words).out
    assert np.all(ridge.solve("poisson", f, **words).out == first)
    twice = ridge.solve("poisson", 2 * f, **words)
    near = ridge.solve("poisson", f, spacing=1.0000001, **words).out
    assert not np.all(near == first) and np.abs(near - first).max() < 1e-3
    assert ridge.solve("poisson", f.astype(np.float32), **words).converged
    shifted = ridge.solve("helmholtz", f, shift=1, **words).out
    masked = ridge.solve("poisson", f, mask=(np.indices(f.shape)[2] > 9).astype(float), boundary=words["boundary"]).out
    assert np.abs(shifted - first).max() > 1e-3 and np.abs(masked - first).max() > 1e-3
    again = ridge.solve("poisson", f, **words)
    assert np.all(again.out == first) and again.converged and twice.converged
    guessed = ridge.solve("poisson", f, out=first.copy(), guess=True, **words)
    assert guessed.residuals[0] <= 1e-10 and guessed.iterations == 0


def test_cycles_and_smoothers():
    f = np.random.default_rng(4).standard_normal((10, 12, 14))
    plain = ridge.solve("poisson", f, boundary=BOX, cycle="v", device="cpu")
    for words, schedule in ((dict(cycle="w"), "multigrid W(1,1) red-black"), (dict(smoother="chebyshev"), "multigrid V(2,2)"),
                            (dict(cycle="f", smoother="chebyshev"), "multigrid F(2,2)"),
                            (dict(precision="mixed"), "multigrid V(1,1) red-black in fp32")):
        result = ridge.solve("poisson", f, boundary=BOX, device="cpu", **words)
        assert result.converged and result.schedule == schedule and result.method == "multigrid"
        assert np.abs(result.out - plain.out).max() < 1e-8
    assert plain.schedule == "multigrid V(1,1) red-black"  # what is fastest on a cpu
    with pytest.raises(ridge.UsageError, match="precision mixed: fields in fp32"):
        ridge.solve("poisson", f.astype(np.float32), boundary=BOX, precision="mixed", device="cpu")


def test_masks():
    f, mask, k = np.random.default_rng(4).standard_normal((8, 9)), np.zeros((8, 9)), np.full((8, 9), 2.0)
    mask[2:6, 5:] = 1
    result = ridge.solve("poisson", f, mask=mask, boundary={"x": "periodic", "y": "dirichlet:0"})
    u = result.out
    assert np.all(u[mask != 0] == 0) and result.converged and result.method == "cg"
    flux = 0  # into each point that takes part, from neighbours that do
    for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
        flux = flux + np.where(np.roll(mask, step, axis) == 0, np.roll(u, step, axis) - u, 0)
    inside = (mask == 0) & (np.arange(8) % 7 != 0)[:, None]
    assert np.abs(flux - f)[inside].max() < 1e-8
    k[mask != 0] = np.nan
    twice = ridge.solve("diffusion", 2 * f, coefficient=k, mask=mask, boundary={"x": "periodic", "y": "dirichlet:0"})
    assert np.abs(twice.out - u).max() < 1e-8


def oracle(f, mask, k, walls, h, shift):
    """By its meaning: nothing flows into masked points, and u is 0 there. `walls`: by axis (kind, value) low and high."""
    n, solved = f.shape, mask == 0
    u = np.zeros(n)
    for axis, ends in enumerate(walls[::-1]):  # x first: later ones count
        axis = f.ndim - 1 - axis
        for side, (kind, value) in enumerate(ends):
            if kind == "dirichlet":
                face = tuple((-side if a == axis else slice(None)) for a in range(f.ndim))
                solved[face] = False
                u[face] = np.where(mask[face] == 0, value, 0)
    number = np.full(n, -1)
    number[solved] = np.arange(solved.sum())
    matrix, right = np.zeros((solved.sum(),) * 2), f[solved].copy()
    for at in zip(*np.nonzero(solved)):
        row = number[at]
        matrix[row, row] -= shift
        for axis, ends in enumerate(walls):
            for side, step in ((0, -1), (1, 1)):
                kind, value = ends[side]
                there = list(at)
                there[axis] += step
                if not 0 <= there[axis] < n[axis]:
                    if kind == "mirror":
                        continue
                    if kind == "neumann":  # half a volume: as much flows on both sides, and k G
                        right[row] -= 2 * k[at] * value / h[axis]
                        there[axis] = at[axis] - step
                    there[axis] %= n[axis]
                there = tuple(there)
                if mask[there] != 0:
                    continue
                w = 2 * k[at] * k[there] / (k[at] + k[there]) / h[axis] ** 2
                matrix[row, row] -= w
                if solved[there]:
                    matrix[row, number[there]] += w
                else:
                    right[row] -= w * u[there]
    u[solved] = np.linalg.solve(matrix, right)
    return u


KINDS = [("dirichlet", 3.0), ("dirichlet", -1.0), ("neumann", 0.5), ("neumann", -2.0), ("mirror", None)]


@pytest.mark.parametrize("shape", [(6,), (5, 7), (4, 6, 5)])
@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_masks_on_all_kinds_of_faces(shape, device):
    """Masked points of dirichlet faces gave the face's value to their neighbours. A shift fixes parts that are cut off."""
    random = np.random.default_rng(len(shape))
    for _ in range(12):
        walls = []
        for _ in shape:
            ends = [KINDS[i] for i in random.integers(len(KINDS), size=2)]
            walls.append([("periodic", None)] * 2 if random.random() < 0.2 else ends)
        text = {}
        for axis, ends in enumerate(walls):
            for way, (kind, value) in zip("-+", ends):
                text["xyz"[len(shape) - 1 - axis] + way] = kind if value is None else f"{kind}:{value}"
        for name in [n[0] for n in text if text[n] == "periodic" and n[1] == "-"]:
            text[name] = text.pop(name + "-")
            del text[name + "+"]
        f, k = random.standard_normal(shape), 10 ** random.uniform(-1, 1, shape)
        mask = (random.random(shape) < 0.4).astype(float)
        h = tuple(random.uniform(0.5, 2, len(shape)))
        right = oracle(f, mask, k, walls, h, 0.1)
        if not (mask == 0).any() or not right.any():
            continue
        for method in ("multigrid", "cg"):
            for kind, off in ((float, 1e-8), (np.float32, 2e-4)):
                given = [a.astype(kind) for a in (f, k, mask)]
                result = ridge.solve("diffusion", given[0], coefficient=given[1], mask=given[2], boundary=text, spacing=h, shift=0.1,
                                     method=method, device=device)
                assert result.converged, (text, result)
                assert np.abs(result.out - right).max() <= off * np.abs(right).max(), (text, method, kind)


def test_rounding_ends_solves():
    """Of smooth right-hand sides fp32 leaves more of the residual than `tol`, though u is right."""
    n = 129
    x = np.linspace(0, 1, n)
    right = np.sin(np.pi * x) * np.sin(np.pi * x)[:, None]
    f = (-2 * (2 * (n - 1) * np.sin(np.pi / (n - 1) / 2)) ** 2 * right).astype(np.float32)
    for method in ("multigrid", "cg", "fft"):
        result = ridge.solve("poisson", f, boundary="dirichlet:0", spacing=1 / (n - 1), method=method)
        assert result.converged and result.criterion == "rounding" and result.residual > 1e-5, method
        assert result.backward_error < 1.2e-7 and result.error < 1e-5 and "converged to rounding" in repr(result)
        assert np.abs(result.out - right).max() < 2e-6
    result = ridge.solve("poisson", f, boundary="dirichlet:0", spacing=1 / (n - 1), tol=0.01)
    assert result.converged and result.criterion == "residual" and result.backward_error is None


def test_jumps_that_fp32_cannot_bear_go_on_in_fp64():
    f, (y, x) = np.random.default_rng(5).standard_normal((33, 33)), np.indices((33, 33))
    found = {}
    for kind in (np.float32, np.float64):
        k = np.where((x // 8 + y // 8) % 2 == 0, 1.0, 1e8).astype(kind)
        found[kind] = ridge.solve("diffusion", f.astype(kind), coefficient=k, boundary="dirichlet:0", tol=1e-5, device="cpu")
        assert found[kind].converged and found[kind].in_fp64 == (kind == np.float32)
    narrow, wide = (found[kind].out for kind in (np.float32, np.float64))
    assert np.abs(narrow - wide).max() < 1e-4 * np.abs(wide).max()


def test_masks_and_jumps_that_make_conjugate_gradients_slow():
    """They were given up after nine iterations whose residual had not fallen. SciPy solves them directly."""
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.linalg import spsolve
    random = np.random.default_rng(0)
    shape, h = (30, 24), (0.1, 1.0)
    for decades, masked in ((0, True), (4, True), (6, False), (8, False)):
        k = 10 ** random.uniform(-decades / 2, decades / 2, shape)
        mask = (random.random(shape) < 0.3) * float(masked)
        mask[:, [0, -1]] = 0
        reached = np.zeros(shape, bool)
        reached[:, [0, -1]] = True
        while True:
            grown = reached.copy()
            grown[1:] |= reached[:-1]
            grown[:-1] |= reached[1:]
            grown[:, 1:] |= reached[:, :-1]
            grown[:, :-1] |= reached[:, 1:]
            grown &= mask == 0
            if (grown == reached).all():
                break
            reached = grown
        mask = np.where(reached, 0.0, 1.0)  # what is cut off, too
        solved = mask == 0
        solved[:, [0, -1]] = False
        number = np.full(shape, -1)
        number[solved] = np.arange(solved.sum())
        entries = []
        for axis in (0, 1):  # mirrors along the first axis, 0 at the faces of the second
            for step in (-1, 1):
                for at in zip(*np.nonzero(solved)):
                    there = (at[0] + step, at[1]) if axis == 0 else (at[0], at[1] + step)
                    if not 0 <= there[0] < shape[0] or mask[there] != 0:
                        continue
                    w = 2 * k[at] * k[there] / (k[at] + k[there]) / h[axis] ** 2
                    entries.append((number[at], number[at], -w))
                    if solved[there]:
                        entries.append((number[at], number[there], w))
        rows, columns, values = zip(*entries)
        matrix = sparse.csr_matrix((values, (rows, columns)), shape=(solved.sum(),) * 2)
        f = random.standard_normal(shape)
        result = ridge.solve("diffusion", f, coefficient=k, mask=mask, spacing=h, boundary={"x": "dirichlet:0", "y": "mirror"})
        right = spsolve(matrix, f[solved])
        assert result.converged and result.residual <= 2e-10, (decades, result)
        assert np.abs(result.out[solved] - right).max() <= 1e-6 * np.abs(right).max(), decades


def test_other_libraries_and_devices():
    f = np.random.default_rng(3).standard_normal((8, 9, 10))
    here = ridge.solve("poisson", f, boundary="dirichlet:0").out
    there = ridge.solve("poisson", f, boundary="dirichlet:0", device="simt:32")
    assert np.abs(here - there.out).max() < 1e-8 and there.fraction is None
    torch = pytest.importorskip("torch")
    result = ridge.solve("poisson", torch.tensor(f.tolist(), dtype=torch.float64), boundary="dirichlet:0")
    assert isinstance(result.out, torch.Tensor) and np.abs(np.array(result.out.tolist()) - here).max() < 1e-12


@pytest.mark.parametrize("words, says", [
    (dict(boundary="periodic"), r"mean is 1 too large \(project=True removes it\)"),
    (dict(boundary={"x": "periodic"}), "has no condition"),
    (dict(boundary="dirichlet:0", tol=2), "between 0 and 1"),
    (dict(boundary="dirichlet:0", shift=1), "shift is for helmholtz"),
    (dict(boundary="dirichlet:0", method="magic"), "auto, fft, multigrid or cg"),
    (dict(boundary="dirichlet:0", order=5), "2, 4, 6 or 8"),
    (dict(boundary="dirichlet:0", guess=True), "guess=True takes out"),
    (dict(boundary="dirichlet:0", coefficient=np.ones((5, 6))), "coefficient is for diffusion"),
    (dict(boundary="dirichlet:0", spacing=-1), "positive"),
    (dict(boundary="dirichlet:0", cycle="full"), "cycle is v, w or f"),
    (dict(boundary="dirichlet:0", cycle="x"), "cycle is v, w or f, not 'x'"),
    (dict(boundary="dirichlet:0", smoother="jacobi"), "chebyshev or red-black, not 'jacobi'"),
    (dict(boundary="dirichlet:0", method="cg", cycle="f"), "f is not symmetric"),
])
def test_what_is_refused(words, says):
    with pytest.raises(ridge.UsageError, match=says):
        ridge.solve("poisson", np.ones((5, 6)), **words)


def test_arrays_that_do_not_fit():
    with pytest.raises(ridge.UsageError):
        ridge.solve("poisson", np.ones((5, 6)), out=np.ones((5, 7)), boundary="dirichlet:0")
    with pytest.raises(TypeError):
        ridge.solve("poisson", [1.0, 2.0], boundary="dirichlet:0")
    with pytest.raises(ridge.UsageError, match="unknown operator"):
        ridge.solve("wave", np.ones((5, 6)), boundary="dirichlet:0")
    f = np.ones((5, 6))
    with pytest.raises((TypeError, ridge.UsageError)):
        ridge.solve("poisson", f, out=f, boundary="dirichlet:0")
    f[2, 3] = np.nan
    with pytest.raises(ridge.UsageError, match="values that are NaN or infinite"):
        ridge.solve("poisson", f, boundary="dirichlet:0", device="cpu")


def test_a_functor_in_a_file(tmp_path):
    file = tmp_path / "op.hpp"
    file.write_text("#include <ridge/stencil/kernel.hpp>\n"
                    "struct Op {\n"
                    "  static constexpr auto footprint = ridge::stencil::star<1>();\n"
                    "  double c = 7, lean = 0;\n"
                    "  template <class N> RIDGE_FN auto operator()(const N& u) const {\n"
                    "    return (6 + c) * u(0, 0, 0) - (u(-1, 0, 0) + (1 + lean) * u(1, 0, 0)) - (u(0, -1, 0) + u(0, 1, 0)) - "
                    "(u(0, 0, -1) + u(0, 0, 1));\n"
                    "  }\n"
                    "};\n")
    f = np.random.default_rng(6).standard_normal((7, 8, 9))
    result = ridge.solve(f"{file}:Op", f, boundary=BOX, numbers={"c": 0.5}, device="cpu")
    assert result.converged and result.method.startswith("cg (") and result.residual <= 1e-10
    wanted = ridge.solve("helmholtz", -f, boundary=BOX, shift=0.5, device="cpu").out
    assert np.abs(wanted).max() > 0.1 and np.abs(result.out - wanted).max() < 1e-8
    with pytest.raises(ridge.UsageError, match="not symmetric"):
        ridge.solve(f"{file}:Op", f, boundary=BOX, numbers={"lean": 0.5}, device="cpu")
    with pytest.raises(ridge.UsageError, match="a functor takes no"):
        ridge.solve(f"{file}:Op", f, boundary=BOX, shift=1.0)
    with pytest.raises(ridge.UsageError, match="numbers are of a functor"):
        ridge.solve("poisson", f, boundary=BOX, numbers={"c": 1})


@ridge.stencil
def screened(u, c=7.0, lean=0.0):
    return ((6 + c) * u[0, 0, 0] - (u[0, 0, -1] + (1 + lean) * u[0, 0, 1]) - (u[0, -1, 0] + u[0, 1, 0])
            - (u[-1, 0, 0] + u[1, 0, 0]))


@ridge.stencil
def product(u, v):
    return u[0, 0, 0] * v[0, 0, 0]


def test_a_kernel_of_python():
    f = np.random.default_rng(8).standard_normal((7, 8, 9))
    kept, out = f.copy(), np.full_like(f, np.nan)
    wanted = ridge.solve("helmholtz", -f, boundary=BOX, shift=0.5, device="cpu").out
    result = ridge.solve(screened, f, out=out, boundary=BOX, numbers={"c": 0.5})
    assert result.out is out and result.converged and result.residual <= 1e-10 and result.method == "cg (screened)"
    assert np.abs(out - wanted).max() < 1e-8 and np.array_equal(f, kept)
    with pytest.raises(ridge.UsageError, match="not symmetric"):
        ridge.solve(screened, f, boundary=BOX, numbers={"lean": 0.5})
    with pytest.raises(TypeError, match="has no shift"):
        ridge.solve(screened, f, boundary=BOX, numbers={"shift": 1})
    with pytest.raises(ridge.UsageError, match="reads one array; product reads u, v"):
        ridge.solve(product, f, boundary=BOX)
    with pytest.raises(ridge.UsageError, match="screened is of 3 dimensions, f has 2"):
        ridge.solve(screened, f[0], boundary="periodic")
    with pytest.raises(ridge.UsageError, match="a functor takes no"):
        ridge.solve(screened, f, boundary=BOX, smoother="chebyshev")


def test_a_kernel_of_python_on_tensors():
    torch = pytest.importorskip("torch")
    f = np.random.default_rng(8).standard_normal((7, 8, 9))
    tensor = torch.tensor(f.tolist(), dtype=torch.float64)  # torch may not know this numpy
    there = torch.full((7, 8, 9), float("nan"), dtype=torch.float64)
    address = there.data_ptr()
    result = ridge.solve(screened, tensor, out=there, boundary=BOX, numbers={"c": 0.5}, device="cpu")
    assert result.out is there and there.data_ptr() == address
    wanted = ridge.solve("helmholtz", -f, boundary=BOX, shift=0.5, device="cpu").out
    assert np.abs(np.array(there.tolist()) - wanted).max() < 1e-8


def test_a_kernel_of_python_on_a_plane():
    f = np.random.default_rng(9).standard_normal((12, 15)).astype("f4")
    result = ridge.solve(flat, f, boundary="periodic")
    assert result.converged and result.out.dtype == np.float32
    symbol = 5 - sum((2 * np.cos(2 * np.pi * np.fft.fftfreq(n))).reshape(s) for n, s in ((12, (12, 1)), (15, (1, 15))))
    assert np.abs(result.out - np.fft.ifft2(np.fft.fft2(f.astype(float)) / symbol).real).max() < 1e-4


@ridge.stencil
def flat(u):
    return 5 * u[0, 0] - (u[0, -1] + u[0, 1]) - (u[-1, 0] + u[1, 0])


U = np.arange(504.0).reshape(7, 8, 9)


def lambda_of():
    return ridge.stencil(lambda u: u[0] + u[1])


@pytest.mark.parametrize("call, says", [
    (lambda: ridge.solve("poisson", U, boundary=None), "boundary=None .NoneType.: a text"),
    (lambda: ridge.solve("poisson", U, boundary={"x": 0}), "boundary.'x'.=0"),
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", order=2.5), "solve: order=2.5; a whole number"),
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", iterations=1.5), "solve: iterations=1.5; a whole"),
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", method=3), "solve: method=3 .int.: a text"),
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", method=None), "solve: method=None .NoneType.: a text"),
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", schedule=None), "solve: schedule=None .NoneType.: a text"),
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", project="no"), "solve: project='no' .str.: True or False"),
    (lambda: ridge.solve([], U, boundary="dirichlet:0"), r"solve: operator=\[\] .list.: a text"),
    (lambda: ridge.solve("poisson", "f", boundary="dirichlet:0"), "solve: f is no array but str"),
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", tol="1"), "solve: tol='1' .str.: a number"),
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", spacing="a"), "spacing='a': one positive number"),
])
def test_types_of_options(call, says):
    with pytest.raises(TypeError, match=says):
        call()


@pytest.mark.parametrize("call, says", [
    (lambda: ridge.solve("poisson", U, boundary="dirichlet:0", iterations=-1), "solve: iterations=-1: at least 0"),
    (lambda: ridge.solve(lambda_of(), np.ones(9), boundary="periodic", numbers={"c": float("nan")}),
     "solve: numbers.'c'.=nan: a finite number"),
])
def test_sizes_of_options(call, says):
    with pytest.raises(ridge.UsageError, match=says):
        call()


def test_masks_of_bools(rng):
    f = rng.standard_normal((17, 17))
    mask = rng.random((17, 17)) < 0.2
    right = ridge.solve("poisson", f, boundary="dirichlet:0", mask=mask.astype(float))
    found = ridge.solve("poisson", f, boundary="dirichlet:0", mask=mask)
    np.testing.assert_array_equal(found.out, right.out)
    assert (found.out[mask] == 0).all() and mask.dtype == bool


def test_a_solution_is_pickled():
    one = ridge.solve("poisson", np.ones((9, 9)), boundary="dirichlet:0")
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert type(other) is type(one) and repr(vars(other)) == repr(vars(one))
