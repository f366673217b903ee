"""SU(3) lattice gauge theory: configurations in files, updates, and Wilson fermions.

    U = ridge.gauge.read("lat.nersc").links            # (t, z, y, x, 4, 3, 3), complex128
    D = ridge.gauge.Wilson(U, kappa=0.13)
    x = ridge.gauge.cg(D, b, tol=1e-10)                 # b, x: (t, z, y, x, 4, 3)
    r = b - D @ x

Links and fermions are arrays of NumPy; what computes copies them to the device and back.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np

from . import _core

Array = np.ndarray[Any, Any]
Path = Union[str, "os.PathLike[str]"]

__all__ = ["Configuration", "NotConverged", "Solved", "Wilson", "cg", "cold", "heatbath", "link_trace",
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
    partial = os.path.join(os.path.dirname(name), f".{os.path.basename(name)}.{os.getpid()}.partial")
    try:
        _core.write_links(partial, _extents(array), _address(array), list((header or {}).items()),
                          "ildg" if ildg else "nersc", 4 if precision == "fp32" else 8, order == "big" or ildg,
                          3 if ildg else rows)
        os.replace(partial, name)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


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
    """APE or stout links, with the weight given."""
    if (ape is None) == (stout is None):
        raise _core.UsageError("smear: give either ape= or stout=")
    array = _links(links).copy()
    weight = ape if ape is not None else stout
    assert weight is not None
    _core.smear_links(_extents(array), _address(array), stout is not None, weight, steps, spatial, _device(device))
    return array


class Wilson:
    """The Wilson operator on links, which it copies: D = 1 - kappa H, or mass + 4 - H / 2."""

    def __init__(self, links: Any, kappa: Optional[float] = None, *, mass: Optional[float] = None,
                 boundary: str = "antiperiodic", precision: str = "mixed", device: Optional[str] = None) -> None:
        if (kappa is None) == (mass is None):
            raise _core.UsageError("Wilson: give either kappa or mass=")
        for what, value, right in (("boundary", boundary, ("antiperiodic", "periodic")),
                                   ("precision", precision, ("mixed", "fp64"))):
            if value not in right:
                raise _core.UsageError(f"{what}={value!r}: expected {right[0]!r} or {right[1]!r}")
        array = _links(links)
        self.shape = array.shape[:4]
        self.solved: Optional[Solved] = None  #: of the last cg()
        diagonal, hop = (1.0, -kappa) if kappa is not None else ((mass or 0.0) + 4.0, -0.5)
        self._held = _core.WilsonOperator(_extents(array), _address(array), diagonal, hop, boundary == "antiperiodic",
                                          precision == "mixed", _device(device))

    def _fermion(self, given: Any, what: str) -> Array:
        array = _array(given, what, (4, 3))
        if array.shape[:4] != self.shape:
            raise _core.UsageError(f"{what} is of lattice {array.shape[:4]}; the links are of {self.shape}")
        return array

    def apply(self, psi: Any, dagger: bool = False) -> Array:
        """D psi, or D^+ psi."""
        array = self._fermion(psi, "psi")
        out = np.empty_like(array)
        self._held.apply(_address(out), _address(array), dagger)
        return out

    def __matmul__(self, psi: Any) -> Array:
        return self.apply(psi)


def cg(D: Wilson, b: Any, tol: float = 1e-10, x: Any = None, iterations: int = 10000) -> Array:
    """x with D x = b, by conjugate gradients on D^+ D, from `x` or 0 on. `D.solved` says how it went.
    Raises NotConverged, which holds what was reached."""
    if not 0 < tol < 1:
        raise _core.UsageError(f"tol={tol}: expected a number between 0 and 1")
    source = D._fermion(b, "b")
    found = np.zeros_like(source) if x is None else D._fermion(x, "x").copy()
    solved = Solved(*D._held.solve(_address(found), _address(source), tol, iterations))
    D.solved = solved
    if not solved.converged:
        raise NotConverged(f"no convergence to {tol:g} in {solved.iterations} iterations: the residual is "
                           f"{solved.residual:.2e}; x of this error is what was reached", found, solved)
    return found
