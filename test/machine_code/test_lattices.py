"""Reductions and maps of lattices on the cpu ask for cache lines ahead of time.

Reads the machine code inside `ridge`: a compiler may leave out the calls of functions that only
prefetch, and convert eight floats by halves where one instruction does it.
"""

import unittest

import x86


class Lattices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.functions = x86.functions(r"10cpu_reduce|7cpu_map")

    def of(self, pattern):
        found = x86.mnemonics(self.functions, pattern)
        self.assertTrue(found, pattern)
        return found

    def test_reductions(self):
        # A line of each of the eight streams of sums.
        for name, code in self.of(r"10cpu_reduce.*6WalkerI.*8PlainSum.*19one_slot_in_streamsE").items():
            self.assertGreaterEqual(code.count("prefetcht0"), 8, name)

    def test_maps(self):
        computing = {n: c for n, c in self.of(r"7cpu_map.*3mapI").items()
                     if any(m.startswith(("movnt", "vmovnt")) for m in c)}
        self.assertGreaterEqual(len(computing), 4)  # two maps, two precisions
        for name, code in computing.items():
            self.assertIn("prefetcht0", code, name)

    def test_floats_are_converted_at_once(self):
        for name, code in self.of(r"10cpu_reduce.*6WalkerIf.*8PlainSum.*19one_slot_in_streamsE").items():
            self.assertNotIn("vinsertf64x4", code, name)
            self.assertTrue({"cvtps2pd", "vcvtps2pd"} & set(code), name)


if __name__ == "__main__":
    x86.main()
