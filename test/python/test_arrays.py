"""Arrays are used where they are, or refused with what would be right."""

import sys

import numpy as np
import pytest
from conftest import Producer, exchanging, heat_of

import ridge


@pytest.fixture
def u(rng):
    return rng.standard_normal((6, 7, 8))


def view_of_rows(u):
    """Rows and planes with gaps, x contiguous."""
    wide = np.full((u.shape[0], u.shape[1] + 2, u.shape[2] + 3), 9.0)
    wide[:, :u.shape[1], :u.shape[2]] = u
    return wide, wide[:, :u.shape[1], :u.shape[2]]


def test_rows_with_gaps_are_used_in_place(heat, device, u):
    wide, given = view_of_rows(u)
    memory, out = view_of_rows(np.zeros_like(u))
    before = memory.copy()
    heat(given, out=out, rate=0.2, device=device)
    np.testing.assert_allclose(out, heat_of(u, 0.2, np.zeros_like(u)), atol=1e-14)
    out[...] = 0
    np.testing.assert_array_equal(memory, before)


def test_a_measurement_leaves_what_a_call_leaves(heat, u):
    memory, out = view_of_rows(np.full_like(u, 3.0))
    before = memory.copy()
    record = heat.measure(u, out=out, rate=0.2, repeat=3)
    assert record.ok and record.repeats == 3
    np.testing.assert_allclose(out, heat_of(u, 0.2, np.full_like(u, 3.0)), atol=1e-14)
    out[...] = 3.0
    np.testing.assert_array_equal(memory, before)
    assert heat.measure(u, out=out, rate=0.2, repeat=3, check=False).ok is None


@pytest.mark.parametrize("versioned", [True, False])
def test_arrays_of_other_libraries(heat, u, versioned):
    given, out = Producer(u, versioned=versioned), Producer(np.zeros_like(u), versioned=versioned)
    assert heat(given, out=out, rate=0.2) is out
    np.testing.assert_allclose(out.array, heat_of(u, 0.2, np.zeros_like(u)), atol=1e-14)
    # The host's memory has no stream, and nothing else is asked for.
    assert all(options["stream"] is None for options in given.asked)
    with pytest.raises(TypeError, match="pass out="):
        heat(given, rate=0.2)


def test_arrays_that_their_library_offers_to_c(heat, u):
    offered = exchanging()
    given, out = offered(u), offered(np.zeros_like(u))
    assert heat(given, out=out, rate=0.2) is out
    np.testing.assert_allclose(out.array, heat_of(u, 0.2, np.zeros_like(u)), atol=1e-14)
    assert offered.asked == {"described": 2, "kept": 0}  # outlined, and looked at
    wide, rows = view_of_rows(u)
    heat(offered(rows), out=out, rate=0.3)
    np.testing.assert_allclose(out.array, heat_of(u, 0.3, np.zeros_like(u)), atol=1e-14)
    read_only = np.zeros_like(u)
    read_only.flags.writeable = False
    with pytest.raises(TypeError, match="out is read-only"):
        heat(given, out=offered(read_only), rate=0.2)
    with pytest.raises(TypeError, match="u has numbers that are neither float32 nor float64"):
        heat(offered(u.astype(np.int64)), out=out, rate=0.2)
    with pytest.raises(TypeError, match="out is on cuda:0, and the first array on cpu"):
        heat(given, out=offered(u, (2, 0)), rate=0.2)
    assert offered.asked["kept"] == 0  # nothing is leaked where a call is refused


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have buffers since Python 3.12")
def test_arrays_that_let_their_memory_be_used_on_the_host_alone(heat, u):
    class OfGpus(Producer):  # as JAX's are
        def __buffer__(self, flags):
            raise BufferError("not on this device")

    given = OfGpus(u)
    np.testing.assert_allclose(heat(given, out=np.zeros_like(u), rate=0.2),
                               heat_of(u, 0.2, np.zeros_like(u)), atol=1e-14)
    assert given.asked

    class Closed:
        def __buffer__(self, flags):
            raise BufferError("never")

    with pytest.raises(TypeError, match="u does not let its memory be used"):
        heat(Closed(), out=np.zeros_like(u), rate=0.2)


def test_a_large_array_is_not_copied(heat):
    import resource

    # 4 GB of fields that are touched in a few places under a limit of 5 GB beside what is there.
    with open("/proc/self/statm", encoding="ascii") as f:
        now = int(f.read().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    a = np.zeros((3, 3, 200))
    heat(a, rate=0.1)  # compiled and loaded
    resource.setrlimit(resource.RLIMIT_AS, (now + (5 << 30), limits[1]))
    try:
        whole = np.zeros((2, 2, 1 << 26))  # 2 GB, and another of 2 GB
        out = np.zeros_like(whole)
        with pytest.raises(ridge.UsageError, match="leave nothing to compute"):
            heat(whole, out=out, rate=0.1)
        part, to = whole.reshape(8, 8, -1)[:3, :3], out.reshape(8, 8, -1)[:3, :3]
        assert to.base is not None
        heat(part[:, :, :64], out=to[:, :, :64], rate=0.1)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.mark.parametrize("make, says", [
    (lambda u: u.astype(np.int64), "u has elements of type int64; float32 and float64"),
    (lambda u: u.astype(np.float16), "out is float64, and u float16"),
    (lambda u: u.astype(complex), "float32 and float64"),
    (lambda u: u.astype(">f8"), "other byte order"),
    (lambda u: np.asfortranarray(u), "not contiguous along its last axis"),
    (lambda u: u[:, :, ::2], "not contiguous along its last axis"),
    (lambda u: u[:, :, ::-1], "not contiguous along its last axis"),
    (lambda u: u[::-1], "another order than C's"),
    (lambda u: u.transpose(1, 0, 2), "another order than C's"),
    (lambda u: np.broadcast_to(u[:1], u.shape), "another order than C's"),
    (lambda u: u[:0], "is empty"),
    (lambda u: np.float64(1), "has 0 dimensions"),
    (lambda u: u.tolist(), "u is no array but list"),
    (lambda u: None, "u is no array but NoneType"),
])
def test_inputs_that_are_refused(heat, u, make, says):
    with pytest.raises(TypeError, match=says) as caught:
        heat(make(u), out=np.zeros_like(u), rate=0.1)
    assert str(caught.value).startswith("heat: ") and "\n" not in str(caught.value)


def test_outputs_that_are_refused(heat, u):
    out = np.zeros_like(u)
    out.flags.writeable = False
    with pytest.raises(TypeError, match="out is read-only"):
        heat(u, out=out, rate=0.1)
    with pytest.raises(TypeError, match="out is read-only|cannot be used in place"):
        heat(u, out=Producer(out), rate=0.1)
    with pytest.raises(TypeError, match="out is float32, and u float64"):
        heat(u, out=np.zeros(u.shape, np.float32), rate=0.1)
    with pytest.raises(ridge.UsageError, match=r"out \(6, 7, 9\)"):
        heat(u, out=np.zeros((6, 7, 9)), rate=0.1)
    both = np.zeros((7, 7, 8))
    with pytest.raises(ridge.UsageError, match="overlap"):
        heat(both[:6], out=both[1:], rate=0.1)
    read_only = u.copy()
    read_only.flags.writeable = False
    heat(read_only, out=np.zeros_like(u), rate=0.1)


def test_wrong_rank_and_extents(heat, u):
    with pytest.raises(TypeError, match="u has 2 dimensions; this kernel's arrays have 3"):
        heat(u[0], out=np.zeros_like(u[0]), rate=0.1)
    with pytest.raises(ridge.UsageError, match=r"at least \(3, 3, 3\)"):
        heat(u[:2], out=np.zeros_like(u[:2]), rate=0.1)


def test_arrays_that_their_library_does_not_give(heat, u):
    class Gradient(Producer):
        requires_grad = True

    with pytest.raises(TypeError, match=r"requires a gradient.*detach"):
        heat(Gradient(u), out=np.zeros_like(u), rate=0.1)
    with pytest.raises(TypeError, match="u cannot be used in place: not today"):
        heat(Producer(u, refuses=BufferError("not today")), out=np.zeros_like(u), rate=0.1)

    class Elsewhere(Producer):
        def __dlpack_device__(self):
            return (12, 0)

    with pytest.raises(TypeError, match="DLPack type 12"):
        heat(Elsewhere(u), out=np.zeros_like(u), rate=0.1)


def test_devices_and_schedules(heat, u):
    out = np.zeros_like(u)
    with pytest.raises(ridge.UsageError, match="unknown device 'gpu'"):
        heat(u, out=out, rate=0.1, device="gpu")
    with pytest.raises(TypeError, match="arrays are on cpu, which cuda:0 cannot use"):
        heat(u, out=out, rate=0.1, device="cuda:0")
    with pytest.raises(ridge.UsageError, match="tiles"):
        heat(u, out=out, rate=0.1, schedule="tiles=3")
    with pytest.raises(ridge.UsageError, match="one schedule"):
        heat(u, out=out, rate=0.1, schedule="all")
    assert not out.any()


def test_numbers(heat, u):
    with pytest.raises(TypeError, match="has no speed; its numbers are rate"):
        heat(u, speed=1)
    with pytest.raises(TypeError, match="not 2; numbers are given by name"):
        heat(u, 0.1)
    with pytest.raises(TypeError, match=r"rate='much' \(str\): a number is right"):
        heat(u, rate="much")

    @ridge.stencil
    def scaled(u, a):
        return a * u[0]

    with pytest.raises(TypeError, match="lacks a"):
        scaled(u)
