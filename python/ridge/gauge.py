"""SU(3) lattice gauge theory: configurations in files, updates, Wilson and domain-wall fermions.

    U = ridge.gauge.read("lat.nersc").links            # (t, z, y, x, 4, 3, 3), complex128
    D = ridge.gauge.Wilson(U, kappa=0.13)
    x = ridge.gauge.cg(D, b, tol=1e-10)                 # b, x: (t, z, y, x, 4, 3)
    r = b - D @ x

    D5 = ridge.gauge.DomainWall(U, mass=0.02, ls=16)    # Shamir's; b5= and c5= make it Moebius's
    q = D5.propagate(b, tol=1e-10)                      # from wall to wall, in four dimensions

An axis before those of the lattice holds several right-hand sides, solved in turn with what was set up once.
Links and fermions are arrays of NumPy; what computes copies them to the device and back.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _core
from ._files import replacing

Array = np.ndarray[Any, Any]
Path = Union[str, "os.PathLike[str]"]

__all__ = ["Configuration", "DomainWall", "NotConverged", "Solved", "Wilson", "cg", "cold", "heatbath", "link_trace",
           "plaquette", "read", "smear", "write"]


@dataclass
class Configuration:
    """What a file holds."""

    links: Array  #: (t, z, y, x, 4, 3, 3): U along x, y, z, t, from each site
    header: dict[str, str] = field(default_factory=dict)  #: lines of a NERSC header
    checks: list[tuple[str, str, str, bool]] = field(default_factory=list)  #: what, found, expected, right


@dataclass(frozen=True)
class Solved:
    """How a solver ended."""

    converged: bool
    iterations: int
    residual: float  #: |b - D x| / |b|, computed anew
    seconds: float
    bytes: float  #: least ones of all its launches


class NotConverged(_core.Failure):
    """The solver has reached its last iteration; `x` is what it reached, `solved` how."""

    def __init__(self, message: str, x: Array, solved: Solved) -> None:
        super().__init__(message)
        self.x = x
        self.solved = solved


def _device(name: Optional[str]) -> str:
    return _core.devices()[0] if name is None or name == "auto" else name


def _array(given: Any, what: str, tail: tuple[int, ...]) -> Array:
    array = np.ascontiguousarray(given, dtype=np.complex128)
    if array.ndim != 4 + len(tail) or array.shape[4:] != tail or 0 in array.shape:
        right = ", ".join(["t", "z", "y", "x", *map(str, tail)])
        raise _core.UsageError(f"{what} has shape {array.shape}: expected ({right})")
    return array


def _links(given: Any) -> Array:
    return _array(given, "links", (4, 3, 3))


def _extents(array: Array) -> list[int]:
    return [int(n) for n in reversed(array.shape[:4])]


def _address(array: Array) -> int:
    return int(array.ctypes.data)


def cold(*shape: int) -> Array:
    """Links that are all 1, of a lattice (t, z, y, x)."""
    return np.broadcast_to(np.eye(3, dtype=np.complex128), (*shape, 4, 3, 3)).copy()


def read(file: Path, accept: bool = False) -> Configuration:
    """A NERSC or ILDG file. Raises Failure for checks that fail (checksum, plaquette, link trace,
    unitarity), unless `accept`; UsageError for a file that is no such. HDF5 files hold /links."""
    extents, lines, checks, data = _core.read_links(os.fspath(file))
    for what, found, expected, right in checks:
        if not right and not accept:
            raise _core.Failure(f"{os.fspath(file)}: its {what} is {found}; expected {expected}; "
                                "accept=True goes on")
    links = np.frombuffer(data, dtype=np.complex128).reshape(*reversed(extents), 4, 3, 3).copy()
    return Configuration(links, dict(lines), checks)


def write(file: Path, links: Any, header: Optional[dict[str, str]] = None, precision: str = "fp64",
          order: str = "big", rows: int = 3, overwrite: bool = False) -> None:
    """Writes FILE.lime or FILE.ildg as ILDG, any other as NERSC, whole or not at all. Raises
    UsageError where the file exists, unless `overwrite`."""
    name = os.fspath(file)
    for what, value, right in (("precision", precision, ("fp32", "fp64")), ("order", order, ("big", "little")),
                               ("rows", rows, (2, 3))):
        if value not in right:
            raise _core.UsageError(f"{what}={value!r}: expected {right[0]!r} or {right[1]!r}")
    if os.path.exists(name) and not overwrite:
        raise _core.UsageError(f"{name} exists; overwrite=True replaces it")
    array = _links(links)
    ildg = name.endswith((".lime", ".ildg"))
    with replacing(name) as partial:
        _core.write_links(partial, _extents(array), _address(array), list((header or {}).items()),
                          "ildg" if ildg else "nersc", 4 if precision == "fp32" else 8, order == "big" or ildg,
                          3 if ildg else rows)


def plaquette(links: Any, device: Optional[str] = None) -> float:
    """Re tr U_p / 3 over all planes; the same bits on every device."""
    array = _links(links)
    return _core.link_averages(_extents(array), _address(array), _device(device))[0]


def link_trace(links: Any, device: Optional[str] = None) -> float:
    """Re tr U / 3 over all links."""
    array = _links(links)
    return _core.link_averages(_extents(array), _address(array), _device(device))[1]


def heatbath(links: Any, beta: float, sweeps: int = 1, relaxations: int = 4, seed: int = 1, first_sweep: int = 0,
             device: Optional[str] = None) -> Array:
    """Links after so many sweeps of heatbath, each followed by overrelaxations. `first_sweep`: how many
    sweeps the links have behind them, so that random numbers go on. The same bits on every device."""
    if sweeps < 0 or relaxations < 0 or not beta >= 0:
        raise _core.UsageError("heatbath: beta, sweeps and relaxations are at least 0")
    array = _links(links).copy()
    _core.heatbath(_extents(array), _address(array), beta, sweeps, relaxations, seed, first_sweep, _device(device))
    return array


def smear(links: Any, *, ape: Optional[float] = None, stout: Optional[float] = None, steps: int = 1,
          spatial: bool = False, device: Optional[str] = None) -> Array:
    """APE or stout links, with the weight given. Raises Failure where they are no numbers any more."""
    if (ape is None) == (stout is None):
        raise _core.UsageError("smear: give either ape= or stout=")
    array = _links(links).copy()
    weight = ape if ape is not None else stout
    assert weight is not None
    _core.smear_links(_extents(array), _address(array), stout is not None, weight, steps, spatial, _device(device))
    if not np.isfinite(array.sum()):
        raise _core.Failure(f"smear: the links are no numbers after {steps} steps of weight {weight}; give less")
    return array


class _Operator:
    """An operator on fermions of one shape, held by the library."""

    shape: tuple[int, ...]
    solved: Optional[Solved]
    _held: Any

    def _fermion(self, given: Any, what: str) -> Array:
        return _fermions(given, what, self.shape)

    def apply(self, psi: Any, dagger: bool = False) -> Array:
        """D psi, or D^+ psi, in all dimensions of D; of each where psi has an axis more."""
        array = self._fermion(psi, "psi")
        out = np.empty_like(array)
        for to, one in _each(out, array, self.shape):
            self._held.apply(_address(to), _address(one), dagger)
        return out

    def __matmul__(self, psi: Any) -> Array:
        return self.apply(psi)


class Wilson(_Operator):
    """The Wilson operator on links, which it copies: D = 1 - kappa H, or mass + 4 - H / 2."""

    def __init__(self, links: Any, kappa: Optional[float] = None, *, mass: Optional[float] = None,
                 boundary: str = "antiperiodic", precision: str = "mixed", device: Optional[str] = None) -> None:
        if (kappa is None) == (mass is None):
            raise _core.UsageError("Wilson: give either kappa or mass=")
        _require_words(boundary, precision)
        array = _links(links)
        self.shape = array.shape[:4]
        self.solved = None  #: of the last cg()
        diagonal, hop = (1.0, -kappa) if kappa is not None else ((mass or 0.0) + 4.0, -0.5)
        self._held: _core.WilsonOperator = _core.WilsonOperator(
            _extents(array), _address(array), diagonal, hop, boundary == "antiperiodic", precision == "mixed",
            _device(device))

    def _solve(self, x: Array, b: Array, tol: float, iterations: int) -> Solved:
        return Solved(*self._held.solve(_address(x), _address(b), tol, iterations))


class DomainWall(_Operator):
    """The domain-wall operator on links, which it copies: Shamir's, or with b5 and c5 that of Brower, Neff and
    Orginos. Fermions of five dimensions are (ls, t, z, y, x, 4, 3). All extents are even. `precision`: mixed, solvers
    iterate in fp32 and compute residuals anew in fp64; or fp64."""

    def __init__(self, links: Any, mass: float, *, ls: int = 16, m5: float = 1.8, b5: float = 1.0, c5: float = 0.0,
                 boundary: str = "antiperiodic", precision: str = "mixed", device: Optional[str] = None) -> None:
        _require_words(boundary, precision)
        if not 0 < m5 < 2:
            raise _core.UsageError(f"m5={m5}: expected a number between 0 and 2")
        array = _links(links)
        self.shape = (int(ls), *array.shape[:4])
        self.solved = None  #: of the last cg() or propagate()
        self._held: _core.DomainWallOperator = _core.DomainWallOperator(
            _extents(array), _address(array), mass, m5, int(ls), b5, c5, boundary == "antiperiodic",
            precision == "mixed", _device(device))

    def _solve(self, x: Array, b: Array, tol: float, iterations: int) -> Solved:
        return Solved(*self._held.solve(_address(x), _address(b), tol, iterations, False))

    def propagate(self, b: Any, tol: float = 1e-10, iterations: int = 10000) -> Array:
        """q = P_- x_0 + P_+ x_(ls - 1) of a source b in four dimensions (t, z, y, x, 4, 3), as `ridge solve dwf`
        gives it. Raises NotConverged, which holds what was reached."""
        _require_tolerance(tol)
        source = _fermions(b, "b", self.shape[1:])
        found = np.zeros_like(source)
        for to, one in _each(found, source, self.shape[1:]):
            self.solved = Solved(*self._held.solve(_address(to), _address(one), tol, iterations, True))
            _require_converged(self.solved, tol, found)
        return found


def _fermions(given: Any, what: str, shape: tuple[int, ...]) -> Array:
    array = np.ascontiguousarray(given, dtype=np.complex128)
    right = (*shape, 4, 3)
    if array.shape != right and array.shape[1:] != right or 0 in array.shape:
        raise _core.UsageError(f"{what} has shape {array.shape}; the links are of {shape}: expected {right}, or (n, ...) of these")
    return array


def _each(out: Array, array: Array, shape: tuple[int, ...]) -> list[tuple[Array, Array]]:
    if array.ndim == len(shape) + 2:
        return [(out, array)]
    return list(zip(out, array))


def _require_words(boundary: str, precision: str) -> None:
    for what, value, right in (("boundary", boundary, ("antiperiodic", "periodic")),
                               ("precision", precision, ("mixed", "fp64"))):
        if value not in right:
            raise _core.UsageError(f"{what}={value!r}: expected {right[0]!r} or {right[1]!r}")


def _require_tolerance(tol: float) -> None:
    if not 0 < tol < 1:
        raise _core.UsageError(f"tol={tol}: expected a number between 0 and 1")


def _require_converged(solved: Solved, tol: float, found: Array) -> None:
    if not solved.converged:
        raise NotConverged(f"no convergence to {tol:g} in {solved.iterations} iterations: the residual is "
                           f"{solved.residual:.2e}; x of this error is what was reached", found, solved)


def cg(D: Union[Wilson, DomainWall], b: Any, tol: float = 1e-10, x: Any = None, iterations: int = 10000,
       shifts: Optional[Sequence[float]] = None) -> Array:
    """x with D x = b, by conjugate gradients on D^+ D, from `x` or 0 on (domain walls: from 0). An axis more of b
    holds several right-hand sides. With `shifts` (Wilson; at least 0) x[i] with (D^+ D + shifts[i]) x[i] = D^+ b, by
    one solve for all in fp64. `D.solved` says how the last went. Raises NotConverged, which holds what was reached."""
    _require_tolerance(tol)
    source = D._fermion(b, "b")
    if shifts is not None:
        if isinstance(D, DomainWall) or x is not None:
            raise _core.UsageError("shifts= is for Wilson, and begins from 0")
        every = np.zeros((len(shifts), *source.shape), dtype=np.complex128)
        for i in range(source.size // int(np.prod(source.shape[-6:]))):
            one = source.reshape(-1, *source.shape[-6:])[i]
            to = np.zeros((len(shifts), *one.shape), dtype=np.complex128)
            ended = D._held.solve_shifted(_address(to), _address(one), [float(s) for s in shifts], tol, iterations)
            every.reshape(len(shifts), -1, *one.shape)[:, i] = to
            for last in ended:
                D.solved = Solved(*last)
                _require_converged(D.solved, tol, every)
        return every
    if x is not None and isinstance(D, DomainWall):
        raise _core.UsageError("x= is for Wilson: domain walls begin from 0")
    found = np.zeros_like(source) if x is None else D._fermion(x, "x").copy()
    if found.shape != source.shape:
        raise _core.UsageError(f"x has shape {found.shape}, b {source.shape}")
    for to, one in _each(found, source, D.shape):
        D.solved = D._solve(to, one, tol, iterations)
        _require_converged(D.solved, tol, found)
    return found
