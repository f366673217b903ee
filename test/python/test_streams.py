"""Arrays of GPUs: which stream is asked for. Without a GPU a call then says that there is none."""

import sys
import types

import numpy as np
import pytest
from conftest import exchanging

import ridge

NO_GPU = not any(d.startswith("cuda") for d in ridge.devices())
pytestmark = pytest.mark.skipif(not NO_GPU, reason="these arrays only pretend to be on a GPU")


@ridge.stencil
def shift(u):
    return u[1]


class OnGpu:
    """An array that says it is on CUDA's device 0; its memory is the host's and is not touched."""

    def __init__(self, device=(2, 0)):
        self.host = np.ones(9)
        self.shape = self.host.shape
        self.where = device
        self.asked = []

    def __dlpack_device__(self):
        return self.where

    def __dlpack__(self, *, stream, max_version=None):
        self.asked.append(stream)
        return self.host.__dlpack__(max_version=max_version)


def call(array, out):
    with pytest.raises(ridge.UsageError, match="there is no device (cuda|hip):0 here"):
        shift(array, out=out)
    return array.asked + out.asked


def of_library(name, module, monkeypatch):
    monkeypatch.setitem(sys.modules, name, module)
    return type("Array", (OnGpu,), {"__module__": f"{name}.core"})


def test_the_current_stream_of_the_library(monkeypatch):
    cupy = types.SimpleNamespace(cuda=types.SimpleNamespace(
        get_current_stream=lambda: types.SimpleNamespace(ptr=4711)))
    array = of_library("cupy", cupy, monkeypatch)
    assert call(array(), array()) == [4711, 4711]

    def current_stream(device):
        assert device == 0
        return types.SimpleNamespace(cuda_stream=815)

    torch = types.SimpleNamespace(cuda=types.SimpleNamespace(current_stream=current_stream))
    monkeypatch.setattr("ridge._torch_func.transforming", lambda: False)  # it has no more than that
    array = of_library("torch", torch, monkeypatch)
    # The stream is that of the first array's library: another's producer is told it.
    assert call(array(), OnGpu()) == [815, 815]


def test_the_stream_that_a_library_tells_c():
    offered = exchanging(stream=7)
    array, out = offered(np.ones(9), (2, 0)), OnGpu()
    with pytest.raises(ridge.UsageError, match="there is no device cuda:0 here"):
        shift(array, out=out)
    assert out.asked == [7]

    class Both(exchanging(stream=8)):
        asked_for = []

        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, *, stream, max_version=None):
            self.asked_for.append(stream)
            return self.array.__dlpack__(max_version=max_version)

    with pytest.raises(ridge.UsageError, match="there is no device cuda:0 here"):
        shift(array, out=Both(np.ones(9), (2, 0)))
    assert Both.asked_for == [7]  # its own stream is another: it has to wait for the first array's


def test_the_default_stream():
    assert call(OnGpu(), OnGpu()) == [1, 1]  # what DLPack calls CUDA's
    assert call(OnGpu((10, 0)), OnGpu((10, 0))) == [0, 0]  # and HIP's


def test_arrays_in_two_places():
    with pytest.raises(TypeError, match="out is in the host's memory, and the first array on cuda:0"):
        shift(OnGpu(), out=np.zeros(9))
    with pytest.raises(TypeError, match="out is on cuda:0, and the first array on cpu"):
        shift(np.zeros(9), out=OnGpu())
    with pytest.raises(TypeError, match="out is on cuda:1, and the first array on cuda:0"):
        shift(OnGpu(), out=OnGpu((2, 1)))


class Interface:
    """An array with nothing but __cuda_array_interface__."""

    def __init__(self, **changes):
        self.host = np.ones(9)
        self.shape = self.host.shape
        self.__cuda_array_interface__ = {
            "shape": (9,), "typestr": "<f8", "data": (self.host.ctypes.data, False), "version": 3,
            "strides": None, "stream": None, **changes}


def test_cuda_array_interface():
    with pytest.raises(ridge.UsageError, match="there is no device cuda:0 here"):
        shift(Interface(stream=7), out=Interface(stream=7))
    with pytest.raises(TypeError, match="out belongs to another stream"):
        shift(Interface(stream=7), out=Interface(stream=8))
    with pytest.raises(TypeError, match="out is read-only"):
        shift(Interface(), out=Interface(data=(64, True)))
    with pytest.raises(TypeError, match="other byte order"):
        shift(Interface(typestr=">f8"), out=Interface())
    with pytest.raises(TypeError, match="not contiguous"):
        shift(Interface(strides=(16,)), out=Interface())
    with pytest.raises(TypeError, match="type '<i4'"):
        shift(Interface(typestr="<i4"), out=Interface())
