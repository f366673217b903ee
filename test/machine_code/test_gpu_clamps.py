"""No integer that is clamped from below by zero is compared with what clamped it.

ptxas of CUDA 13.0 makes one instruction of both for sm_90 and sm_100, VIMNMX.RELU with a predicate, and
takes its outcome for `max(min(a, b), 0) == a` as well as for `== b`.
"""

import os
import struct
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CLAMPS = (0x248, 0x848, 0xA48, 0xC48)  # VIMNMX with registers, numbers and constants
NO_PREDICATES = 0x3F  # both outcomes go nowhere


def functions(elf):
    """Name and machine code of each kernel in a cubin."""
    first, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, first + i * size) for i in range(count)]
    for name, _, _, _, offset, length in sections:
        begin = sections[names][4] + name
        text = elf[begin:elf.index(b"\0", begin)].decode()
        if text.startswith(".text."):
            yield text[len(".text."):], elf[offset:offset + length]


def compared_clamps(code):
    """Where such instructions are."""
    words = list(struct.iter_unpack("<QQ", code[:len(code) // 16 * 16]))
    return [16 * i for i, (low, high) in enumerate(words)
            if low & 0xFFF in CLAMPS and high >> 17 & 0x3F != NO_PREDICATES]


class Clamps(unittest.TestCase):
    def test_are_found(self):
        """VIMNMX.RELU R11, P0, P0, R2, R5, PT; the same without predicates; VIMNMX R9, R2, 0x2, PT."""
        code = struct.pack("<6Q", 0x00000005020B7248, 0x010FC80003801100, 0x00000005020B7248,
                           0x000FE40003FE1100, 0x0000000202097848, 0x000FE40003FE0100)
        self.assertEqual(compared_clamps(code), [0])

    def test_places_of_passes(self):
        """Which values a lane of a pass stores: passes left the start in most of a field by such a clamp."""
        with tempfile.TemporaryDirectory() as folder:
            cubin = os.path.join(folder, "out.cubin")
            subprocess.run([os.environ["NVCC"], "-std=c++20", "-O3", "-arch=sm_90", "-cubin", "--expt-relaxed-constexpr",
                            "-DRIDGE_TARGET_CUDA", "-I" + os.environ["INCLUDE"], "-x", "cu", "-o", cubin,
                            os.path.join(HERE, "pass_place.cu")], check=True)
            with open(cubin, "rb") as file:
                kernels = dict(functions(file.read()))
        self.assertEqual(len(kernels), 3)
        for name, code in kernels.items():
            self.assertGreater(len(code), 1000, name)
            self.assertEqual(compared_clamps(code), [], name)


if __name__ == "__main__":
    unittest.main()
