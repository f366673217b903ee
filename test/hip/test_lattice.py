"""The lattice kernels on AMD GPUs: which are there, how they read memory, and their registers.

Registers are what decides how many waves a SIMD holds. The figures are those of clang 19. With any
other compiler the table is printed, and its limits are skipped.
"""

import itertools
import os
import re
import unittest

import code_objects

COMPILER = 19
REDUCTIONS = {
    "Sum": "sum", "Norm2": "norm2", "InnerProduct": "inner_product", "AxpyNorm": "axpy_norm",
    "Max": "max",
}  # fmt: skip
MAPS = {"Scale": "scale", "Axpy": "axpy"}
ARCHITECTURES = ("gfx90a", "gfx942")

# Vector registers as clang 19.1.7 has them, gfx90a and gfx942: of flat reductions by element,
# reduction, whether parts of complex numbers meet, sums and words a thread has under way; of maps by
# element, map and words.
RECORDED = {
    ("double", "axpy", 1): (11, 10), ("double", "axpy", 16): (162, 160),
    ("double", "axpy", 4): (44, 40), ("double", "axpy_norm", False, "BinnedSum", 4): (111, 111),
    ("double", "axpy_norm", False, "PlainSum", 1): (41, 41),
    ("double", "axpy_norm", False, "PlainSum", 2): (50, 47),
    ("double", "axpy_norm", False, "PlainSum", 8): (96, 95),
    ("double", "inner_product", False, "BinnedSum", 4): (107, 107),
    ("double", "inner_product", False, "PlainSum", 1): (41, 41),
    ("double", "inner_product", False, "PlainSum", 2): (41, 41),
    ("double", "inner_product", False, "PlainSum", 8): (72, 80),
    ("double", "inner_product", False, "rolling", 4): (105, 112),
    ("double", "inner_product", True, "BinnedSum", 4): (139, 139),
    ("double", "inner_product", True, "PlainSum", 1): (41, 41),
    ("double", "inner_product", True, "PlainSum", 2): (41, 41),
    ("double", "inner_product", True, "PlainSum", 8): (74, 80),
    ("double", "inner_product", True, "rolling", 4): (95, 94),
    ("double", "max", False, "Greatest", 4): (41, 41),
    ("double", "norm2", False, "BinnedSum", 4): (91, 91),
    ("double", "norm2", False, "PlainSum", 1): (41, 41),
    ("double", "norm2", False, "PlainSum", 16): (80, 84),
    ("double", "norm2", False, "PlainSum", 4): (41, 41),
    ("double", "norm2", False, "rolling", 8): (108, 104), ("double", "scale", 1): (7, 6),
    ("double", "scale", 16): (96, 96), ("double", "scale", 4): (26, 26),
    ("double", "sum", False, "BinnedSum", 4): (91, 91),
    ("double", "sum", False, "PlainSum", 1): (41, 41),
    ("double", "sum", False, "PlainSum", 16): (78, 80),
    ("double", "sum", False, "PlainSum", 4): (41, 41),
    ("double", "sum", False, "rolling", 8): (104, 100), ("float", "axpy", 1): (14, 14),
    ("float", "axpy", 16): (122, 124), ("float", "axpy", 4): (47, 46),
    ("float", "axpy_norm", False, "BinnedSum", 4): (176, 175),
    ("float", "axpy_norm", False, "PlainSum", 1): (51, 45),
    ("float", "axpy_norm", False, "PlainSum", 2): (67, 62),
    ("float", "axpy_norm", False, "PlainSum", 8): (155, 157),
    ("float", "inner_product", False, "BinnedSum", 4): (172, 171),
    ("float", "inner_product", False, "PlainSum", 1): (42, 41),
    ("float", "inner_product", False, "PlainSum", 2): (52, 52),
    ("float", "inner_product", False, "PlainSum", 8): (84, 86),
    ("float", "inner_product", False, "rolling", 4): (118, 106),
    ("float", "inner_product", True, "BinnedSum", 4): (236, 235),
    ("float", "inner_product", True, "PlainSum", 1): (42, 41),
    ("float", "inner_product", True, "PlainSum", 2): (52, 52),
    ("float", "inner_product", True, "PlainSum", 8): (82, 84),
    ("float", "inner_product", True, "rolling", 4): (107, 110),
    ("float", "max", False, "Greatest", 4): (44, 46),
    ("float", "norm2", False, "BinnedSum", 4): (156, 155),
    ("float", "norm2", False, "PlainSum", 1): (41, 41),
    ("float", "norm2", False, "PlainSum", 16): (86, 102),
    ("float", "norm2", False, "PlainSum", 4): (52, 52),
    ("float", "norm2", False, "rolling", 8): (108, 112), ("float", "scale", 1): (7, 6),
    ("float", "scale", 16): (94, 94), ("float", "scale", 4): (25, 26),
    ("float", "sum", False, "BinnedSum", 4): (156, 155),
    ("float", "sum", False, "PlainSum", 1): (41, 41),
    ("float", "sum", False, "PlainSum", 16): (82, 100),
    ("float", "sum", False, "PlainSum", 4): (52, 52),
    ("float", "sum", False, "rolling", 8): (114, 112),
}  # fmt: skip

KERNELS = []


def setUpModule():
    global KERNELS
    KERNELS = [
        k for k in code_objects.kernels_of(os.environ["RIDGE_MODULE"])[0] if "::lattice::" in k.name
    ]


FUNCTOR = r"ridge::lattice::(\w+)(?:<\w+>)?"


def flat_reduction(kernel):
    """(element, reduction, crossed, sums, words); None for other kernels."""
    found = re.search(
        rf"FlatReduce<(float|double), {FUNCTOR}, (false|true), [\w:]+::(\w+)<double>, (\d+)>",
        kernel.name,
    )
    if not found or found[2] not in REDUCTIONS:
        return None
    element, what, crossed, sums, items = found.groups()
    return element, REDUCTIONS[what], crossed == "true", sums, int(items)


def rolling_reduction(kernel):
    """(element, reduction, crossed, "rolling", words); None for other kernels."""
    found = re.search(
        rf"RollReduce<(float|double), {FUNCTOR}, (false|true), (\d+)>", kernel.name
    )
    if not found or found[2] not in REDUCTIONS:
        return None
    element, what, crossed, items = found.groups()
    return element, REDUCTIONS[what], crossed == "true", "rolling", int(items)


def flat_map(kernel):
    """(element, map, words, store); None for other kernels."""
    found = re.search(
        rf"FlatMap<{FUNCTOR}, (float|double), (\d+), \([\w:]+\)(\d)>", kernel.name
    )
    if not found or found[1] not in MAPS:
        return None
    what, element, items, store = found.groups()
    return element, MAPS[what], int(items), code_objects.STORES[int(store)]


def here(architecture, read):
    """The kernels of an architecture that `read` knows, by what it says of them."""
    return {
        read(k): k for k in KERNELS if k.architecture == architecture and read(k) is not None
    }


def fields_read(what):
    return 2 if what in ("inner_product", "axpy_norm", "axpy") else 1


SIZES = {"dwordx4": 16, "b128": 16, "dwordx2": 8, "b64": 8}  # of loads, by how they are called


def size_of_load(instruction):
    """Bytes a lane; those of few bytes as 1. None for what does not load from memory."""
    found = re.match(r"(?:global|flat)_load_(\w+)", instruction)
    return SIZES.get(found[1], 1) if found else None


def loads(kernel, size):
    return [i for i in kernel.instructions if size_of_load(i) == size]


def most_under_way(kernel):
    """The most 16-byte loads that are issued before one of them is waited for."""
    most = count = 0
    for instruction in kernel.instructions:
        if size_of_load(instruction) == 16:
            count += 1
            most = max(most, count)
        elif re.match(r"s_waitcnt.*vmcnt\(0\)|s_cbranch|s_branch", instruction):
            count = 0
    return most


class Lattice(unittest.TestCase):
    maxDiff = None

    def test_what_defaults_pick_is_there(self):
        reductions = set()
        kinds = itertools.product(("float", "double"), REDUCTIONS.values())
        if code_objects.SAMPLED:  # src/lattice/one_reduction_kernels.cpp
            kinds = [("float", "norm2")]
        for element, what in kinds:
            if what == "max":
                reductions.add((element, what, False, "Greatest", 4))
                continue
            for crossed in (False, True) if what == "inner_product" else (False,):
                reductions.add((element, what, crossed, "BinnedSum", 4))
                for items in (4, 16) if what in ("sum", "norm2") else (2, 8):
                    reductions.add((element, what, crossed, "PlainSum", items))
        maps = set(itertools.product(("float", "double"), MAPS.values(), (1,), ("plain",)))
        for architecture in code_objects.COMPLETE:
            with self.subTest(architecture=architecture):
                self.assertLessEqual(reductions, set(here(architecture, flat_reduction)))
                self.assertLessEqual(maps, set(here(architecture, flat_map)))

    def test_rolling_reductions_read_16_bytes_at_a_time(self):
        """At first, in a round of four batches, in a batch, and the last ones."""
        for architecture in code_objects.ARCHITECTURES:
            for (_, what, _, _, items), kernel in here(architecture, rolling_reduction).items():
                with self.subTest(kernel=str(kernel)):
                    words = items * fields_read(what)
                    self.assertEqual(len(loads(kernel, 16)), (1 + 4 + 1 + 1) * words)
                    self.assertFalse(loads(kernel, 1) + loads(kernel, 8))

    def test_fields_are_read_16_bytes_at_a_time(self):
        """Each batch in the loop, and what is left over after it, a word less. Where a batch is
        loaded ahead three times: before the loop, in it, and what is left over. What blocks leave
        is read by 8 bytes: four at once, or one where not each is of the result; binned ones in a
        loop."""
        for architecture in code_objects.ARCHITECTURES:
            for key, kernel in here(architecture, flat_reduction).items():
                _, what, _, sums, items = key
                with self.subTest(kernel=str(kernel)):
                    self.assertLessEqual(len(loads(kernel, 8)), 1 if sums == "BinnedSum" else 5)
                    self.assertFalse(loads(kernel, 1))
                    batch = items * fields_read(what)
                    if sums != "BinnedSum" and what != "axpy_norm":
                        self.assertEqual(len(loads(kernel, 16)), 2 * batch - fields_read(what))
                    elif sums == "PlainSum" and items > 1:
                        self.assertEqual(len(loads(kernel, 16)), 3 * batch)
                    else:
                        self.assertGreaterEqual(len(loads(kernel, 16)), 2 * batch)
            for (_, what, items, _), kernel in here(architecture, flat_map).items():
                with self.subTest(kernel=str(kernel)):
                    self.assertGreaterEqual(len(loads(kernel, 16)), items * fields_read(what))
                    self.assertFalse(loads(kernel, 1) + loads(kernel, 8))

    def test_a_whole_batch_is_under_way(self):
        for architecture in code_objects.ARCHITECTURES:
            for (_, what, _, _, items), kernel in here(architecture, flat_reduction).items():
                with self.subTest(kernel=str(kernel)):
                    self.assertGreaterEqual(most_under_way(kernel), items * fields_read(what))

    def test_maps_store_past_the_caches_where_the_schedule_says_so(self):
        for architecture in code_objects.ARCHITECTURES:
            for (_, _, items, store), kernel in here(architecture, flat_map).items():
                with self.subTest(kernel=str(kernel)):
                    stores = kernel.stores()
                    self.assertGreaterEqual(len(stores), items)
                    for s in stores:
                        self.assertRegex(s, "_store_dwordx4|_store_b128")
                        self.assertEqual(code_objects.is_nontemporal(s), store == "nontemporal")

    def test_no_kernel_spills_to_memory(self):
        """Operators of lattice gauge theory put a few vectors in accumulation registers."""
        spilled = [
            f"{k}: {k.spills}"
            for k in KERNELS
            if k.architecture in ARCHITECTURES and k.spills[0] > 0
            and ("ridge::gauge::" not in k.name or k.spills[0] > 8 or k.spills[2] > 0)
        ]
        self.assertTrue(KERNELS)
        self.assertFalse(spilled, "\n" + "\n".join(spilled))

    def test_registers_stay_near_the_record(self):
        found = {}
        built = [
            (number, architecture)
            for number, architecture in enumerate(ARCHITECTURES)
            if architecture in code_objects.ARCHITECTURES
        ]
        if not built:
            self.skipTest(f"nothing is built for {' or '.join(ARCHITECTURES)}")
        for number, architecture in built:
            kernels = here(architecture, flat_reduction)
            kernels |= here(architecture, rolling_reduction)
            kernels |= {k[:3]: v for k, v in here(architecture, flat_map).items()}
            for key, kernel in kernels.items():
                registers = int(kernel.resources["vgpr_count"])
                found.setdefault(key, {})[number] = registers
        print("\nVector registers of the lattice kernels: " + ", ".join(a for _, a in built))
        for key, registers in sorted(found.items(), key=str):
            print(f"    {key!r}: ({', '.join(str(registers[n]) for n, _ in built)}),")
        compiler = code_objects.output_of(os.environ["RIDGE_HIP_COMPILER"], "--version")
        if not re.search(rf"clang version {COMPILER}\.", compiler):
            self.skipTest(f"the limits are those of clang {COMPILER}")
        self.assertLessEqual(set(found), set(RECORDED))
        wrong = [
            f"{architecture} {key}: {registers[number]} registers, {RECORDED[key][number]} recorded"
            for key, registers in sorted(found.items(), key=str)
            for number, architecture in built
            if registers[number] > RECORDED[key][number] * 9 // 8 + 2
        ]
        self.assertFalse(wrong, "\n" + "\n".join(wrong))


if __name__ == "__main__":
    unittest.main(verbosity=2)
