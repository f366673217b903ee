"""Fields of lattices, their algebra, and reductions that touch memory once.

    U = ridge.lattice.field(links, "colour_matrix")       # links: (t, z, y, x, 3, 3), complex
    n = ridge.lattice.norm2(b - U.adj() @ x, reproducible=True)

Fields have a layout of their own, so `field` copies into it and `numpy()` out of it; everything
between stays on the device. An expression is compiled when it is first used.
"""

from __future__ import annotations

import atexit
import functools
import numbers
from typing import Any, Optional, Union

import numpy as np

from . import _arrays, _core, _torch_func
from . import _watched as watched
from ._extents import whole
from ._options import device_of, word_of
from ._record import Record, records_of
from ._sites import check_operands, name_of, site_of

#: Extents of a site's tensor, after those of the lattice.
SITES = {"real": (), "complex": (), "colour_vector": (3,), "colour_matrix": (3, 3),
         "spinor": (4, 3), "propagator": (4, 4, 3, 3)}
Number = Union[float, complex]
Operand = Union["Expression", float, complex]


class Expression:
    """Fields joined by + - * @, and by functions of their sites' tensors."""

    def __init__(self, op: str, args: tuple[Expression, ...] = (), data: tuple[Any, ...] = ()) -> None:
        # Its operation on its operands: "+", "-", "*", "number", or a function, whose other arguments are data.
        self._op, self._args, self._data = op, args, data

    def _parts(self) -> tuple[str, tuple[Field, ...], tuple[float, ...]]:
        """As C++ writes it, where F stands for the next field, N and C for the next number."""
        if self._op == "number":
            z, is_complex = self._data
            return ("C", (), (z.real, z.imag)) if is_complex else ("N", (), (z.real,))
        parts = [x._parts() for x in self._args]
        texts = [text for text, _, _ in parts]
        fields = tuple(f for _, its, _ in parts for f in its)
        values = tuple(v for _, _, its in parts for v in its)
        if self._op in "+-*":
            return f"({texts[0]} {self._op} {texts[1]})", fields, values
        return f"{self._op}({', '.join([*texts, *map(str, self._data)])})", fields, values

    def _call(self, function: str, *more: Any) -> Expression:
        return Expression(function, (self,), more)

    #: Products with NumPy's numbers are expressions, too; with its arrays there are none.
    __array_ufunc__ = None

    def __add__(self, other: Expression) -> Expression:
        return _joined("+", self, other)

    def __radd__(self, other: Number) -> Expression:
        """Of sum([x, y]), which begins with 0."""
        return self if _is_number(other) and other == 0 else _joined("+", other, self)

    def __sub__(self, other: Expression) -> Expression:
        return _joined("-", self, other)

    def __mul__(self, other: Operand) -> Expression:
        return _joined("*", other, self) if _is_number(other) else _joined("*", self, other)

    def __rmul__(self, other: Number) -> Expression:
        return _joined("*", other, self)

    def __truediv__(self, other: Number) -> Expression:
        """The product with the reciprocal of a number."""
        if not _is_number(other):
            raise TypeError(f"an expression is divided by a number, not by {type(other).__name__}")
        return _joined("*", 1 / other, self)

    def __matmul__(self, other: Expression) -> Expression:
        """The product of matrices with matrices or vectors."""
        return _joined("*", self, other)

    def __neg__(self) -> Expression:
        return _joined("*", -1.0, self)

    def adj(self) -> Expression:
        """Transposed and conjugated."""
        return self._call("adj")

    def conj(self) -> Expression:
        """Conjugated."""
        return self._call("conj")

    def transpose(self) -> Expression:
        """Transposed."""
        return self._call("transpose")

    def trace(self) -> Expression:
        """The trace of the outermost matrix."""
        return self._call("trace")

    def real(self) -> Expression:
        """The real part."""
        return self._call("real")

    def shift(self, axis: int, by: int, boundary: str = "periodic") -> Expression:
        """The values of the site `by` further along an axis of the array, around the lattice; with
        `boundary="antiperiodic"` with a change of sign each time that this passes its end."""
        rank = len(self._some_field().shape)
        axis = whole(axis, "shift: axis")
        if not 0 <= axis < rank:
            raise _core.UsageError(f"shift along axis {axis}: the lattice has the axes 0 to {rank - 1}")
        by = whole(by, "shift: by")
        moved = self._call("shift", rank - 1 - axis, by)
        if word_of(boundary, "shift: boundary", ("periodic", "antiperiodic")) == "periodic" or by == 0:
            return moved
        like = self._some_field()
        return _joined("*", _signs(like.shape, 8 * like._held.real_bytes(), like.device, axis, by), moved)

    def spin(self, matrix: Any) -> Expression:
        """The product of a matrix of 4 x 4 numbers, such as a gamma matrix, with spinors or propagators."""
        given = np.asarray(matrix, dtype=np.complex128)
        if given.shape != (4, 4):
            raise TypeError(f"spin: a matrix of shape {given.shape}; (4, 4) is right")
        numbers_ = tuple(Expression("number", data=(complex(z), True)) for z in given.ravel())
        return Expression("spin", (self, *numbers_))

    def _some_field(self) -> Field:
        return self._parts()[1][0]

    def _evaluated(self) -> Field:
        return Field(_run("ridge::lattice::assigned(queue, f0.lattice(), ", [self], ")")[3])

    def evaluate(self) -> Field:
        """A new field with the values of the expression: one launch, no temporaries. Gradients are by what it
        was made of, too."""
        return watched.evaluated(self, self._evaluated())


class Field(Expression):
    """A field on a device. Made by `field` and `evaluate`."""

    def __init__(self, held: _core.LatticeField) -> None:
        super().__init__("field")
        self._held = held
        #: What gradients are by, or go through: set by _grad_lattice and _torch_lattice.
        self._watched: Any = None

    def _parts(self) -> tuple[str, tuple[Field, ...], tuple[float, ...]]:
        return "F", (self,), ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the lattice in the order of arrays, x last."""
        return tuple(reversed(self._held.extents()))

    @property
    def device(self) -> str:
        return self._held.device()

    @property
    def dtype(self) -> np.dtype[Any]:
        bits = 8 * self._held.real_bytes()
        return np.dtype(f"complex{2 * bits}" if self._held.is_complex() else f"float{bits}")

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray[Any, Any]:
        """For numpy.asarray(field), which copies as numpy() does."""
        if copy is False:
            raise ValueError("a field has a layout of its own, which NumPy can only have a copy of")
        found = self.numpy()
        return found if dtype is None else found.astype(dtype)

    def numpy(self) -> np.ndarray[Any, np.dtype[Any]]:
        """A new array of shape (lattice, site)."""
        to = np.empty(self.shape + tuple(self._held.site()), self.dtype)
        self._held.get(to.ctypes.data)
        return to

    def torch(self) -> Any:
        """A new tensor of shape (lattice, site) on the host, which torch differentiates by tensors that fields were
        made of."""
        return watched.tensor_of(self)

    def __reduce__(self) -> Any:
        """A copy, or one in another process, has the values: it is made of them again."""
        site = name_of(site_of(self))
        if site not in SITES:
            raise TypeError(f"a field of {site_of(self)} cannot be copied or pickled; its numpy() can")
        return _again, (self.numpy(), site, self.device)

    def __repr__(self) -> str:
        return f"<ridge.lattice.Field {self.shape} of {self._held.site()} {self.dtype} on {self.device}>"


def field(array: Any, site: str, *, device: Optional[str] = None) -> Field:
    """A field with the values of an array of shape (lattice, site), x the last axis of the lattice:
    `real`, `complex`, `colour_vector` (3), `colour_matrix` (3,3), `spinor` (4,3) or `propagator`
    (4,4,3,3). The array is NumPy's or of another library (torch, CuPy, JAX), on the host or on a GPU.
    The values are copied into the field's layout, by way of the host. The field is on `device`, or
    where the array is.

    Raises TypeError for another type, order or shape; UsageError for a lattice that cannot be laid
    out, with extents that can."""
    if site not in SITES:
        raise _core.UsageError(f"unknown site '{site}'; a site is {', '.join(SITES)}")
    _torch_func.refuse("lattice.field", array)
    device = device_of(device, "field: device") or _device_of(array)
    source, array = array, _of_numpy(_arrays.plain(array))
    wanted = np.float64 if site == "real" else np.complex128
    if array.dtype not in (np.dtype(wanted), np.dtype(np.float32 if site == "real" else np.complex64)):
        raise TypeError(f"a field of {site} is made of {np.dtype(wanted).name}, or half as wide, not "
                        f"of {array.dtype}")
    if not array.flags.c_contiguous:
        raise TypeError("the array is not in C's order; numpy.ascontiguousarray makes a copy that is")
    inner = SITES[site]
    rank = array.ndim - len(inner)
    if rank < 1 or array.shape[rank:] != inner:
        raise TypeError(f"an array of shape {array.shape} has no sites of {site}; its last extents "
                        f"are {inner}")
    real_bytes = array.dtype.itemsize // (1 if site == "real" else 2)
    made = _core.new_field(site, real_bytes, list(reversed(array.shape[:rank])), device)
    made.set(array.ctypes.data)
    return watched.made_of(Field(made), source)


def _again(array: Any, site: str, device: str) -> Field:
    return field(array, site, device=device)


def _device_of(array: Any) -> str:
    """Where the field of an array is put if its caller does not say."""
    where = getattr(array, "__dlpack_device__", None)
    kind, number = where() if where else (_HOST, 0)
    return f"{_GPUS[kind]}:{int(number)}" if kind in _GPUS else "cpu"


_HOST = 1
_GPUS = {2: "cuda", 10: "hip"}  # DLPack's numbers for a GPU's own memory


def _of_numpy(array: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """An array of NumPy with the same values: the same memory, if that is the host's."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("a field has no mask; pass array.filled(value)")
    if isinstance(array, np.ndarray):
        return array
    name = type(array).__name__
    if not hasattr(array, "__dlpack__"):
        raise TypeError(f"a field is made of an array, not of {name}")
    try:
        return np.from_dlpack(_on_host(array))
    except (BufferError, RuntimeError, TypeError, ValueError) as e:
        raise TypeError(f"a field is made of an array that the host can read, which this {name} does "
                        f"not give: {e}") from None


def _on_host(array: Any) -> Any:
    """The array, or what its library makes of one on a GPU in the host's memory."""
    if _device_of(array) == "cpu":
        return array
    for copy in ("cpu", "get"):  # torch's name and CuPy's
        if callable(getattr(array, copy, None)):
            return getattr(array, copy)()
    return np.array(array)  # JAX and others copy so


def norm2(x: Expression, *, reproducible: bool = False) -> float:
    """The sum of the squares of all real numbers, in double. `reproducible`: the same bits on every
    device, under every schedule and with any number of threads. Fields of tensors that require a
    gradient it is a tensor, as other sums are."""
    return watched.reduced("norm2", reproducible, x)  # type: ignore[no-any-return]


def sum(x: Expression, *, reproducible: bool = False) -> Any:  # noqa: A001
    """The sum over all sites, a number or a tensor in double."""
    return watched.reduced("sum", reproducible, x)


def inner_product(x: Expression, y: Expression, *, reproducible: bool = False) -> Any:
    """The sum over sites and components of conj(x) y."""
    return watched.reduced("inner_product", reproducible, x, y)


_latest: list[Record] = []


def record() -> Record:
    """The record of the latest launch of this module."""
    if not _latest:
        raise _core.UsageError("no expression was run yet")
    return _latest[-1]


def _is_number(x: object) -> bool:
    return isinstance(x, numbers.Complex) and not isinstance(x, bool)


def _joined(op: str, a: Operand, b: Operand) -> Expression:
    parts = []
    for x in (a, b):
        if isinstance(x, Expression):
            parts.append(x)
        elif _is_number(x) and op == "*":
            parts.append(Expression("number", data=(complex(x), complex(x).imag != 0)))
        else:
            raise TypeError(f"{x!r} cannot be part of an expression with {op}; fields and expressions "
                            "can, and numbers as factors")
    return Expression(op, tuple(parts))


@functools.lru_cache(maxsize=8)
def _signs(shape: tuple[int, ...], bits: int, device: str, axis: int, by: int) -> Field:
    """A field of -1 where a shift passes the end of the lattice an odd number of times, else of 1."""
    n = shape[axis]
    signs = np.where((np.arange(n) + by) // n % 2 == 0, 1.0, -1.0)
    everywhere = np.broadcast_to(signs.reshape([-1 if d == axis else 1 for d in range(len(shape))]), shape)
    try:
        return field(everywhere.astype(f"f{bits // 8}", order="C"), "real", device=device)
    except _core.UsageError:  # a lattice of too few sites for a vector of real numbers
        return field(everywhere.astype(f"c{bits // 4}", order="C"), "complex", device=device)


atexit.register(_signs.cache_clear)  # fields end before the module that holds them


def _require_expression(x: object, what: str) -> None:
    if not isinstance(x, Expression):
        raise TypeError(f"{what} takes fields and expressions of them, not {type(x).__name__}; "
                        "ridge.lattice.field makes a field of an array")


_REDUCTIONS = {"norm2": ("double", "Norm2"), "sum": ("ridge::lattice::SumOf<decltype(x0)>", "Sum"),
               "inner_product": ("ridge::lattice::InnerProductOf<decltype(x0)>", "InnerProduct")}


def _reduced(name: str, reproducible: bool, *operands: Expression) -> Any:
    for operand in operands:
        _require_expression(operand, "a reduction")
    result, reduction = _REDUCTIONS[name]
    call = (f"ridge::lattice::reduced<{result}>(queue, ridge::lattice::{reduction}{{}}, "
            f"{'true' if reproducible else 'false'}, ")
    values, is_complex, site, _ = _run(call, list(operands), ")")
    found = np.array(values)
    if is_complex:
        found = found.view(np.complex128)
    return found.reshape(site) if site else found[0].item()


#: What is included where a text has a word.
_HEADERS = (("by_", "product_adjoint"), ("spin(", "spin_matrix"))


def _run(before: str, operands: list[Expression], after: str) -> tuple[Any, Any, Any, Any]:
    check_operands(operands)
    texts: list[str] = []
    fields: list[Field] = []
    values: list[float] = []
    for operand in operands:
        text, its_fields, its_values = operand._parts()
        written = ""
        for c in text:
            if c == "F":
                place = next((i for i, f in enumerate(fields) if f is its_fields[0]), len(fields))
                if place == len(fields):
                    fields.append(its_fields[0])
                its_fields = its_fields[1:]
                written += f"f{place}"
            elif c in "NC":
                first = len(values)
                count = 1 if c == "N" else 2
                values += its_values[:count]
                its_values = its_values[count:]
                given = ", ".join(f"numbers[{first + i}]" for i in range(count))
                written += given if c == "N" else f"ridge::lattice::Complex<double>({given})"
            else:
                written += c
        texts.append(written)
    kinds = "".join(f"  const auto& f{i} = ridge::lattice::field_of<{f._held.type()}>(*fields[{i}]);\n"
                    for i, f in enumerate(fields))
    named = "".join(f"  const auto& x{i} = {t};\n" for i, t in enumerate(texts))
    given = ", ".join(f"x{i}" for i in range(len(texts)))
    source = f"{kinds}{named}  return {before}{given}{after};\n"
    description = (
        "#include <ridge/device/offer.hpp>\n#include <ridge/lattice/any_field.hpp>\n"
        f"{''.join(f'#include <ridge/lattice/{h}.hpp>{chr(10)}' for w, h in _HEADERS if w in source)}"
        "namespace {\n"
        "ridge::lattice::ExpressionResult run(ridge::Queue& queue,\n"
        "                                 const ridge::lattice::AnyField* const* fields,\n"
        "                                 const double* numbers) {\n  (void)numbers;\n"
        f"{source}}}\n"
        "const ridge::Offer offered(ridge::DeviceKind::cpu, typeid(ridge::lattice::ExpressionRun*), &run);\n"
        "}\n")
    found = _core.run_lattice(description, [f._held for f in fields], values)
    _latest[:] = records_of(found[4])
    return found[0], found[1], found[2], found[3]
