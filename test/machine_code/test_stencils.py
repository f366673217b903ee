"""The stencils on the cpu ask for cache lines ahead of time.

Reads the machine code inside `ridge`. A compiler may take a function that only prefetches for one
without effect and leave out its calls; nothing but the speed then shows it.
"""

import re
import unittest

import x86

FLOPS = re.compile(r"^vf(n?)m(add|sub)(132|213|231)p[sd]$|^v?mulp[sd]$")


class Stencils(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.functions = x86.functions(r"7stencil3cpu")

    def computing(self, pattern):
        """The functions of that name that compute."""
        found = {name: code for name, code in x86.mnemonics(self.functions, pattern).items()
                 if any(FLOPS.match(m) for m in code)}
        self.assertTrue(found, pattern)
        return found

    def test_rows(self):
        for name, code in self.computing(r"^_ZN.*7run_rowI").items():
            # One stream's line twice, each of them in loops of two lines and in what is left.
            self.assertGreaterEqual(code.count("prefetcht0"), 8, name)

    def test_pairs(self):
        for name, code in self.computing(r"10PairOfRows.*3run|14run_pair_blockI").items():
            self.assertGreaterEqual(code.count("prefetcht1"), 2, name)

    def test_windows(self):
        for name, code in self.computing(r"14run_deep_blockI").items():
            self.assertGreaterEqual(code.count("prefetcht1"), 6, name)


if __name__ == "__main__":
    x86.main()
