"""What the tests of the Python package share."""

import ctypes
import os
import sys
import tempfile
import time

import numpy as np
import pytest

import ridge


# Tests look into the cache; without one that is given, it is empty at first.
os.environ.setdefault("RIDGE_CACHE", tempfile.mkdtemp(prefix="ridge-tests-"))
# How fast the memory is is not what tests ask: ceilings are measured on small arrays.
os.environ.setdefault("RIDGE_ROOF_MIB", "2")


def let_it_work(process, seconds=0.3):
    """Waits until a process has used so much more of processors itself: compilers that it starts do not count."""
    def used():
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    begin, end = used(), time.monotonic() + 300
    while used() < begin + seconds:
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(params=["cpu", "simt:32"])
def device(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="session")
def heat():
    @ridge.stencil
    def heat(u, rate=0.1):
        return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                    + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])

    return heat


def heat_of(u, rate, before):
    """The same by NumPy in double; the points at the edge are those of `before`."""
    u = u.astype(np.float64)
    out = before.astype(np.float64)
    i = slice(1, -1)
    out[i, i, i] = u[i, i, i] + rate * (u[i, i, 2:] + u[i, i, :-2] + u[i, 2:, i] + u[i, :-2, i]
                                        + u[2:, i, i] + u[:-2, i, i] - 6 * u[i, i, i])
    return out


class Producer:
    """An array of another library: nothing but DLPack's protocol, by way of NumPy."""

    def __init__(self, array, *, versioned=True, refuses=None):
        self.array = array
        self.versioned = versioned
        self.refuses = refuses
        self.asked = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        self.asked.append(options)
        if self.refuses is not None:
            raise self.refuses
        if not self.versioned and "max_version" in options:
            raise TypeError("unexpected keyword max_version")
        return self.array.__dlpack__(**options)


def exchanging(stream=0):
    """A class of arrays of the host whose library offers them to C, as torch's are: its instances
    have `array`, the class `asked`, which says how often it described one, and how often kept one."""
    class Tensor(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("number", ctypes.c_int32),
                    ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                    ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                    ("offset", ctypes.c_uint64)]

    class Versioned(ctypes.Structure):
        pass

    deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(Versioned))
    Versioned._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                          ("manager", ctypes.c_void_p), ("deleter", deleter), ("flags", ctypes.c_uint64),
                          ("tensor", Tensor)]
    manage = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(Versioned)))
    describe = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
    current = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32,
                               ctypes.POINTER(ctypes.c_void_p))

    class Exchange(ctypes.Structure):
        _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
                    ("allocate", ctypes.c_void_p), ("manage", manage), ("to_object", ctypes.c_void_p),
                    ("describe", describe), ("current", current)]

    asked = {"described": 0, "kept": 0}
    alive = []

    def fill(given, tensor):
        a = given.array
        extents = (ctypes.c_int64 * (2 * a.ndim))(*a.shape, *(s // a.itemsize for s in a.strides))
        alive.append(extents)
        place = ctypes.addressof(extents)
        for name, value in {"data": a.ctypes.data, "type": given.where[0], "number": given.where[1],
                            "ndim": a.ndim, "code": {"f": 2, "i": 0}[a.dtype.kind],
                            "bits": 8 * a.itemsize, "lanes": 1, "shape": place,
                            "strides": place + 8 * a.ndim, "offset": 0}.items():
            setattr(tensor, name, value)

    @describe
    def described(given, to):
        asked["described"] += 1
        fill(given, to[0])
        return 0

    @deleter
    def dropped(_):
        asked["kept"] -= 1

    @manage
    def managed(given, to):
        asked["kept"] += 1
        made = Versioned(1, 0, None, dropped, 0 if given.array.flags.writeable else 1)
        fill(given, made.tensor)
        alive.append(made)
        to[0] = ctypes.pointer(made)
        return 0

    @current
    def current_stream(_type, _number, to):
        to[0] = stream
        return 0

    api = Exchange(1, 3, None, None, managed, None, described, current_stream)
    capsule_of = ctypes.pythonapi.PyCapsule_New
    capsule_of.restype = ctypes.py_object
    capsule_of.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    name = b"dlpack_exchange_api"

    class Exchanged:
        __dlpack_c_exchange_api__ = capsule_of(ctypes.addressof(api), name, None)
        keeps = (api, name, described, managed, dropped, current_stream, alive)

        def __init__(self, array, where=(1, 0)):
            self.array = array
            self.where = where

    Exchanged.asked = asked
    return Exchanged


def line_of(text):
    """The number of the line of the caller's file in which `text` is."""
    file = sys._getframe(1).f_code.co_filename
    with open(file, encoding="utf-8") as source:
        lines = [n for n, line in enumerate(source, 1) if text in line]
    assert len(lines) == 1, lines
    return f"{file}:{lines[0]}"
