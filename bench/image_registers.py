#!/usr/bin/env python3
"""Registers of the same kernels by NVRTC, with Ridge's stand-in for the standard library, and by nvcc.

    bench/image_registers.py [LIBNVRTC] [NVCC]

Needs no GPU. Exits 1 where the two differ by more than two registers.
"""

import ctypes
import pathlib
import struct
import subprocess
import sys
import tempfile

INCLUDE = pathlib.Path(__file__).resolve().parents[1] / "include"
ARCHITECTURE = "sm_90"
# Header with the body, the kernels' header, what says the variant, and the body itself.
BODIES = (
    ("stencil/gpu/points", "stencil",
     "STENCIL_POINTS 2, ridge::stencil::Loads::ascending, ridge::stencil::Store::plain, 256",
     "stencil::gpu::Points<stencil::Laplacian<2, 3>, double, stencil::demanded_points[0]>"),
    ("stencil/gpu/march", "stencil",
     "STENCIL_MARCH 128, 2, 4, ridge::stencil::Store::plain, ridge::stencil::Rows::packs",
     "stencil::gpu::March<stencil::Laplacian<2, 3>, double, stencil::demanded_march[0]>"),
    ("pairs/gpu/direct", "pairs", "PAIRS_DIRECT ridge::pairs::Stage::warp, 2, 4, 2",
     "pairs::gpu::Direct<pairs::Gravity<>, pairs::Mixed, pairs::demanded_direct[0]>"),
    ("pairs/gpu/symmetric", "pairs", "PAIRS_SYMMETRIC 4, 2",
     "pairs::gpu::Mutual<pairs::Gravity<>, pairs::Mixed, pairs::SymmetricVariant{4, 2}>"),
    ("lattice/gpu/bodies", "lattice", "LATTICE_MAP 4, ridge::lattice::Store::plain",
     "lattice::gpu::FlatMap<lattice::Axpy<double>, double, 4, lattice::Store::plain>"),
    ("lattice/gpu/bodies", "lattice", "LATTICE_MAP 4, ridge::lattice::Store::plain",
     "lattice::gpu::FlatReduce<double, lattice::Norm2, false, lattice::PlainSum<double>, 4>"),
    ("lattice/gpu/bodies", "lattice", "LATTICE_MAP 4, ridge::lattice::Store::plain",
     "lattice::gpu::RollReduce<double, lattice::Norm2, false, 8>"),
    ("chain/gpu/bodies", "chain", "CHAIN_RUNS {0, 3}", "chain::gpu::Points<lab::Stream<4>, double, 0, 3, 2>"),
    ("chain/gpu/bodies", "chain", "CHAIN_RUNS {0, 1}",
     "chain::gpu::Exchange<atmosphere::SweepX, double, 0, 1>"),
    ("chain/gpu/bodies", "chain", "CHAIN_RUNS {0, 1}",
     "chain::gpu::March<atmosphere::SweepZ, double, 0, 1>"),
)  # fmt: skip


def text_of(header, kernels, variant, body):
    return f"""#define RIDGE_{variant}
#include <ridge/device/gpu/entry.hpp>
#include <ridge/{header}.hpp>
#include "ridge/lab/kernels/{kernels}.hpp"
using namespace ridge;
using Body = {body};
extern "C" __global__ RIDGE_LAUNCH_BOUNDS(Body) void ridge_entry(const __grid_constant__ Body body) {{
  ridge::gpu::run_body(body);
}}
"""


def by_nvrtc(library, text):
    options = ["-std=c++20", f"-arch={ARCHITECTURE}", "-default-device", "-DRIDGE_TARGET_CUDA",
               f"-I{INCLUDE}/ridge/device/rtc", f"-I{INCLUDE}"]  # fmt: skip
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
    words = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
    size = ctypes.c_size_t()
    if library.nvrtcCompileProgram(program, len(options), words) != 0:
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        sys.exit(log.value.decode())
    library.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    library.nvrtcGetCUBIN(program, image)
    return image.raw


def by_nvcc(nvcc, text):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "kernel.cu")
        source.write_text(text)
        subprocess.run(
            [nvcc, "-std=c++20", "-O3", "--expt-relaxed-constexpr", f"-arch={ARCHITECTURE}", "-cubin",
             "-DRIDGE_TARGET_CUDA", f"-I{INCLUDE}", str(source), "-o", f"{folder}/kernel.cubin"],
            check=True,
        )  # fmt: skip
        return pathlib.Path(folder, "kernel.cubin").read_bytes()


def registers(cubin):
    """Of its one kernel: an attribute (4, 0x2f) in the section .nv.info, behind the symbol's number."""
    (start,) = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    (names_at,) = struct.unpack_from("<Q", cubin, start + names * size + 0x18)
    for i in range(count):
        name, _, _, _, at, length = struct.unpack_from("<IIQQQQ", cubin, start + i * size)
        if cubin[names_at + name :].partition(b"\0")[0] != b".nv.info":
            continue
        end = at + length
        while at < end:
            form, attribute, value = struct.unpack_from("<BBH", cubin, at)
            if (form, attribute) == (4, 0x2F):
                return struct.unpack_from("<I", cubin, at + 8)[0]
            at += 4 + (value if form == 4 else 0)
    sys.exit("the cubin does not say how many registers its kernel takes")


def main():
    library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "/usr/local/cuda/lib64/libnvrtc.so")
    nvcc = sys.argv[2] if len(sys.argv) > 2 else "nvcc"
    differ = False
    print(f"{'nvrtc':>6} {'nvcc':>6}")
    for body in BODIES:
        text = text_of(*body)
        ours, theirs = registers(by_nvrtc(library, text)), registers(by_nvcc(nvcc, text))
        differ = differ or abs(ours - theirs) > 2
        print(f"{ours:6} {theirs:6} {body[-1]}", flush=True)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
