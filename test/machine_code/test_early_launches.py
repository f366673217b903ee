"""Launches that CUDA prepares while the one before ends touch memory only once they have waited.

Reads the machine code for NVIDIA GPUs inside `ridge`. Loads of what a launch does not write may be
moved by compilers across anything, in principle across this wait too. And no kernel compares a clamped
integer as test_gpu_clamps.py says.
"""

import os
import re
import subprocess
import sys
import unittest

SKIPPED = 77  # what ctest is told to take for it
WAIT = "ACQBULK"
MEMORY = re.compile(r"^(LD|LDG|ST|STG|ATOM|ATOMG|RED|LDGSTS|UBLKCP|UTMALDG|UBLKPF)(\.|$)")
ARCHITECTURE = re.compile(r"\s*arch = sm_(\d+)")
FUNCTION = re.compile(r"\s*Function : (\S+)")
CLAMP = re.compile(r"\sVIMNMX\S* R\w+, P[0-6],")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")


def kernels():
    """Name and mnemonics of each kernel for architectures that know how to wait."""
    command = [os.environ.get("CUOBJDUMP", "cuobjdump"), "-sass", os.environ["RIDGE"]]
    architecture, name, code = 0, None, []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            if found := ARCHITECTURE.match(line):
                architecture = int(found[1])
            elif found := FUNCTION.match(line):
                if name:
                    yield name, code
                name, code = (found[1] if architecture >= 90 else None), []
            elif name and (found := INSTRUCTION.match(line)):
                code.append("compared clamp" if CLAMP.search(line) else found[1])
    if dump.returncode != 0:
        raise RuntimeError(f"{command[0]} exits with {dump.returncode}")
    if name:
        yield name, code


class EarlyLaunches(unittest.TestCase):
    def test_wait_before_they_touch_memory(self):
        waiting = 0
        for name, code in kernels():
            self.assertNotIn("compared clamp", code, name)
            if WAIT not in code:
                self.assertNotIn("5chain3gpu8for_cuda", name, "a launch of a chain that does not wait")
                continue
            waiting += 1
            early = [i for i in code[:code.index(WAIT)] if MEMORY.match(i)]
            self.assertEqual(early, [], name)
        self.assertGreater(waiting, 20)


if __name__ == "__main__":
    architectures = subprocess.run([os.environ.get("CUOBJDUMP", "cuobjdump"), "-lelf", os.environ["RIDGE"]],
                                   capture_output=True, text=True).stdout
    if not any(int(n) >= 90 for n in re.findall(r"sm_(\d+)", architectures)):
        print("no machine code for compute capability 9.0 or later in this program")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
