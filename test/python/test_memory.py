"""Arrays that share memory, and those that lie where no kernel can take them: refused by name."""

import numpy as np
import pytest

import ridge


@pytest.fixture(scope="module")
def pull():
    @ridge.pairs(targets=1, sources=1, sums=1)
    def pull(t, s):
        return [s[0] - t[0]]

    return pull


@pytest.fixture(scope="module")
def rise():
    @ridge.chain
    def rise(u, v):
        return v[3] - u[0]

    return rise


def unaligned(shape, by):
    """An array of float64 that begins `by` bytes behind a multiple of 8."""
    size = 8 * int(np.prod(shape))
    memory = np.zeros(size + 16, np.uint8)
    begin = -memory.ctypes.data % 8 + by
    return memory[begin:begin + size].view(np.float64).reshape(shape)


def test_sums_of_pairs_lie_apart(pull):
    q = np.arange(5.0).reshape(1, 5)
    right = [[10, 5, 0, -5, -10]]
    np.testing.assert_array_equal(pull(q), right)
    for call in (pull, pull.measure):
        with pytest.raises(ridge.UsageError, match="^pull: out overlaps bodies, "):
            call(q, out=q)
        with pytest.raises(ridge.UsageError, match="^pull: out overlaps targets, "):
            call(q, q.copy(), out=q)
        with pytest.raises(ridge.UsageError, match="^pull: out overlaps sources, "):
            call(q.copy(), q, out=q)
    np.testing.assert_array_equal(q, [np.arange(5)])
    rows = np.zeros((4, 5))
    rows[::2] = q
    pull(rows[:1], rows[2:3], out=rows[1:2])  # one array, and no row twice
    np.testing.assert_array_equal(rows[1:2], right)
    with pytest.raises(ridge.UsageError, match="overlaps targets"):
        pull(rows.reshape(-1)[:5], rows[2:3], out=rows.reshape(-1)[4:9].reshape(1, 5))


def test_chains_and_stencils_lie_apart(heat, rise, device):
    u = np.arange(64.0)
    with pytest.raises(ridge.UsageError, match="^rise: out overlaps v, which the launch reads"):
        rise(u.copy(), u, out=u, device=device)
    np.testing.assert_array_equal(u, np.arange(64))
    a = np.ones((8, 9, 10))
    with pytest.raises(ridge.UsageError, match="^heat: out overlaps u, "):
        heat(a[:6], out=a[2:], device=device)


def test_time_levels_lie_apart():
    @ridge.stencil
    def wave(now, old, c):
        return 2 * now[0, 0] - old[0, 0] + c[0, 0] * (now[0, 1] - now[0, -1])

    in_time = ridge.sweeps(wave, levels=2, boundary="periodic")
    a, b, c = (np.random.default_rng(i).standard_normal((16, 12)) for i in range(3))
    kept = a.copy()
    for arrays, says in [((a, a, c), "^wave: old overlaps now, which the launch writes, too"),
                         ((a, b, a), "^wave: now overlaps c, which the launch reads"),
                         ((b, a, a), "^wave: old overlaps c, which the launch reads")]:
        with pytest.raises(ridge.UsageError, match=says):
            in_time.run(*arrays, steps=2)
    np.testing.assert_array_equal(a, kept)


@pytest.mark.parametrize("by", [1, 4])
def test_unaligned_arrays(heat, pull, device, by):
    a = np.random.default_rng(by).standard_normal((6, 40, 64))
    bad = unaligned(a.shape, by)
    bad[:] = a
    says = r"^heat: {} begins at an address that is no multiple of 8 bytes"
    with pytest.raises(ridge.UsageError, match=says.format("out")):
        heat(a, out=bad, device=device)
    with pytest.raises(ridge.UsageError, match=says.format("u")):
        heat(bad, device=device)
    with pytest.raises(ridge.UsageError, match=says.format("u")):
        ridge.sweeps(heat, boundary="periodic").run(bad, steps=1, device=device)
    with pytest.raises(ridge.UsageError, match="^pull: bodies begins at an address"):
        pull(bad[0, :1], device=device)
    np.testing.assert_array_equal(bad, a)
    np.testing.assert_array_equal(heat(bad.copy(), device=device), heat(a, device=device))


def test_a_mapped_file_behind_a_header(heat, tmp_path):
    file = tmp_path / "field"
    file.write_bytes(bytes(12 + 8 * 16 * 32 * 64))
    mapped = np.memmap(file, np.float64, "r+", 12, (16, 32, 64))
    with pytest.raises(ridge.UsageError, match="^heat: out begins at an address"):
        heat(np.ones((16, 32, 64)), out=mapped, schedule="store=nontemporal threads=1")


def test_shapes_are_said_as_numpy_says_them(heat, rise):
    a = np.ones((7, 8, 9))
    for call, says in [
            (lambda: heat(a, out=np.ones((9, 8, 7))),
             r"^heat: u has the shape \(7, 8, 9\) and out \(9, 8, 7\); all arrays must have one$"),
            (lambda: heat(np.ones((2, 8, 9))),
             r"^heat: arrays of shape \(2, 8, 9\) leave nothing to compute; this stencil needs at least "
             r"\(3, 3, 3\)$"),
            (lambda: rise(np.ones(2), np.ones(2)),
             r"^rise: arrays of shape \(2,\) .* this chain needs at least \(4,\)$")]:
        with pytest.raises(ridge.UsageError, match=says):
            call()


def test_more_dimensions_than_a_kernel_can_have(pull):
    with pytest.raises(ridge.UsageError, match="^pull: bodies has 3 dimensions; 1 to 2 are possible"):
        pull(np.ones((2, 1, 5)), out=np.ones((1, 5)))
