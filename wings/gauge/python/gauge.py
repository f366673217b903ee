"""SU(3) lattice gauge theory: configurations in files, updates, Wilson, clover, staggered and domain-wall fermions.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np

from . import _core, _gauge
from ._files import replacing
from ._gauge_arrays import (Array, address_of, complex_of, device_for, diagonal_and_hop, each_side, extents_of,
                            fermions_of, header_lines, limits_of, links_of, require_words, text_of)
from ._gauge_gradients import OperatorGradient, clover_by_links, hops_by_links, in_fifth_dimension, staggered_phases
from ._options import flag_of, number_of, numbers_of, path_of, whole_of, word_of
from ._torch import requires_gradient
from ._torch_lattice import applied, array_of

Path = Union[str, "os.PathLike[str]"]

__all__ = ["Clover", "Configuration", "DomainWall", "Flow", "NotConverged", "Solved", "Staggered", "Wilson", "cg", "cold",
           "flow", "hadrons", "heatbath", "link_trace", "plaquette", "polyakov_loop", "read", "smear", "smear_fermion",
           "wilson_loops", "write"]


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
    rounding: bool = False  #: it ended as the residual fell no further: more is not to be had in fp64
    in_fp64: bool = False  #: fp32 was not enough, and it went on in fp64


class NotConverged(_core.Failure):
    """The solver has reached its last iteration; `x` is what it reached, `solved` how."""

    def __init__(self, message: str, x: Array, solved: Solved) -> None:
        super().__init__(message)
        self.x = x
        self.solved = solved

    def __reduce__(self) -> Any:
        """For another process, which gets all three again."""
        return type(self), (str(self), self.x, self.solved)


def cold(*shape: int) -> Array:
    """Links that are all 1, of a lattice (t, z, y, x)."""
    if len(shape) != 4:
        raise _core.UsageError(f"cold{shape}: four extents are right, of t, z, y and x")
    for n in shape:
        whole_of(n, "cold: an extent", 1)
    return np.broadcast_to(np.eye(3, dtype=np.complex128), (*shape, 4, 3, 3)).copy()


def read(file: Path, accept: bool = False, configuration: Optional[int] = None) -> Configuration:
    """A NERSC or ILDG file. Raises Failure for checks that fail (checksum, plaquette, link trace,
    unitarity, keys that a header has twice), unless `accept`; UsageError for a file that is no such, or
    that holds several configurations of which none is chosen, 1 the first. HDF5 files hold /links. What
    a header has that is no UTF-8 is in surrogates, which `write` takes."""
    name = path_of(file, "read: file")
    accepted = flag_of(accept, "read: accept")
    chosen = 0 if configuration is None else whole_of(configuration, "read: configuration", 1, 2**31 - 1)
    extents, lines, checks, data = _gauge.read_links(name, chosen)
    for what, found, expected, right in checks:
        if not right and not accepted:
            raise _core.Failure(f"{name}: its {text_of(what)} is {text_of(found)}; expected {text_of(expected)}; "
                                "accept=True goes on")
    links = np.frombuffer(data, dtype=np.complex128).reshape(*reversed(extents), 4, 3, 3).copy()
    return Configuration(links, {text_of(key): text_of(value) for key, value in lines},
                         [(text_of(what), text_of(found), text_of(expected), right)
                          for what, found, expected, right in checks])


def write(file: Path, links: Any, header: Optional[Mapping[str, str]] = None, precision: str = "fp64",
          order: str = "big", rows: int = 3, overwrite: bool = False, accept: bool = False) -> None:
    """Writes FILE.lime or FILE.ildg as ILDG, any other as NERSC, whole or not at all. Raises
    UsageError where the file exists, unless `overwrite`; for links further than 1e-5 from SU(3), which
    `read` refuses, too, unless `accept`; and always for what would not come back: numbers that are not
    finite, links outside of SU(3) by two rows, and lines of the header with line breaks."""
    name = path_of(file, "write: file")
    accepted, replaces = flag_of(accept, "write: accept"), flag_of(overwrite, "write: overwrite")
    word_of(precision, "write: precision", ("fp32", "fp64"))
    word_of(order, "write: order", ("big", "little"))
    if whole_of(rows, "write: rows") not in (2, 3):
        raise _core.UsageError(f"write: rows={rows}: expected 2 or 3")
    ending = os.path.splitext(name)[1]
    if ending in (".h5", ".hdf5", ".hdf"):
        raise _core.UsageError(f"{name}: HDF5 is not among the formats here; h5py writes /links, and "
                               "`ridge gauge convert` makes such a file of another")
    ildg = ending in (".lime", ".ildg")
    if ildg and (rows != 3 or order != "big"):
        raise _core.UsageError(f"{name}: rows and order are of NERSC files; an ILDG file has three rows, big-endian")
    if os.path.exists(name) and not replaces:
        raise _core.UsageError(f"{name} exists; overwrite=True replaces it")
    array = links_of(links)
    try:
        with replacing(name) as partial:
            try:
                _gauge.write_links(partial, name, extents_of(array), address_of(array), header_lines(header),
                                  "ildg" if ildg else "nersc", 4 if precision == "fp32" else 8, order == "big",
                                  int(rows), accepted)
            except _core.Failure as error:
                raise _core.Failure(str(error).replace(partial, name)) from None
    except OSError as error:
        raise _core.Failure(f"writing {name}: {error.strerror}") from None


def plaquette(links: Any, device: Optional[str] = None) -> float:
    """Re tr U_p / 3 over all planes; the same bits on every device."""
    array = links_of(links)
    return _gauge.link_averages(extents_of(array), address_of(array), device_for(device, "plaquette"))[0]


def link_trace(links: Any, device: Optional[str] = None) -> float:
    """Re tr U / 3 over all links."""
    array = links_of(links)
    return _gauge.link_averages(extents_of(array), address_of(array), device_for(device, "link_trace"))[1]


def heatbath(links: Any, beta: float, sweeps: int = 1, relaxations: int = 4, seed: int = 1, first_sweep: int = 0,
             device: Optional[str] = None) -> Array:
    """Links after so many sweeps of heatbath, each followed by overrelaxations. `first_sweep`: how many
    sweeps the links have behind them, so that random numbers go on. The same bits on every device.
    Ctrl-C ends it after a sweep."""
    beta = number_of(beta, "heatbath: beta")
    if beta < 0:
        raise _core.UsageError(f"heatbath: beta={beta}: at least 0 is right")
    sweeps = whole_of(sweeps, "heatbath: sweeps", 0, 2**32 - 1)
    relaxations = whole_of(relaxations, "heatbath: relaxations", 0, 2**31 - 1)
    seed = whole_of(seed, "heatbath: seed", 0, 2**64 - 1)
    first = whole_of(first_sweep, "heatbath: first_sweep", 0, 2**32 - 1 - sweeps)
    array = links_of(links).copy()
    _gauge.heatbath(extents_of(array), address_of(array), beta, sweeps, relaxations, seed, first,
                   device_for(device, "heatbath"))
    return array


def smear(links: Any, *, ape: Optional[float] = None, stout: Optional[float] = None, steps: int = 1,
          spatial: bool = False, device: Optional[str] = None) -> Array:
    """APE or stout links, with the weight given. Raises Failure where they are no numbers any more.
    Ctrl-C ends it after a step."""
    if (ape is None) == (stout is None):
        raise _core.UsageError("smear: give either ape= or stout=" + (", not both" if ape is not None else ""))
    weight = number_of(ape, "smear: ape") if ape is not None else number_of(stout, "smear: stout")
    if ape is not None and not 0 <= weight <= 1:
        raise _core.UsageError(f"smear: ape={ape}: a number from 0 to 1 is right")
    steps = whole_of(steps, "smear: steps", 0, 2**31 - 1)
    is_spatial = flag_of(spatial, "smear: spatial")
    array = links_of(links).copy()
    _gauge.smear_links(extents_of(array), address_of(array), stout is not None, weight, steps, is_spatial,
                      device_for(device, "smear"))
    _require_numbers(array, f"smear: the links are no numbers after {steps} steps of weight {weight}; give less")
    return array


def _require_numbers(array: Array, otherwise: str) -> None:
    if not np.isfinite(array.sum()):
        raise _core.Failure(otherwise)


def wilson_loops(links: Any, r: int, t: int, device: Optional[str] = None) -> Array:
    """Re tr / 3 of all loops up to r links in space by t in time, at [i - 1, j - 1] that of i by j: means over sites
    and the three directions. Raises UsageError where r or t is above the extents."""
    across, up = whole_of(r, "wilson_loops: r", 1, 2**20), whole_of(t, "wilson_loops: t", 1, 2**20)
    array = links_of(links).copy()
    values = _gauge.wilson_loops(extents_of(array), address_of(array), across, up, device_for(device, "wilson_loops"))
    return np.array(values).reshape(up, across).T


def polyakov_loop(links: Any, device: Optional[str] = None) -> complex:
    """The mean of tr / 3 of the product of all links along time."""
    array = links_of(links).copy()
    return complex(*_gauge.polyakov_loop(extents_of(array), address_of(array), device_for(device, "polyakov_loop")))


@dataclass
class Flow:
    """Links at the end of the Wilson flow, and what was measured on the way: one number a step, the start first."""

    links: Array
    time: Array  #: in units of a^2
    energy: Array  #: density E, by the four leaves around a site
    energy_plaquette: Array  #: 2 sum over planes of Re tr (1 - U_p)
    charge: Array  #: the topological charge
    t0: Optional[float]  #: where t^2 E = 0.3; None where that is not reached
    w0: Optional[float]  #: where t d/dt (t^2 E) = 0.3 at t = w0^2


def flow(links: Any, until: float, step: float = 0.02, device: Optional[str] = None) -> Flow:
    """The gradient flow of the Wilson action until a time, in Luescher's Runge-Kutta steps of third order (JHEP 08
    (2010) 071). Raises Failure where links are no numbers any more. Ctrl-C ends it after a step."""
    end, each = number_of(until, "flow: until"), number_of(step, "flow: step")
    if not (end >= 0 and 0 < each <= 0.5 and end / each <= 1e6):
        raise _core.UsageError(f"flow: until={until}, step={step}: a time of at least 0, in at most a million steps "
                               "of at most 0.5, is right")
    array = links_of(links).copy()
    points = _gauge.flow_links(extents_of(array), address_of(array), end, each, device_for(device, "flow"))
    _require_numbers(array, f"flow: the links are no numbers at time {end:g}; give a step below {each:g}")
    time, energy, by_plaquettes, charge = np.array(points).T
    t0, w0 = _gauge.flow_scales(points)
    return Flow(array, time, energy, by_plaquettes, charge, t0, w0)


def smear_fermion(links: Any, psi: Any, steps: int, alpha: float, device: Optional[str] = None) -> Array:
    """psi after steps of Gaussian smearing in space: (psi + alpha sum of the six neighbours) / (1 + 6 alpha), with
    links between. psi is (t, z, y, x, 4, 3), or with an axis more."""
    array = links_of(links)
    weight = number_of(alpha, "smear_fermion: alpha")
    if weight < 0:
        raise _core.UsageError(f"smear_fermion: alpha={alpha}: at least 0 is right")
    found = fermions_of(psi, "psi", array.shape[:4]).copy()
    count = 1 if found.ndim == 6 else len(found)
    _gauge.smear_fermions(extents_of(array), address_of(array), address_of(found), count,
                         whole_of(steps, "smear_fermion: steps", 0, 10**6), weight, device_for(device, "smear_fermion"))
    return found


def hadrons(propagator: Any, source_time: int = 0, boundary: str = "antiperiodic") -> dict[str, Array]:
    """Correlators at zero momentum by name, from the source's time on, of a propagator (12, t, z, y, x, 4, 3), columns
    by spin (slow) and colour of the source, as `ridge solve` writes it. The names: pseudoscalar, vector, scalar, axial
    (A_0), axial_vector, tensor, axial_pseudoscalar, nucleon, nucleon_negative (ridge/gauge/hadrons.hpp)."""
    require_words("hadrons", boundary)
    array = complex_of(propagator, "propagator")
    if array.ndim != 7 or array.shape[0] != 12 or array.shape[5:] != (4, 3) or 0 in array.shape:
        raise _core.UsageError(f"propagator has shape {array.shape}: expected (12, t, z, y, x, 4, 3)")
    time = whole_of(source_time, "hadrons: source_time", 0, array.shape[1] - 1)
    found = _gauge.hadrons(extents_of(array[0]), address_of(array), time, boundary == "antiperiodic")
    return {name: np.array(values) for name, values in found}


class _Operator:
    """An operator on fermions of one shape, held by the library. Copies share what is held; another
    process makes it again of the links and options that were given."""

    shape: tuple[int, ...]
    _site: tuple[int, ...] = (4, 3)
    solved: Optional[Solved]  #: of the last cg() or propagate()
    _held: Any
    _links: Array
    _watched: Any  #: torch's tensor of links that require a gradient
    _options: dict[str, Any]

    def _keep(self, links: Any, **options: Any) -> Array:
        """Keeps links of its own and returns them. D @ psi has a gradient where they are a tensor that requires one."""
        self._watched = links if requires_gradient(links) else None
        array = links_of(links if self._watched is None else array_of(links))
        self._links = array if array.flags.owndata and array is not links else array.copy()
        self._links.flags.writeable = False
        self._options = options
        self.solved = None
        return self._links

    def __copy__(self) -> Any:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, _known: object) -> Any:
        return self.__copy__()

    def __reduce__(self) -> Any:
        last = {name: getattr(self, name) for name in ("solved", "midpoint") if hasattr(self, name)}
        return _made_again, (type(self), self._links, self._options, last)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._options.items() if value is not None)
        return f"<ridge.gauge.{type(self).__name__} {self.shape}: {given}>"

    def _fermion(self, given: Any, what: str) -> Array:
        return fermions_of(given, what, self.shape, self._site)

    def apply(self, psi: Any, dagger: bool = False) -> Array:
        """D psi, or D^+ psi, in all dimensions of D; of each where psi has an axis more."""
        array = self._fermion(psi, "psi")
        out = np.empty_like(array)
        for to, one in each_side(out, array, self.shape + self._site):
            self._held.apply(address_of(to), address_of(one), dagger)
        return out

    def __matmul__(self, psi: Any) -> Any:
        """D psi; a tensor of torch where psi is one that requires a gradient or D is made of links that do, whose
        gradient is by both."""
        if self._watched is None and not requires_gradient(psi):
            return self.apply(psi)
        return applied(self, psi, self._watched)

    def _by_links(self, psi: Array, w: Array) -> Array:
        """The gradient of Re sum(conj(w) D psi) by the links."""
        raise NotImplementedError

    def _hops(self, psi: Array, w: Array, hop: float) -> Array:
        return hops_by_links(self._links, psi, w, hop, self._site == (4, 3),
                             self._options["boundary"] == "antiperiodic", device_for(self._options["device"], "device"))

    def gradient_by(self, names: Optional[Sequence[str]]) -> OperatorGradient:
        """The gradient that ridge.grad makes of the operator."""
        return OperatorGradient(self, names)

    def _solve(self, x: Array, b: Array, tol: float, iterations: int) -> Solved:
        return Solved(*self._held.solve(address_of(x), address_of(b), tol, iterations))


def _made_again(kind: Any, links: Array, options: dict[str, Any], last: dict[str, Any]) -> Any:
    made = kind(links, **options)
    made.__dict__.update(last)
    return made


class Wilson(_Operator):
    """The Wilson operator on links, which it copies: D = 1 - kappa H, or mass + 4 - H / 2."""

    def __init__(self, links: Any, kappa: Optional[float] = None, *, mass: Optional[float] = None,
                 boundary: str = "antiperiodic", precision: str = "mixed", device: Optional[str] = None) -> None:
        diagonal, hop = diagonal_and_hop("Wilson", kappa, mass)
        require_words("Wilson", boundary, precision)
        where = device_for(device, "Wilson")
        array = self._keep(links, kappa=kappa, mass=mass, boundary=boundary, precision=precision, device=device)
        self.shape = array.shape[:4]
        self._held: _gauge.WilsonOperator = _gauge.WilsonOperator(
            extents_of(array), address_of(array), diagonal, hop, boundary == "antiperiodic", precision == "mixed", where)

    def _by_links(self, psi: Array, w: Array) -> Array:
        return self._hops(psi, w, diagonal_and_hop("Wilson", self._options["kappa"], self._options["mass"])[1])


class DomainWall(_Operator):
    """The domain-wall operator on links, which it copies: Shamir's, or with b5 and c5 that of Brower, Neff and
    Orginos. Fermions of five dimensions are (ls, t, z, y, x, 4, 3). All extents are even. `precision`: mixed, solvers
    iterate in fp32 and compute residuals anew in fp64; or fp64."""

    midpoint: Array  #: between the walls, of the last propagate()

    def __init__(self, links: Any, mass: float, *, ls: int = 16, m5: float = 1.8, b5: float = 1.0, c5: float = 0.0,
                 boundary: str = "antiperiodic", precision: str = "mixed", device: Optional[str] = None) -> None:
        require_words("DomainWall", boundary, precision)
        where = device_for(device, "DomainWall")
        values = whole_of(ls, "DomainWall: ls", 0, 128)
        m, wall, b, c = (number_of(n, f"DomainWall: {what}")
                         for n, what in ((mass, "mass"), (m5, "m5"), (b5, "b5"), (c5, "c5")))
        if not 0 < wall < 2:
            raise _core.UsageError(f"DomainWall: m5={m5}: expected a number between 0 and 2")
        if not b + c > 0:
            raise _core.UsageError(f"DomainWall: b5={b5}, c5={c5}: a positive sum is right")
        array = self._keep(links, mass=mass, ls=values, m5=m5, b5=b5, c5=c5, boundary=boundary, precision=precision,
                           device=device)
        self.shape = (values, *array.shape[:4])
        self._held: _gauge.DomainWallOperator = _gauge.DomainWallOperator(
            extents_of(array), address_of(array), m, wall, values, b, c, boundary == "antiperiodic",
            precision == "mixed", where)

    def _by_links(self, psi: Array, w: Array) -> Array:
        b, c, mass = (float(self._options[n]) for n in ("b5", "c5", "mass"))
        return self._hops(in_fifth_dimension(psi, b, c, mass), w, -0.5)

    def _solve(self, x: Array, b: Array, tol: float, iterations: int) -> Solved:
        return Solved(*self._held.solve(address_of(x), address_of(b), tol, iterations, False, 0))

    def propagate(self, b: Any, tol: float = 1e-10, iterations: int = 10000) -> Array:
        """q = P_- x_0 + P_+ x_(ls - 1) of a source b in four dimensions (t, z, y, x, 4, 3), as `ridge solve dwf`
        gives it. `midpoint` is then P_- x_(ls // 2) + P_+ x_(ls // 2 - 1): sums over space of |midpoint|^2 over those
        of |q|^2 are the residual mass. Raises NotConverged, which holds what was reached."""
        tol, iterations = limits_of(tol, iterations, "propagate")
        source = fermions_of(b, "b", self.shape[1:])
        found = np.zeros_like(source)
        self.midpoint = np.zeros_like(source)
        one_shape = self.shape[1:] + self._site
        middles = [middle for middle, _ in each_side(self.midpoint, source, one_shape)]
        for middle, (to, one) in zip(middles, each_side(found, source, one_shape)):
            self.solved = Solved(*self._held.solve(address_of(to), address_of(one), tol, iterations, True,
                                                   address_of(middle)))
            _require_converged(self.solved, tol, found)
        return found


class Clover(_Operator):
    """The Wilson operator with the clover term, on links, which it copies: csw 1 is the value of tree level. All
    extents are even. Solvers are in fp64."""

    def __init__(self, links: Any, kappa: Optional[float] = None, *, csw: float, mass: Optional[float] = None,
                 boundary: str = "antiperiodic", device: Optional[str] = None) -> None:
        diagonal, hop = diagonal_and_hop("Clover", kappa, mass)
        strength = number_of(csw, "Clover: csw")
        require_words("Clover", boundary)
        where = device_for(device, "Clover")
        array = self._keep(links, kappa=kappa, csw=csw, mass=mass, boundary=boundary, device=device)
        self.shape = array.shape[:4]
        self._held: _gauge.CloverOperator = _gauge.CloverOperator(
            extents_of(array), address_of(array), diagonal, hop, strength, boundary == "antiperiodic", where)

    def _by_links(self, psi: Array, w: Array) -> Array:
        diagonal, hop = diagonal_and_hop("Clover", self._options["kappa"], self._options["mass"])
        factor = float(self._options["csw"]) * -2 * hop
        return self._hops(psi, w, hop) + clover_by_links(self._links, psi, w, factor)


class Staggered(_Operator):
    """The staggered operator on links, which it copies: D = mass + H / 2. Fermions are (t, z, y, x, 3). All extents are
    even. Solvers are in fp64."""

    _site = (3,)

    def __init__(self, links: Any, mass: float, *, boundary: str = "antiperiodic", device: Optional[str] = None) -> None:
        m = number_of(mass, "Staggered: mass")
        require_words("Staggered", boundary)
        where = device_for(device, "Staggered")
        array = self._keep(links, mass=mass, boundary=boundary, device=device)
        self.shape = array.shape[:4]
        self._held: _gauge.StaggeredOperator = _gauge.StaggeredOperator(
            extents_of(array), address_of(array), m, boundary == "antiperiodic", where)

    def _by_links(self, psi: Array, w: Array) -> Array:
        return self._hops(psi, w, 0.5) * staggered_phases(self.shape)[..., None, None]


def _require_converged(solved: Solved, tol: float, found: Array) -> None:
    if not solved.converged:
        raise NotConverged(f"no convergence to {tol:g} in {solved.iterations} iterations: the residual is "
                           f"{solved.residual:.2e}{', and falls no further: rounding' if solved.rounding else ''}; x of this error is what was reached", found, solved)


def cg(D: Union[Wilson, Clover, DomainWall, Staggered], b: Any, tol: float = 1e-10, x: Any = None, iterations: int = 10000,
       shifts: Optional[Sequence[float]] = None, columns: int = 1) -> Array:
    """x with D x = b, by conjugate gradients on D^+ D, from `x` or 0 on (domain walls: from 0). An axis more of b
    holds several right-hand sides, one solved after the other; with `columns` (Wilson, even extents; at most 128)
    so many at once, which reads each link once for all of them and takes memory for all. With `shifts` (Wilson and Staggered; at least 0) x[i] with (D^+ D + shifts[i]) x[i] = D^+ b, by
    one solve for all in fp64. `D.solved` says how the last went. Raises NotConverged, which holds what was reached."""
    if not isinstance(D, _Operator):
        raise TypeError(f"cg: D={D!r} ({type(D).__name__}): an operator of ridge.gauge is right")
    tol, iterations = limits_of(tol, iterations, "cg")
    source = D._fermion(b, "b")
    at_once = whole_of(columns, "cg: columns", 1, 128)
    wilson = D._held if isinstance(D, Wilson) else None
    if at_once > 1 and (wilson is None or shifts is not None):
        raise _core.UsageError(f"columns={at_once}: several at once are for Wilson, without shifts=")
    if shifts is not None:
        added = numbers_of(shifts, "cg: shifts")
        held = D._held
        if not isinstance(held, (_gauge.WilsonOperator, _gauge.StaggeredOperator)) or x is not None:
            raise _core.UsageError("shifts= is for Wilson and Staggered, and begins from 0")
        every = np.zeros((len(added), *source.shape), dtype=np.complex128)
        for i, one in enumerate(source.reshape(-1, *D.shape, *D._site)):
            to = np.zeros((len(added), *one.shape), dtype=np.complex128)
            ended = held.solve_shifted(address_of(to), address_of(one), added, tol, iterations)
            every.reshape(len(added), -1, *one.shape)[:, i] = to
            for last in ended:
                D.solved = Solved(*last)
                _require_converged(D.solved, tol, every)
        return every
    if x is not None and isinstance(D, DomainWall):
        raise _core.UsageError("x=: domain walls begin from 0")
    found = np.zeros_like(source) if x is None else D._fermion(x, "x").copy()
    if found.shape != source.shape:
        raise _core.UsageError(f"x has shape {found.shape}, b {source.shape}")
    count = 1 if source.ndim == len(D.shape + D._site) else len(source)
    if wilson is not None and at_once > 1 and count > 1:
        for column in wilson.solve_columns(address_of(D._links), address_of(found), address_of(source), count,
                                           min(at_once, count), tol, iterations):
            D.solved = Solved(*column)
            _require_converged(D.solved, tol, found)
        return found
    for to, one in each_side(found, source, D.shape + D._site):
        D.solved = D._solve(to, one, tol, iterations)
        _require_converged(D.solved, tol, found)
    return found
