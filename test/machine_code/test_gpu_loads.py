"""What kernels load on NVIDIA GPUs, and when, as nvcc compiles them."""

import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def compiled(name, options):
    """PTX of each kernel of a file beside this one, by name, and what the compiler says."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [os.environ["NVCC"], "-std=c++20", "-O3", "--expt-relaxed-constexpr", "--keep", "--keep-dir",
             folder, *options, "-x", "cu", "-DRIDGE_TARGET_CUDA", "-I" + os.environ["INCLUDE"], "-o",
             os.path.join(folder, "out.ptx" if "-ptx" in options else "out.cubin"),
             os.path.join(HERE, f"{name}.cu")], check=True, capture_output=True, text=True)
        ptx = "out.ptx" if "-ptx" in options else f"{name}.ptx"
        with open(os.path.join(folder, ptx), encoding="utf-8") as file:
            parts = file.read().split(".entry ")[1:]
    return [(part.split("(")[0].strip(), part) for part in parts], done.stderr


class Loads(unittest.TestCase):
    def test_march_loads(self):
        """16 bytes at a time from shared memory. A compiler that splits such a load in four has the
        lanes of a warp meet in the same banks each time, which costs up to a third of the speed."""
        kernels, _ = compiled("march_loads", ["-arch=compute_90", "-ptx"])
        self.assertEqual(len(kernels), 3)
        for name, text in kernels:
            loads = re.findall(r"\sld\.shared\S*", text)
            self.assertGreaterEqual(len(loads), 14, name)  # 4 rows of a lane: own, above, beside
            self.assertEqual([load for load in loads if ".v4.u32" not in load], [], name)

    def test_chain_loads(self):
        """Lanes that march load all that an item reads before they divide. NVIDIA's assembler moves no
        load across a division, which may call a routine: each load behind one would wait for memory
        anew, at less than half of the speed."""
        kernels, _ = compiled("chain_loads", ["-arch=compute_90", "-ptx"])
        self.assertEqual(len(kernels), 2)
        for name, text in kernels:
            steps = re.findall(r"\s(ld\.global|div\.rn|prefetch\.global)", text)
            self.assertEqual(steps.count("div.rn"), 3, name)
            loop = steps[steps.index("prefetch.global"):]
            self.assertNotIn("ld.global", loop[loop.index("div.rn"):], name)
            self.assertGreaterEqual(steps[:steps.index("div.rn")].count("ld.global"), 20, name)

    def test_window_loads(self):
        """Marches with windows, compiled for GPUs without a bulk copy engine and with one: next to
        nothing spills, as many registers that two blocks share a multiprocessor, all that is read comes
        by asynchronous copies of 16 bytes, stores of 16 bytes past the caches."""
        for architecture in ("80", "90"):
            with self.subTest(architecture=architecture):
                kernels, said = compiled("window_loads", [f"-arch=sm_{architecture}", "-cubin",
                                                          "-Xptxas=-v"])
                registers = [int(n) for n in re.findall(r"Used (\d+) registers", said)]
                spills = [int(n) for n in re.findall(r"(\d+) bytes spill", said)]
                self.assertEqual(len(registers), 2)
                self.assertLessEqual(max(registers), 128)  # of 65536, for two blocks of 256 threads
                # In fp32 one value a thread, for 80 registers: three blocks share a multiprocessor.
                self.assertLessEqual(max(spills), 4)
                self.assertEqual(len(kernels), 2)
                for _, text in kernels:
                    copies = re.findall(r"cp\.async\.\S+ \[\S+\], \[\S+\], (\d+)", text)
                    # Two rows of a lane, what lies around the tile, and the ends of rows.
                    self.assertGreaterEqual(len(copies), 5)
                    self.assertEqual(set(copies), {"16"})
                    self.assertEqual(re.findall(r"\sld\.global\.nc\S*", text), [])
                    wide = re.compile(r"\.v4\.(u32|b32)|\.v2\.(f64|b64|u64)")
                    stores = re.findall(r"\sst\.global\.cs\S*", text)
                    self.assertGreaterEqual(len([s for s in stores if wide.search(s)]), 2)


if __name__ == "__main__":
    unittest.main()
