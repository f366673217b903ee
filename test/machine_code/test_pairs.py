"""The hot loops of the pairs on the cpu hold packed arithmetic only, and no more than they must.

Reads the machine code inside `ridge`: in the functions that sum over pairs, every loop with a packed
reciprocal square root computes with whole registers only.
"""

import re
import unittest

import x86

ROOT = re.compile(r"^v?rsqrt(14|28)?p[sd]$|^v?sqrtp[sd]$")
# What gravity declares beside the first approximation of the root: 13 operations, and the steps that
# refine it, up to 5 in fp32 and 6 in fp64.
MOST = {"4Fp32": 18, "5Mixed": 18, "4Fp64": 19}
MORE_APART = 6  # where positions are of two numbers: two additions for each of three


class Pairs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.functions = x86.functions(r"9cpu_pairs7for_cpu")

    def hot_loops(self, interaction):
        """Loops with a packed root, of the functions of an interaction."""
        for name, code in self.functions.items():
            if interaction in name:
                for loop in x86.innermost_loops(code):
                    roots = [i for i in loop if ROOT.match(i[1])]
                    if roots:
                        yield name, loop, roots

    def test_gravity(self):
        found = {"4Fp32": 0, "4Fp64": 0, "5Mixed": 0}
        for name, loop, roots in self.hot_loops("7Gravity"):
            precision = next(p for p in found if p in name)
            self.assertEqual(x86.scalar(loop), [], name)
            packed = x86.packed(loop)
            self.assertEqual(len(packed), sum(bool(x86.PACKED.match(i[1])) for i in loop), name)
            most = MOST[precision] + (MORE_APART if "5Apart" in name else 0)
            self.assertLessEqual(len(packed), most * len(roots), name)
            found[precision] += 1
        for precision, count in found.items():
            self.assertGreater(count, 0, precision)

    def test_others(self):
        for interaction in ["7Coulomb", "10BiotSavart"]:
            loops = list(self.hot_loops(interaction))
            self.assertTrue(loops, interaction)
            for name, loop, _ in loops:
                self.assertEqual(x86.scalar(loop), [], name)
                self.assertTrue(x86.packed(loop), name)


if __name__ == "__main__":
    x86.main()
