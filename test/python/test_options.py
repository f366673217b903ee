"""Options of a wrong kind: one line, with the kernel, the option and what would be right."""

import re

import numpy as np
import pytest

import ridge
from ridge import lattice


U = np.arange(504.0).reshape(7, 8, 9)


@pytest.mark.parametrize("option, says", [
    ({"device": 0}, "^heat: device=0: the name of a device is right, such as 'cpu'"),
    ({"schedule": None}, "^heat: schedule=None: a schedule's text or its name is right"),
    ({"repeat": 1.5}, "^heat: repeat=1.5; a whole number is right"),
    ({"repeat": True}, "^heat: repeat=True; a whole number is right"),
    ({"repeat": 10**30}, "^heat: repeat=1000000000000000000000000000000; a number that 64 bits"),
    ({"rate": 1j}, r"^heat: rate=1j \(complex\): a number is right"),
    ({"rate": "fast"}, r"^heat: rate='fast' \(str\): a number is right"),
])
def test_of_the_wrong_type(heat, option, says):
    with pytest.raises(TypeError, match=says) as caught:
        heat.measure(U, **option)
    assert "\n" not in str(caught.value)


def test_of_the_wrong_size(heat):
    with pytest.raises(ridge.UsageError, match="^heat: repeat=0; at least 1 is right"):
        heat.measure(U, repeat=0)
    in_time = ridge.sweeps(heat, boundary="periodic")
    with pytest.raises(ridge.UsageError, match="^heat: steps=0; at least 1 is right"):
        in_time.run(U.copy(), steps=0)
    with pytest.raises(TypeError, match="^heat: steps=2.5; a whole number is right"):
        in_time.run(U.copy(), steps=2.5)


def test_numbers_of_numpy(heat):
    np.testing.assert_array_equal(heat(U, rate=np.float32(0.5)), heat(U, rate=0.5))
    assert heat.measure(U, repeat=np.int64(2), check=np.bool_(True)).ok
    a, b = U.copy(), U.copy()
    ridge.sweeps(heat, boundary="periodic", spacing=np.float32(0.5)).run(a, steps=np.int32(2))
    ridge.sweeps(heat, boundary="periodic", spacing=0.5).run(b, steps=2)
    np.testing.assert_array_equal(a, b)
    assert ridge.bench("laplacian", size=(np.int64(9), 10, np.int32(11)), repeat=np.int64(2))[0].size == [
        11, 10, 9]


@pytest.mark.parametrize("call, error, says", [
    (lambda: ridge.bench("laplacian", size=(8, 8.5, 8)), TypeError,
     r"laplacian: size=\(8, 8.5, 8\); whole numbers are right"),
    (lambda: ridge.bench("laplacian", size=8.5), TypeError, "laplacian: size=8.5; a whole number"),
    (lambda: ridge.bench("laplacian", size="8"), TypeError, "laplacian: size='8'; a whole number"),
    (lambda: ridge.bench("laplacian", size=(8, 0)), ridge.UsageError, r"size=\(8, 0\); numbers of at"),
    (lambda: ridge.bench("laplacian", size=8, repeat=1.5), TypeError, "repeat=1.5; a whole number"),
])
def test_of_built_in_kernels(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_of_sweeps(heat):
    for options, says in [({"levels": 1.5}, "levels=1.5; a whole number"),
                          ({"points": (8, 9.5)}, r"points=\(8, 9.5\); whole numbers")]:
        with pytest.raises(TypeError, match=says):
            ridge.sweeps(heat, **options)


@pytest.fixture(scope="module")
def fields():
    rng = np.random.default_rng(1)

    def made(site, lattice_shape=(4, 8), dtype=np.complex128):
        a = rng.standard_normal((*lattice_shape, *lattice.SITES[site])) + 1j
        return lattice.field((a.real if site == "real" else a).astype(
            dtype if site != "real" else np.float64), site)

    return {"v": made("colour_vector"), "m": made("colour_matrix"), "s": made("spinor"),
            "p": made("propagator"), "z": made("complex"), "r": made("real"),
            "half": made("colour_vector", (2, 8)), "v32": made("colour_vector", dtype=np.complex64)}


@pytest.mark.parametrize("expression, says", [
    (lambda f: f["v"] + f["m"], "only equal site tensors can be added, not vector of 3 of complex128 and"),
    (lambda f: f["v"] - f["v32"], "subtracted, not vector of 3 of complex128 and vector of 3 of complex64"),
    (lambda f: f["v"] @ f["v"], "cannot be multiplied"),
    (lambda f: f["v"] @ f["m"], "cannot be multiplied"),
    (lambda f: f["m"] @ f["v32"], "operands of one precision are right"),
    (lambda f: f["v"].trace(), r"trace\(\) is of matrices"),
    (lambda f: f["m"].real(), r"real\(\) is of complex numbers"),
    (lambda f: f["v"] + f["half"], r"the lattices \(4, 8\) and \(2, 8\)"),
])
def test_operands_that_do_not_fit(fields, expression, says, monkeypatch):
    monkeypatch.setattr("ridge._core.run_lattice", None)  # nothing is compiled
    with pytest.raises(ridge.UsageError, match=says) as caught:
        expression(fields).evaluate()
    assert "\n" not in str(caught.value)
    with pytest.raises(ridge.UsageError, match="reduced together"):
        lattice.inner_product(fields["v"], fields["m"])


@pytest.mark.in_turn
@pytest.mark.parametrize("expression", [
    lambda f: 2j * (f["m"] @ f["v"]) - f["v"].shift(0, np.int64(1)),
    lambda f: (f["p"].adj() @ f["p"]).trace().real() * f["r"],
], ids=["vector", "number"])
def test_operands_that_fit(fields, expression):
    assert np.isfinite(expression(fields).evaluate().numpy()).all()


def test_shifts(fields):
    for call, says in [(lambda v: v.shift(1, 1.5), "shift: by=1.5; a whole number"),
                       (lambda v: v.shift(0.5, 1), "shift: axis=0.5; a whole number")]:
        with pytest.raises(TypeError, match=says):
            call(fields["v"])
    with pytest.raises(ridge.UsageError, match=r"^lattice \(1, 3\) cannot be cut .*; .*\(1, 4\).* can$"):
        lattice.field(np.zeros((1, 3, 3), np.complex128), "colour_vector")


@pytest.mark.parametrize("call, says", [
    (lambda: ridge.neighbours(np.ones((3, 4)), 0.1, box="1"), "neighbours: box='1': three lengths"),
    (lambda: ridge.neighbours(np.ones((3, 4)), 0.1, distances="no"), "neighbours: distances='no' .str.: True or False"),
    (lambda: ridge.chain(edge=np.zeros(3)), "unknown edge"),
    (lambda: ridge.neighbours(np.ones((3, 4)), "0.1"), "neighbours: cutoff='0.1' .str.: a number"),
    (lambda: ridge.pairs(targets="3", sources=3, sums=3), "ridge.pairs: targets='3'; a whole number"),
    (lambda: ridge.tune(ridge.sweeps(lambda_of(), boundary="periodic")), "tune takes a kernel.*not Sweeps; give its kernel"),
    (lambda: ridge.doctor(7), "doctor takes a kernel"),
    (lambda: ridge.report(7), "report takes records, not int"),
    (lambda: ridge.report([1]), "report takes records.*not int"),
    (lambda: ridge.bench(7), "bench: kernel=7"),
    (lambda: ridge.bench("laplacian", device=7), "laplacian: device=7"),
    (lambda: lattice.norm2(U), "a reduction takes fields.*not ndarray; ridge.lattice.field"),
    (lambda: lattice.field(U, "real", device=3), "field: device=3"),
])
def test_kinds_of_options(call, says):
    with pytest.raises(TypeError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value) and "incompatible function arguments" not in str(caught.value)


def lambda_of():
    return ridge.stencil(lambda u: u[0] + u[1])


@pytest.mark.parametrize("call, says", [
    (lambda: ridge.pairs(targets=-1, sources=3, sums=3), "ridge.pairs: targets=-1: at least 1"),
])
def test_sizes_of_options(call, says):
    with pytest.raises(ridge.UsageError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_number_too_large_for_a_kernel():
    for wrong in lambda u: u[0] + 10**400, lambda u: u[0] ** 10**400, lambda u: ridge.where(u[0] > 10**400, 1, 0):
        with pytest.raises(ridge.TraceError, match=r"test_options.py:\d+: a whole number beyond 1.8e308"):
            ridge.stencil(wrong)


def test_many_joined_conditions(rng):
    def between(u):
        inside = u[0] < 2
        for k in range(1200):
            inside = inside & (u[0] > k / 1000 - 1) if k % 2 else (u[0] > k / 1000 - 1) & inside
        return ridge.where(inside, 1, 0)

    ridge.stencil(between)  # 1200 of them are no depth of calls

    def few(u):
        inside = u[0] < 2
        for k in range(3):
            inside = (u[0] > k / 10) & inside | (u[0] < -1) & ~inside
        return ridge.where(inside, 1, 0)

    x = rng.standard_normal(500)
    inside = x < 2
    for k in range(3):
        inside = (x > k / 10) & inside | (x < -1) & ~inside
    np.testing.assert_array_equal(ridge.stencil(few)(x), inside)


def test_a_record_is_one_of_records(heat):
    record = heat.measure(U, repeat=1)
    one, several = (re.sub(r"[^\s<>\"']*records.json", "", str(ridge.report(r))) for r in (record, [record]))
    assert one == several and "heat" in one
