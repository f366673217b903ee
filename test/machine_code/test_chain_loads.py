"""Lanes that march through an operation load all that an item reads before they divide.

Compiles such launches to PTX. NVIDIA's assembler moves no load across a division, which may call a routine: each
load behind one would wait for memory anew, at less than half of the speed.
"""

import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def kernels():
    """Name and, of each kernel, its loads, divisions and prefetches in their order."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "chain.ptx")
        subprocess.run(
            [os.environ["NVCC"], "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-arch=compute_90",
             "-ptx", "-x", "cu", "-DRIDGE_TARGET_CUDA", "-I" + os.environ["INCLUDE"], "-o", out,
             os.path.join(HERE, "chain_loads.cu")], check=True)
        with open(out, encoding="utf-8") as file:
            text = file.read()
    for part in text.split(".entry ")[1:]:
        yield part.split("(")[0].strip(), re.findall(r"\s(ld\.global|div\.rn|prefetch\.global)", part)


class ChainLoads(unittest.TestCase):
    def test_all_before_the_first_division(self):
        found = list(kernels())
        self.assertEqual(len(found), 2)
        for name, steps in found:
            self.assertEqual(steps.count("div.rn"), 3, name)
            loop = steps[steps.index("prefetch.global"):]
            self.assertNotIn("ld.global", loop[loop.index("div.rn"):], name)
            self.assertGreaterEqual(steps[:steps.index("div.rn")].count("ld.global"), 20, name)


if __name__ == "__main__":
    unittest.main()
