"""What the machine code for AMD GPUs must be, whichever compiler made it."""

import os
import re
import unittest

import code_objects

KERNELS = []
PATTERNS = re.compile("::(pairs|lattice|chain|solve)::")
LACKING = []
SCHEDULES = []


def setUpModule():
    global KERNELS, LACKING, SCHEDULES
    KERNELS, LACKING = code_objects.kernels_of(os.environ["RIDGE_MODULE"])
    SCHEDULES = code_objects.schedules(os.environ["RIDGE_HIP_SCHEDULES"])


def stencils():
    return [kernel for kernel in KERNELS if kernel.variant]


class CodeObjects(unittest.TestCase):
    maxDiff = None

    def expect_none(self, wrong):
        """Fails with a line for each kernel, not only the first."""
        self.assertFalse(wrong, "\n" + "\n".join(str(line) for line in wrong))

    def test_every_source_is_there_for_every_architecture(self):
        self.assertFalse([(n, a) for n, a in LACKING if a in code_objects.COMPLETE])
        names = {
            a: sorted(k.name for k in KERNELS if k.architecture == a)
            for a in code_objects.ARCHITECTURES
        }
        first = names[code_objects.COMPLETE[0]]
        for architecture, there in names.items():
            if architecture in code_objects.COMPLETE:
                self.assertEqual(there, first)
            else:  # a sample, which the tests below compare by name
                self.assertTrue(there)
                self.assertLessEqual(set(there), set(first))

    def kernels_under(self, names):
        """Those that the schedules of these names run, which must all be there."""
        asked = {(s.operator, s.variant) for s in SCHEDULES if s.name in names and not s.marches}
        kernels = [k for k in stencils() if (k.operator, k.variant) in asked]
        self.assertEqual(len(kernels), len(asked) * len(code_objects.ARCHITECTURES))
        return kernels

    def test_defaults_do_not_spill(self):
        kernels = self.kernels_under({"default"})
        self.assertEqual({k.operator for k in kernels}, {k.operator for k in stencils()})
        self.expect_none([f"{k}: {k.spills}" for k in kernels if any(k.spills)])

    def test_the_laplacian_marches_by_default(self):
        """Where its field is larger than the last-level cache of some GPU; in tiles else."""
        defaults = [
            s.text
            for s in SCHEDULES
            if (s.name, s.operator) == ("default", "Laplacian<2, 3> double")
        ]
        tiled = "block=256x1x1 tile=8 loads=ascending bounds=256 store=nontemporal grid=xyz split=1"
        self.assertTrue([t for t in defaults if "stage=window" in t])
        self.assertTrue([t for t in defaults if t.startswith(tiled) or "tile=8" in t])

    def windows_of_defaults(self):
        """The marches that defaults are, each for rows of packs and for others; all must be there."""
        asked = {
            (s.operator, code_objects.Window.of_schedule(s.text, packs))
            for s in SCHEDULES
            if s.name == "default" and s.marches
            for packs in (True, False)
        }
        self.assertTrue(asked)
        kernels = [k for k in KERNELS if k.window and (k.operator, k.window) in asked]
        self.assertEqual(len(kernels), len(asked) * len(code_objects.ARCHITECTURES))
        return kernels

    def test_windows_stay_in_registers(self):
        """Vectors; of kernels with many weights scalars may go to lanes of a vector register."""
        windows = self.windows_of_defaults()
        self.expect_none([f"{k}: {k.spills}" for k in windows if k.spills[0] or k.spills[2]])
        second = [k for k in windows if k.operator.startswith("Laplacian<2, 3>")]
        self.assertTrue(second)
        self.expect_none([f"{k}: {k.spills}" for k in second if any(k.spills)])

    def test_windows_load_sixteen_bytes_and_store_past_the_caches(self):
        wrong = []
        for kernel in self.windows_of_defaults():
            stores = [s for s in kernel.stores() if code_objects.is_nontemporal(s)]
            if kernel.window.packs:
                loads = [i for i in kernel.loads() if re.match(r"(global|flat)_load_(dwordx4|b128)", i)]
                stores = [s for s in stores if re.match(r"(global|flat)_store_(dwordx4|b128)", s)]
                # At least two rows of its own.
                if len(loads) < 2:
                    wrong.append(f"{kernel}: {len(loads)} loads of 16 bytes")
            if len(stores) < 2:
                wrong.append(f"{kernel}: {len(stores)} such stores")
        self.expect_none(wrong)

    def test_the_series_does_not_spill(self):
        names = {s.name for s in SCHEDULES} - {"default"}
        self.assertEqual(sorted(names), [f"kernel{i}" for i in range(1, 8)])
        kernels = self.kernels_under(names)
        self.expect_none([f"{k}: {k.spills}" for k in kernels if any(k.spills)])

    def test_what_measures_the_roof_does_not_spill(self):
        others = [
            k for k in KERNELS if not k.variant and not k.window and not PATTERNS.search(k.name)
        ]
        self.assertTrue(others)
        # AMD's lanes copy the table of images of points beyond faces (docs/design/stencils_on_gpus.md).
        tables = [k for k in others if "shells" in k.name]
        others = [k for k in others if "shells" not in k.name]
        self.expect_none([f"{k}: {k.spills}" for k in tables if any(k.spills[:2])])
        self.expect_none([f"{k}: {k.spills}" for k in others if any(k.spills)])

    def test_other_patterns_keep_vectors_in_registers(self):
        """Scalars may go to vector registers, a few vectors of lattice gauge operators to accumulation
        registers, and a few bytes of a lane's to memory; a far field's polynomials, whose degree is asked
        for at run time, lie there (ShareOut alone). On gfx9, whose lanes have 512 registers; gfx1100 has half of that, and large register
        tiles spill there."""
        kernels = [
            k for k in KERNELS if PATTERNS.search(k.name) and k.architecture.startswith("gfx9")
        ]
        self.assertTrue(kernels)
        spilled = [
            k
            for k in kernels
            if k.spills[2] > (256 if "::ShareOut<" in k.name else 56 if "ridge::gauge::" in k.name else 24)
            or (k.spills[0] and ("ridge::gauge::" not in k.name or k.spills[0] > 8 or k.spills[2]))
        ]
        self.expect_none([f"{k}: {k.spills}" for k in spilled])

    def test_walks_of_trees_stay_in_registers(self):
        """Scalars may go to vector registers. gfx1100 has 256 for a lane: with moments of order 5 in fp64 two
        values outside the loops may go to memory."""
        walks = [k for k in KERNELS if "::WalkGroups<" in k.name]
        self.assertEqual({k.architecture for k in walks}, set(code_objects.COMPLETE))
        self.expect_none([
            f"{k}: {k.spills}"
            for k in walks
            if (k.spills[0] or k.spills[2])
            and not (k.architecture == "gfx1100" and "Fp64, 5, 2, 1>" in k.name and k.spills[0] <= 2
                     and k.spills[2] <= 12)
        ])

    def test_chains_that_pass_values_in_registers_do_not_spill(self):
        """Vector registers; the slow ways of some functions have memory of their own."""
        of_wings = {"Points<": (), "Exchange<": ("atmosphere",), "March<": ("atmosphere", "systems")}
        built = os.environ["RIDGE_WINGS"]
        for body, wings in of_wings.items():
            with self.subTest(body=body):
                found = [k for k in KERNELS if "ridge::chain" in k.name and body in k.name]
                self.assertEqual(bool(found), not wings or any(f"/{wing}," in f"{built}," for wing in wings))
                self.expect_none([f"{k.name}: {k.spills}" for k in found if k.spills[0]])

    def test_bounds_reach_the_compiler(self):
        self.expect_none(
            [
                f"{k}: {k.resources['max_flat_workgroup_size']}"
                for k in stencils()
                if int(k.resources["max_flat_workgroup_size"]) != k.variant.bounds
            ]
        )

    def test_warp_width(self):
        width = {a: 64 if a.startswith("gfx9") else 32 for a in code_objects.ARCHITECTURES}
        self.expect_none(
            [
                f"{k}: {k.resources['wavefront_size']}"
                for k in KERNELS
                if int(k.resources["wavefront_size"]) != width[k.architecture]
            ]
        )

    def test_stores_are_nontemporal_where_the_schedule_says_so(self):
        wrong = []
        for kernel in stencils():
            stores = kernel.stores()
            wanted = kernel.variant.store == "nontemporal"
            if not stores:
                wrong.append(f"{kernel}: stores nothing")
            wrong += [f"{kernel}: {s}" for s in stores if code_objects.is_nontemporal(s) != wanted]
        self.expect_none(wrong)

    def test_threads_wait_where_the_model_says_so(self):
        """The skewed layer condition of `ridge model` lives by these waits (docs/model.md). Where it
        knows none, the compiler may put one for want of registers or for an address, but not in
        the series' first two kernels, which wait once for all."""
        wrong = []
        said = set()
        for s in SCHEDULES:
            if s.marches:  # each plane is asked for once, whatever the waits
                continue
            kernels = [k for k in stencils() if (k.operator, k.variant) == (s.operator, s.variant)]
            self.assertEqual(len(kernels), len(code_objects.ARCHITECTURES), s)
            said.add(s.waits)
            stray = 0 if s.waits or s.name in ("kernel1", "kernel2") else 1
            for kernel in kernels:
                waits = code_objects.waits_between_loads(kernel)
                if not s.waits <= waits <= s.waits + stray:
                    wrong.append(f"{kernel}: {waits} waits, {s.waits} modelled")
        self.assertEqual(said, {0, 2})
        self.expect_none(wrong)

    def test_no_march_by_bulk_copies(self):
        """These need NVIDIA's copy engine; on AMD such kernels would be empty."""
        marches = [k for k in KERNELS if "::stencil::" in k.name and "::March<" in k.name]
        self.expect_none(marches)

    def test_report_of_spills(self):
        """The schedules one may ask for and had better not; this is a table and cannot fail."""
        print("\nSchedules with spills (vector, scalar, bytes a lane):")
        for kernel in stencils():
            if any(kernel.spills):
                print(f"  {kernel}: {kernel.spills}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
