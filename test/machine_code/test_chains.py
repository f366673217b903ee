"""The hot loops of the lab's chains and of the atmosphere hold packed arithmetic only.

Reads the machine code inside `ridge`: in every function that runs operations over a box of items,
the innermost loops with packed arithmetic have no scalar arithmetic, and there is one.
"""

import os
import re
import unittest

import x86

SCALAR_STORE = re.compile(r"^v?movs[sd] %xmm\d+,[^%]*\((?!%rsp|%rbp)")


class MachineCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The loops of a box are in a function of their own where the compiler did not put them into run_box,
        # which then only jumps there.
        found = x86.functions(r"5chain3cpu7for_cpu(7run_box|9run_items)")
        cls.functions = {n: c for n, c in found.items() if len(c) > 8}

    def of(self, chain):
        chosen = {n: c for n, c in self.functions.items() if chain in n}
        self.assertTrue(chosen, f"no function of {chain} in this program")
        return chosen

    def require_packed(self, chain, least):
        """`least` packed instructions in the busiest loop of each function, and nothing scalar."""
        for name, code in self.of(chain).items():
            counts = []
            for loop in x86.innermost_loops(code):
                if any(SCALAR_STORE.match(f"{i[1]} {i[2]}") for i in loop):
                    continue  # items one by one, at the ends of rows
                packed = len(x86.packed(loop))
                if packed:
                    counts.append(packed)
                    self.assertEqual(x86.scalar(loop), [], f"scalar arithmetic in a packed loop of {name}")
            self.assertTrue(counts and max(counts) >= least,
                            f"{name}: packed instructions in its loops: {counts}")

    def test_streams(self):
        self.require_packed("6StreamILi10EE", 1)
        self.require_packed("6StreamILi1EE", 1)

    def test_joined_stream(self):
        joined = {n: c for n, c in self.of("6StreamILi10EE").items() if "ILi0ELi9E" in n}
        self.assertEqual(len(joined), 2)  # fp32 and fp64
        for name, code in joined.items():
            most = max(sum(bool(x86.PACKED.match(i[1])) for i in loop) for loop in x86.innermost_loops(code))
            self.assertGreaterEqual(most, 13, name)  # all ten operations in one loop

    def test_streams_are_asked_for(self):
        for name, code in self.of("6StreamI").items():
            self.assertIn("prefetcht0", [i[1] for i in code], name)

    @unittest.skipUnless("atmosphere" in os.environ.get("RIDGE_WINGS", "atmosphere"), "this build has no atmosphere")
    def test_atmosphere(self):
        self.require_packed("10atmosphere6SweepX", 4)
        self.require_packed("10atmosphere6SweepZ", 4)


if __name__ == "__main__":
    x86.main()
