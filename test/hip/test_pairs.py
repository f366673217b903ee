"""The instruction mix of the pairs kernels on AMD GPUs: what one interaction takes."""

import collections
import os
import re
import unittest

import code_objects

# Of gravity in fp32: three differences and the potential; three squares and three sums; the weights.
ARITHMETIC = {"add": 4, "fma": 6, "mul": 3}
KINDS = {"fma": "fma", "fmac": "fma", "fmaak": "fma", "fmamk": "fma", "mul": "mul",
         "add": "add", "sub": "add", "subrev": "add"}  # fmt: skip
KERNELS = []


def setUpModule():
    global KERNELS
    KERNELS = [k for k in code_objects.kernels_of(os.environ["RIDGE_MODULE"])[0] if "::pairs::" in k.name]


def gravity(form, precision="Fp32"):
    return [k for k in KERNELS if f"::{form}<" in k.name and "Gravity" in k.name
            and f"::{precision}" in k.name]  # fmt: skip


def counts(kernel):
    """Single-precision operations by kind; packed instructions do two."""
    found = collections.Counter()
    for instruction in kernel.instructions:
        for packed, op in re.findall(r"\bv_(?:dual_)?(pk_)?([a-z]+)_f32", instruction):
            if op == "rsq":
                found["rsq"] += 1
            elif op in KINDS:
                found[KINDS[op]] += 2 if packed else 1
        found["lds"] += bool(re.match(r"ds_(read|load)_b128", instruction))
    return found


def stage_and_tile(kernel):
    stage, tile = re.search(r"DirectVariant\{\([\w:]+\)(\d), (\d+), \d+, \d+\}", kernel.name).groups()
    return ("shared", "shuffle", "both", "warp")[int(stage)], int(tile)


def runs(kernel, fields):
    """Whether a schedule of these fields runs this kernel."""
    if fields["form"] == "symmetric":
        return re.search(
            rf"::Mutual<.*SymmetricVariant\{{{fields['tile']}, {fields['unroll']}\}}", kernel.name
        )
    variant = (
        rf"{('shared', 'shuffle', 'both', 'warp').index(fields['stage'])}, "
        rf"{fields['tile']}, {fields['unroll']}, {fields['ways']}"
    )
    return re.search(rf"DirectVariant\{{\([\w:]+\){variant}\}}", kernel.name)


class Pairs(unittest.TestCase):
    def test_the_kernels_are_there(self):
        for architecture in code_objects.ARCHITECTURES:
            here = [k for k in gravity("Direct") if k.architecture == architecture]
            found = {stage_and_tile(k) for k in here}
            for variant in (("shared", 1), ("shuffle", 1), ("both", 4), ("shared", 8), ("warp", 4)):
                self.assertIn(variant, found)
            self.assertTrue([k for k in gravity("Mutual") if k.architecture == architecture])

    def test_an_interaction_takes_its_arithmetic_and_no_more(self):
        for kernel in gravity("Direct"):
            found = counts(kernel)
            with self.subTest(kernel=str(kernel)):
                self.assertGreater(found["rsq"], 0)
                # Rows that are peeled off loops share some of theirs, and dividing the block's
                # number takes a few.
                self.assertGreaterEqual(found["fma"], ARITHMETIC["fma"] * found["rsq"])
                self.assertLessEqual(found["fma"], 1.25 * ARITHMETIC["fma"] * found["rsq"])
                self.assertLessEqual(found["mul"], 1.25 * ARITHMETIC["mul"] * found["rsq"] + 16)
                # Sums of parts, at the end of the kernel, are additions too.
                self.assertGreaterEqual(found["add"], ARITHMETIC["add"] * found["rsq"])

    def test_a_source_is_read_once_for_all_targets_of_a_thread(self):
        for kernel in gravity("Direct"):
            stage, tile = stage_and_tile(kernel)
            found = counts(kernel)
            with self.subTest(kernel=str(kernel)):
                if stage in ("shared", "warp"):
                    self.assertEqual(found["lds"] * tile, found["rsq"])
                elif stage == "shuffle":
                    self.assertEqual(found["lds"], 0)

    def test_the_symmetric_form_takes_one_root_for_two_interactions(self):
        for kernel in gravity("Mutual"):
            found = counts(kernel)
            tile = int(re.search(r"SymmetricVariant\{(\d+),", kernel.name)[1])
            with self.subTest(kernel=str(kernel)):
                # 11 fused operations a pair; a row with itself takes 6 an interaction, `tile` times.
                pairs = found["rsq"] - tile
                self.assertGreater(pairs, 0)
                expected = 11 * pairs + 6 * tile
                self.assertGreaterEqual(found["fma"], expected)
                self.assertLessEqual(found["fma"], 1.05 * expected)


    def test_defaults_keep_vectors_in_registers(self):
        """Of all interactions, on warps of 64 lanes and, with half of the registers, of 32."""
        defaults = [
            line.split("\t")
            for line in code_objects.output_of(os.environ["RIDGE_HIP_SCHEDULES"], "pairs").splitlines()
        ]
        self.assertEqual({width for width, _, _ in defaults}, {"32", "64"})
        for width, operator, schedule in defaults:
            fields = dict(field.split("=") for field in schedule.split())
            interaction, precision = operator.split()
            for architecture in code_objects.ARCHITECTURES:
                if (width == "64") != architecture.startswith("gfx9"):
                    continue
                here = [
                    k for k in KERNELS
                    if k.architecture == architecture and interaction in k.name
                    and f"::{precision}" in k.name and runs(k, fields)
                ]  # fmt: skip
                with self.subTest(operator=operator, architecture=architecture, schedule=schedule):
                    self.assertTrue(here)
                    self.assertFalse([f"{k}: {k.spills}" for k in here if k.spills[0] > 0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
