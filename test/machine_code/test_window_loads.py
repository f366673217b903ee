"""Marches with windows on NVIDIA GPUs without a bulk copy engine, and with one.

Compiled for both: next to nothing spills, as many registers that two blocks share a multiprocessor, all that is
read comes by asynchronous copies of 16 bytes, stores of 16 bytes past the caches.
"""

import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def compiled(architecture, folder):
    """The PTX, and what ptxas says of each kernel: registers, bytes that spill."""
    out = os.path.join(folder, architecture)
    options = ["-std=c++20", "-O3", "--expt-relaxed-constexpr", f"-arch=sm_{architecture}", "--keep",
               "--keep-dir", folder, "-cubin", "-Xptxas=-v", "-x", "cu", "-DRIDGE_TARGET_CUDA",
               "-I" + os.environ["INCLUDE"], "-o", out, os.path.join(HERE, "window_loads.cu")]
    done = subprocess.run([os.environ["NVCC"], *options], check=True, capture_output=True, text=True)
    with open(os.path.join(folder, "window_loads.ptx"), encoding="utf-8") as file:
        text = file.read()
    registers = [int(n) for n in re.findall(r"Used (\d+) registers", done.stderr)]
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill", done.stderr)]
    return text, registers, spills


class WindowLoads(unittest.TestCase):
    def test_code(self):
        for architecture in ("80", "90"):
            with self.subTest(architecture=architecture), tempfile.TemporaryDirectory() as folder:
                text, registers, spills = compiled(architecture, folder)
                self.assertEqual(len(registers), 2)
                self.assertLessEqual(max(registers), 128)  # of 65536, for two blocks of 256 threads
                # In fp32 one value a thread, for 80 registers: three blocks share a multiprocessor.
                self.assertLessEqual(max(spills), 4)
                kernels = text.split(".entry ")[1:]
                self.assertEqual(len(kernels), 2)
                for kernel in kernels:
                    copies = re.findall(r"cp\.async\.\S+ \[\S+\], \[\S+\], (\d+)", kernel)
                    # Two rows of a lane, what lies around the tile, and the ends of rows.
                    self.assertGreaterEqual(len(copies), 5)
                    self.assertEqual(set(copies), {"16"})
                    self.assertEqual(re.findall(r"\sld\.global\.nc\S*", kernel), [])
                    wide = re.compile(r"\.v4\.(u32|b32)|\.v2\.(f64|b64|u64)")
                    stores = re.findall(r"\sst\.global\.cs\S*", kernel)
                    self.assertGreaterEqual(len([s for s in stores if wide.search(s)]), 2)


if __name__ == "__main__":
    unittest.main()
