"""Gradients of the operators of ridge.gauge: of Re sum(conj(w) D psi) by psi, D^+ w, and by the links.

Those by links are dL/dRe U + i dL/dIm U of links that are any complex 3x3 matrices, as torch's are; for a change
i a U of a link in SU(3), a Hermitian, L changes by Re tr(G^+ i a U). Hops give outer products of both fermions
(ridge/gauge/outer.hpp), computed on the operator's device; the clover term is one of the host's, and so is its gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _core, _gauge
from ._gradients import gradients_type

if TYPE_CHECKING:
    from ._gauge_arrays import Array
    from .gauge import _Operator

#: Names that an operator has gradients by; the first is taken where none is asked for.
_BY = ("psi", "links")


class OperatorGradient:
    """The gradient of D psi by psi or by the links of D. Made by `ridge.grad`."""

    def __init__(self, operator: _Operator, names: Optional[Sequence[str]]) -> None:
        self.by = _BY[:1] if names is None else tuple(dict.fromkeys(names))
        wrong = [n for n in self.by if n not in _BY]
        if wrong or not self.by:
            name = type(operator).__name__
            raise TypeError(f"ridge.grad: {name} has no derivative by {', '.join(wrong) or 'nothing'}: it is by psi "
                            "and by links")
        self.operator = operator

    def __call__(self, psi: Any, cotangent: Any) -> Any:
        """The gradient dL/dRe + i dL/dIm of L = Re sum(conj(cotangent) D psi): a named tuple, one a name of `by`."""
        x, w = self.operator._fermion(psi, "psi"), self.operator._fermion(cotangent, "cotangent")
        if x.shape != w.shape:
            raise _core.UsageError(f"psi has shape {np.shape(psi)}, the cotangent {np.shape(cotangent)}")
        return gradients_type(type(self.operator).__name__, self.by)(
            *(self.operator.apply(w, dagger=True) if n == "psi" else self.operator._by_links(x, w) for n in self.by))


def hops_by_links(links: Array, psi: Array, w: Array, hop: float, has_spin: bool, antiperiodic: bool,
                  device: str) -> Array:
    """The gradient by the links of hops: Wilson's where fermions have spins, else staggered ones. `psi` and `w` lie on
    the links' lattice; axes before it are summed over."""
    found = np.empty(links.shape, dtype=np.complex128)
    count = psi.size // (found.size // 36) // (12 if has_spin else 3)
    extents = [int(n) for n in reversed(links.shape[:4])]
    x, y = np.ascontiguousarray(psi), np.ascontiguousarray(w)
    _gauge.hops_by_links(extents, found.ctypes.data, x.ctypes.data, y.ctypes.data, count, hop, has_spin, device)
    if antiperiodic:
        found[-1, ..., 3, :, :] *= -1
    return found


def staggered_phases(shape: Sequence[int]) -> Array:
    """(-1)^(x_0 + ... + x_(mu - 1)) by (t, z, y, x, mu)."""
    x = np.indices(tuple(shape))[::-1]
    return np.stack([1.0 - 2.0 * (sum(x[:mu], np.zeros(shape)) % 2) for mu in range(4)], axis=-1)


def in_fifth_dimension(psi: Array, b: float, c: float, mass: float) -> Array:
    """The field that domain walls hop by links: b psi_s + c (P_- psi_(s + 1) + P_+ psi_(s - 1)), times -mass across the
    walls; psi is (..., s, t, z, y, x, 4, 3)."""
    found = b * psi
    if c == 0:
        return found
    after, before = np.roll(psi, -1, axis=-7), np.roll(psi, 1, axis=-7)
    after[..., -1, :, :, :, :, :, :] *= -mass
    before[..., 0, :, :, :, :, :, :] *= -mass
    found[..., 2:, :] += c * after[..., 2:, :]
    found[..., :2, :] += c * before[..., :2, :]
    return found


# The clover term: -factor / 2 times the sum over mu < nu of gamma_mu gamma_nu (Q - Q^+) / 8, Q the four leaves around a
# site (ridge/gauge/clover_term.hpp).

_UPPER = ([[0, 1j], [1j, 0]], [[0, -1], [1, 0]], [[1j, 0], [0, -1j]], [[1, 0], [0, 1]])
#: Of DeGrand and Rossi.
_GAMMA = [np.block([[np.zeros((2, 2)), np.array(u)], [np.array(u).conj().T, np.zeros((2, 2))]]) for u in _UPPER]


def clover_by_links(links: Array, psi: Array, w: Array, factor: float) -> Array:
    """The gradient by the links of the clover term; `psi` and `w` may have one axis more, which is summed over."""
    u = [links[..., mu, :, :] for mu in range(4)]
    found = np.zeros_like(links)
    x, y = (a.reshape(-1, *links.shape[:4], 4, 3) for a in (psi, w))
    for mu in range(4):
        for nu in range(mu + 1, 4):
            turned = np.einsum("st,n...tb->n...sb", _GAMMA[mu] @ _GAMMA[nu], x)
            by_f = -factor / 2 * np.einsum("n...sa,n...sb->...ab", y, turned.conj())
            by_q = (by_f - _adjoint(by_f)) / 8
            for leaf in ((mu, 1), (nu, 1), (mu, -1), (nu, -1)), ((nu, 1), (mu, -1), (nu, -1), (mu, 1)), \
                    ((mu, -1), (nu, -1), (mu, 1), (nu, 1)), ((nu, -1), (mu, 1), (nu, 1), (mu, -1)):
                _add_loop(found, u, leaf, by_q)
    return found


def _adjoint(a: Array) -> Array:
    return a.conj().swapaxes(-1, -2)


def _moved(a: Array, at: Sequence[int]) -> Array:
    """The values of the sites `at` further along x, y, z and t."""
    return np.roll(a, [-n for n in reversed(at)], axis=(0, 1, 2, 3))


def _add_loop(found: Array, u: Sequence[Array], steps: Sequence[tuple[int, int]], weight: Array) -> None:
    """Adds what Re tr(weight^+ product) changes by, of the product of links on a closed way from each site."""
    at, factors, places = [0, 0, 0, 0], [], []
    for mu, way in steps:
        at[mu] += min(way, 0)
        places.append(list(at))
        there = _moved(u[mu], at)
        factors.append(there if way > 0 else _adjoint(there))
        at[mu] += max(way, 0)
    for k, ((mu, way), place) in enumerate(zip(steps, places)):
        change = weight
        for factor in factors[:k]:
            change = _adjoint(factor) @ change
        for factor in reversed(factors[k + 1:]):
            change = change @ _adjoint(factor)
        found[..., mu, :, :] += _moved(change if way > 0 else _adjoint(change), [-n for n in place])
