"""A `ridge` with HIP inside starts where there is no AMD GPU, and says so."""

import json
import os
import subprocess
import unittest


def ridge(*words):
    # Where there is one after all, it is hidden.
    hidden = {"HIP_VISIBLE_DEVICES": "-1", "ROCR_VISIBLE_DEVICES": "-1"}
    return subprocess.run(
        [os.environ["RIDGE"], *words], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **hidden},
    )  # fmt: skip


class WithoutGpu(unittest.TestCase):
    def test_devices(self):
        done = ridge("devices", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = [device["device"] for device in json.loads(done.stdout)]
        self.assertIn("cpu", names)
        self.assertFalse([name for name in names if name.startswith("hip")])

    def test_bench(self):
        for device in ("hip:0", "hip"):
            with self.subTest(device=device):
                done = ridge("bench", "laplacian", "--size", "16x16x16", "--device", device)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(
                    done.stderr, r"\Aridge: there is no device hip:0 here; here are [^\n]*cpu.*\n\Z"
                )


if __name__ == "__main__":
    unittest.main(verbosity=2)
