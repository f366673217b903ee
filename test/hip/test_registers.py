"""Vector registers of the stencil kernels: a table, and limits that show when one has grown.

Registers are what decides how many waves a SIMD holds, and so how much memory traffic is under way.
The figures are those of clang 19. With any other compiler the table is printed, and the test
skipped.
"""

import os
import re
import sys
import unittest

import code_objects

COMPILER = 19
SKIPPED = 77  # what ctest is told to take for it

# Of the second-order Laplacian in three dimensions, fp32 and fp64, as clang 19.1.7 has it.
RECORDED = {
    "gfx90a": {
        "kernel1": (22, 28), "kernel2": (30, 32), "kernel3": (58, 92), "kernel4": (57, 96),
        "kernel5": (57, 96), "kernel6": (57, 96), "kernel7": (57, 96),
    },
    "gfx942": {
        "kernel1": (23, 28), "kernel2": (30, 32), "kernel3": (54, 90), "kernel4": (54, 96),
        "kernel5": (54, 96), "kernel6": (54, 96), "kernel7": (54, 96),
    },
    "gfx1100": {
        "kernel1": (22, 21), "kernel2": (26, 24), "kernel3": (61, 91), "kernel4": (62, 91),
        "kernel5": (62, 91), "kernel6": (62, 91), "kernel7": (62, 91),
    },
}  # fmt: skip
# By default: six waves of 64 lanes on a SIMD of gfx90a, enough to keep its memory busy; five where
# each lane has several loads under way for each of its points.
MOST_OF_POINTS = 80
MOST_OF_TILES = 96

# Vector registers of a SIMD (for waves of the width the tests ask for), those a wave gets at a time,
# and the most waves.
SIMD = {"gfx90a": (512, 8, 8), "gfx942": (512, 8, 8), "gfx1100": (1536, 24, 16)}

REGISTERS = {}  # by architecture, operator and variant
SCHEDULES = {}  # of the series, by name
DEFAULTS = set()  # of operator and variant


def read():
    for kernel in code_objects.kernels_of(os.environ["RIDGE_MODULE"])[0]:
        if kernel.variant:
            key = (kernel.architecture, kernel.operator, kernel.variant)
            REGISTERS[key] = int(kernel.resources["vgpr_count"])
    for s in code_objects.schedules(os.environ["RIDGE_HIP_SCHEDULES"]):
        if s.marches:
            continue
        if s.name == "default":
            DEFAULTS.add((s.operator, s.variant))
        else:
            SCHEDULES[s.name] = s.variant


def of_series(architecture, name):
    """fp32 and fp64."""
    return tuple(
        REGISTERS[architecture, f"Laplacian<2, 3> {precision}", SCHEDULES[name]]
        for precision in ("float", "double")
    )


def waves(architecture, registers):
    """How many waves of a kernel of so many registers a SIMD holds."""
    all_registers, granule, most = SIMD[architecture]
    return min(most, all_registers // (-(-registers // granule) * granule))


def print_table():
    architectures = code_objects.ARCHITECTURES

    def row(title, cells):
        print(f"{title:28}" + "".join(f"{cell:>12}" for cell in cells))

    print("\nVector registers, fp32 / fp64")
    row("laplacian under", architectures)
    for name in sorted(SCHEDULES):
        row(name, ("{} / {}".format(*of_series(a, name)) for a in architectures))
    print("\nby default")
    for operator, variant in sorted(
        {(operator.rsplit(" ", 1)[0], variant) for operator, variant in DEFAULTS}, key=str
    ):
        row(
            f"{operator} tile={variant.tile}",
            (
                " / ".join(
                    str(REGISTERS.get((a, f"{operator} {precision}", variant), "-"))
                    for precision in ("float", "double")
                )
                for a in architectures
            ),
        )
    print(flush=True)


class Registers(unittest.TestCase):
    def expect_of_series(self, holds):
        """Fails with a line for each kernel of which `holds(architecture, now, recorded)` does not."""
        wrong = []
        for architecture in sorted(set(code_objects.ARCHITECTURES) & set(RECORDED)):
            self.assertEqual(set(SCHEDULES), set(RECORDED[architecture]))
            for name in sorted(SCHEDULES):
                now = of_series(architecture, name)
                recorded = RECORDED[architecture][name]
                for precision, registers, before in zip(("fp32", "fp64"), now, recorded):
                    if not holds(architecture, registers, before):
                        wrong.append(
                            f"{architecture} {name} {precision}: {registers} registers, "
                            f"{before} recorded"
                        )
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_the_series_stays_near_the_record(self):
        self.expect_of_series(lambda _, registers, before: registers <= before * 9 // 8 + 2)

    def test_the_series_keeps_its_waves(self):
        self.expect_of_series(
            lambda architecture, registers, before: waves(architecture, registers)
            >= waves(architecture, before)
        )

    def test_defaults_leave_room_for_many_waves(self):
        wrong = []
        for architecture in code_objects.ARCHITECTURES:
            for operator, variant in sorted(DEFAULTS, key=str):
                registers = REGISTERS[architecture, operator, variant]
                if registers > (MOST_OF_TILES if variant.tile > 1 else MOST_OF_POINTS):
                    wrong.append(f"{architecture} {operator} tile={variant.tile}: {registers}")
        self.assertTrue(DEFAULTS)
        self.assertFalse(wrong, "\n" + "\n".join(wrong))


if __name__ == "__main__":
    read()
    print_table()
    version = code_objects.output_of(os.environ["RIDGE_HIP_COMPILER"], "--version").splitlines()[0]
    if not re.search(rf"clang version {COMPILER}\.", version):
        print(f"skipped: the limits are those of clang {COMPILER}; this is {version}")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
