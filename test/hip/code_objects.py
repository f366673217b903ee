"""Reads the AMD machine code inside a program: each kernel's resources and instructions.

A HIP program carries its kernels in the section .hip_fatbin: one bundle for each source, in it one
code object (an ELF file) for each architecture. Nothing is compiled here, so what the tests see is
what runs.
"""

import dataclasses
import os
import pathlib
import pickle
import re
import struct
import subprocess
import tempfile

ARCHITECTURES = os.environ.get("RIDGE_HIP_ARCH", "gfx90a gfx942 gfx1100").split()
# Those that have all that there is: the first where a build makes a sample (RIDGE_GPU_SAMPLE).
SAMPLED = bool(os.environ.get("RIDGE_HIP_SAMPLED"))
COMPLETE = ARCHITECTURES[:1] if SAMPLED else ARCHITECTURES
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
LOADS = ("stencil", "ascending", "packs")  # in the order of the enumerations in schedule_fields.hpp
STORES = ("plain", "nontemporal")


def tool(name):
    """The LLVM tool that belongs to the HIP compiler, as the build found it."""
    return os.environ.get("RIDGE_" + name.upper().replace("-", "_"), name + "-19")


def output_of(*command, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} exits with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


@dataclasses.dataclass(frozen=True)
class Variant:
    """The fields of a schedule that a points kernel is compiled for."""

    tile: int
    loads: str
    store: str
    bounds: int

    @staticmethod
    def of_schedule(text):
        field = dict(word.split("=") for word in text.split())
        return Variant(int(field["tile"]), field["loads"], field["store"], int(field["bounds"]))

    @staticmethod
    def of_name(name):
        """None for a kernel that is not of the stencil pattern."""
        found = re.search(
            r"PointsVariant\{(\d+), \([\w:]+\)(\d), \([\w:]+\)(\d), (\d+)\}", name
        )
        if not found:
            return None
        tile, loads, store, bounds = map(int, found.groups())
        return Variant(tile, LOADS[loads], STORES[store], bounds)


@dataclasses.dataclass(frozen=True)
class Window:
    """The fields of a schedule that a march with windows of registers is compiled for, and whether
    rows are multiples of 16 bytes."""

    block: tuple
    tile: int
    store: str
    packs: bool

    @staticmethod
    def of_schedule(text, packs):
        field = dict(word.split("=") for word in text.split())
        x, y, _ = map(int, field["block"].split("x"))
        return Window((x, y), int(field["tile"]), field["store"], packs)

    @staticmethod
    def of_name(name):
        """None for another kernel."""
        found = re.search(
            r"::WindowMarch<.*?MarchVariant\{(\d+), (\d+), (\d+), \([\w:]+\)(\d), \([\w:]+\)(\d)\}",
            name,
        )
        if not found:
            return None
        x, y, tile, store, rows = map(int, found.groups())
        return Window((x, y), tile, STORES[store], rows == 1)


@dataclasses.dataclass
class Kernel:
    """One kernel on one architecture."""

    architecture: str
    symbol: str
    name: str  # demangled
    resources: dict
    instructions: list

    @property
    def variant(self):
        return Variant.of_name(self.name)

    @property
    def window(self):
        return Window.of_name(self.name)

    @property
    def operator(self):
        """The mathematics and the precision: "Laplacian<2, 3> double"."""
        found = re.search(r"::(?:Points|WindowMarch)<(.*?), (float|double), ", self.name)
        return re.sub(r"\w+::", "", found[1]) + " " + found[2] if found else self.name

    def __str__(self):
        v = self.variant
        if v is None:
            return f"{self.architecture} {self.name}"
        return (
            f"{self.architecture} {self.operator} tile={v.tile} loads={v.loads} store={v.store} "
            f"bounds={v.bounds}"
        )

    @property
    def spills(self):
        """What went to memory for want of registers: vector, scalar, and bytes of each lane's."""
        names = ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size")
        return tuple(int(self.resources[name]) for name in names)

    def stores(self):
        """Stores to fields, which are in global memory; flat ones may be, too."""
        return [i for i in self.instructions if re.match(r"(global|flat)_store_", i)]

    def loads(self):
        """Loads from fields, likewise."""
        return [i for i in self.instructions if re.match(r"(global|flat)_load_", i)]


def is_nontemporal(store):
    """gfx90a and gfx1100 mark such a store `slc`, gfx942 `nt`."""
    return bool({"slc", "nt"} & set(store.split()))


def bundles(program, folder):
    """Of each bundle in the program, the code objects by architecture."""
    section = folder / "fatbin"
    dump = f"--dump-section=.hip_fatbin={section}"
    output_of(tool("llvm-objcopy"), dump, program, folder / "rest")
    data = section.read_bytes()
    found = []
    at = data.find(BUNDLE)
    while at >= 0:
        (count,) = struct.unpack_from("<Q", data, at + len(BUNDLE))
        entry = at + len(BUNDLE) + 8
        objects = {}
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, entry)
            target = data[entry + 24 : entry + 24 + length].decode()
            entry += 24 + length
            if target.startswith("hip"):
                objects[target.split("-")[-1]] = data[at + offset : at + offset + size]
        found.append(objects)
        at = data.find(BUNDLE, entry)
    return found


def resources(file):
    """Of each kernel, by symbol, what the code object's notes say of it."""
    notes = output_of(tool("llvm-readelf"), "--notes", file)
    kernels = notes.split("amdhsa.kernels:")[1].split("\namdhsa.")[0]
    found = {}
    for kernel in re.split(r"^  - ", kernels, flags=re.MULTILINE)[1:]:
        facts = dict(re.findall(r"^(?:    )?\.(\w+): +(\S+)$", kernel, flags=re.MULTILINE))
        found[facts["name"]] = facts
    return found


def instructions(file):
    """Of each function, by symbol, its instructions."""
    found = {}
    for line in output_of(tool("llvm-objdump"), "--disassemble", file).splitlines():
        label = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if label:
            found[label[1]] = body = []
        elif line.startswith("\t"):
            body.append(line.split("//")[0].strip())
    return found


def kernels_of(program):
    """Every kernel in the program for every architecture, and the names its bundles lack. Reading
    takes longest of all, so what was read is kept for the other tests, in the file that
    RIDGE_HIP_KEPT names."""
    name = os.environ.get("RIDGE_HIP_KEPT")
    if name is None:
        return read(program)
    kept = pathlib.Path(name)
    written = max(os.stat(file).st_mtime_ns for file in (program, __file__))
    if kept.exists() and kept.stat().st_mtime_ns > written:
        return pickle.loads(kept.read_bytes())
    found = read(program)
    parts = kept.with_suffix(f".{os.getpid()}")
    parts.write_bytes(pickle.dumps(found))
    parts.rename(kept)
    return found


def read(program):
    kernels = []
    lacking = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, objects in enumerate(bundles(program, folder)):
            lacking += [(number, a) for a in ARCHITECTURES if a not in objects]
            for architecture, code in objects.items():
                file = folder / f"{number}.{architecture}"
                file.write_bytes(code)
                bodies = instructions(file)
                for symbol, facts in resources(file).items():
                    kernels.append(Kernel(architecture, symbol, "", facts, bodies[symbol]))
    demangled = output_of(
        tool("llvm-cxxfilt"), input="\n".join(kernel.symbol for kernel in kernels)
    ).splitlines()
    for kernel, plain in zip(kernels, demangled):
        kernel.name = plain
    return kernels, lacking


def waits_between_loads(kernel):
    """How often lanes wait for all that they asked for before they ask for more: the most of any
    stretch without branches and stores, each of which begins anew."""
    most = waits = 0
    drained = asked = False
    for instruction in kernel.instructions:
        if re.match(r"(global|flat|buffer)_load_", instruction):
            waits += drained
            most = max(most, waits)
            drained, asked = False, True
        elif re.match(r"s_c?branch|s_endpgm|(global|flat)_store_", instruction):
            waits, drained, asked = 0, False, False
        elif instruction.startswith("s_waitcnt") and "vmcnt(0)" in instruction:
            drained = asked
    return most


@dataclasses.dataclass(frozen=True)
class Named:
    """A schedule that is the default of an operator somewhere, or has a name. `variant` is None of
    one that marches."""

    name: str
    operator: str
    variant: Variant
    text: str
    waits: int  # of a thread between planes, as the model has it

    @property
    def marches(self):
        return "stage=window" in self.text


def schedules(lister):
    """The schedules that have names on AMD GPUs, and the defaults there."""
    lines = [line.split("\t") for line in output_of(lister).splitlines()]
    return [
        Named(name, op, None if "stage=window" in text else Variant.of_schedule(text), text, int(waits))
        for name, op, text, waits in lines
    ]
