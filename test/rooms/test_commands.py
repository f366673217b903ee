"""Commands that compile kernels define nothing that names a folder: compiler caches find the kernels
of another copy of the tree (cmake/RidgeKernels.cmake)."""

import json
import os
import pathlib
import shlex
import unittest

BUILD = pathlib.Path(os.environ["RIDGE_BUILD"])


class Commands(unittest.TestCase):
    def test_kernels_are_told_of_no_folder(self):
        kernels = 0
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            definitions = [word for word in words if word.startswith("-D")]
            if not any(word.startswith("-DRIDGE_TARGET_") for word in definitions):
                continue
            kernels += 1
            named = [word for word in definitions if '="/' in word]
            self.assertEqual(named, [], entry["file"])
        self.assertGreater(kernels, 10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
