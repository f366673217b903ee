"""Marches on NVIDIA GPUs load 16 bytes at a time from shared memory.

Compiles marches to PTX. A compiler that splits such a load in four has the lanes of a warp meet in the
same banks each time, which costs up to a third of the speed.
"""

import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def kernels():
    """Name and shared-memory loads of each kernel."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "march.ptx")
        subprocess.run(
            [os.environ["NVCC"], "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-arch=compute_90",
             "-ptx", "-x", "cu", "-DRIDGE_TARGET_CUDA", "-I" + os.environ["INCLUDE"], "-o", out,
             os.path.join(HERE, "march_loads.cu")], check=True)
        with open(out, encoding="utf-8") as file:
            text = file.read()
    for part in text.split(".entry ")[1:]:
        yield part.split("(")[0].strip(), re.findall(r"\sld\.shared\S*", part)


class MarchLoads(unittest.TestCase):
    def test_sixteen_bytes_each(self):
        found = list(kernels())
        self.assertEqual(len(found), 3)
        for name, loads in found:
            self.assertGreaterEqual(len(loads), 14, name)  # 4 rows of a lane: own, above, beside
            self.assertEqual([load for load in loads if ".v4.u32" not in load], [], name)


if __name__ == "__main__":
    unittest.main()
