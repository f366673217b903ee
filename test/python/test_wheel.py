"""Wheels: kernels are in wheels of their own."""

import base64
import csv
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

SPLIT = pathlib.Path(__file__).parents[2] / "scripts" / "split_wheel.py"
NAME = "ridge-1.2-py3-none-any.whl"
INFO = "ridge-1.2.dist-info"
FILES = {
    "ridge/__init__.py": b"", "ridge/lib/libridge.so.0": b"library" * 1000,
    "ridge/lib/ridge/ridge_cpu-x86-64-v3.so": b"cpu", "ridge/lib/ridge/ridge_cuda.so": b"kernels" * 1000,
    f"{INFO}/METADATA": b"Metadata-Version: 2.1\nName: ridge\nVersion: 1.2\n",
    f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n",
    f"{INFO}/licenses/LICENSE": b"as you like", f"{INFO}/RECORD": b"",
}


def split(folder, without=()):
    with zipfile.ZipFile(folder / NAME, "w") as wheel:
        for name, data in FILES.items():
            if name not in without:
                made = zipfile.ZipInfo(name)
                made.external_attr = 0o100755 << 16
                wheel.writestr(made, data)
    done = subprocess.run([sys.executable, SPLIT, folder / NAME], capture_output=True, text=True, check=True)
    return [pathlib.Path(line) for line in done.stdout.splitlines()]


def content(path):
    """What a wheel holds; its record is right."""
    with zipfile.ZipFile(path) as wheel:
        held = {m.filename: wheel.read(m) for m in wheel.infolist()}
        modes = {m.filename: m.external_attr >> 16 for m in wheel.infolist()}
    (record,) = [name for name in held if name.endswith("/RECORD")]
    rows = list(csv.reader(io.StringIO(held.pop(record).decode())))
    assert [row for row in rows if row[0] == record] == [[record, "", ""]]
    assert {row[0]: row[1:] for row in rows if row[0] != record} == {
        name: ["sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(),
               str(len(data))] for name, data in held.items()}
    return held, modes


def test_kernels_are_apart(tmp_path):
    base, cpu, cuda = split(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [base.name, cpu.name, cuda.name] == [
        NAME, "ridge_cpu-1.2-py3-none-any.whl", "ridge_cuda-1.2-py3-none-any.whl"]
    held, modes = content(base)
    described = held.pop(f"{INFO}/METADATA").decode()
    assert described == FILES[f"{INFO}/METADATA"].decode() + "Requires-Dist: ridge-cpu==1.2\n"
    assert held == {n: d for n, d in FILES.items()
                    if not any(word in n for word in ("cuda", "cpu", "RECORD", "METADATA"))}
    assert modes["ridge/__init__.py"] == 0o100755
    held, _ = content(cpu)
    assert held["ridge/lib/ridge/ridge_cpu-x86-64-v3.so"] == b"cpu"
    held, _ = content(cuda)
    info = "ridge_cuda-1.2.dist-info"
    described = held.pop(f"{info}/METADATA").decode().splitlines()
    assert "Name: ridge-cuda" in described and "Requires-Dist: ridge==1.2" in described
    assert held == {"ridge/lib/ridge/ridge_cuda.so": FILES["ridge/lib/ridge/ridge_cuda.so"],
                    f"{info}/WHEEL": FILES[f"{INFO}/WHEEL"], f"{info}/licenses/LICENSE": b"as you like"}


def test_both_are_installed_together(tmp_path):
    wheels = split(tmp_path)
    into = tmp_path / "site"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check",
                    "--no-deps", "--target", into, *wheels], check=True)
    there = {str(p.relative_to(into)) for p in into.rglob("*.so*")}
    assert there == {n for n in FILES if ".so" in n}


def test_a_wheel_without_them_stays_as_it_is(tmp_path):
    modules = [n for n in FILES if "/lib/ridge/" in n]
    assert split(tmp_path, without=modules) == [tmp_path / NAME]
    assert [p.name for p in tmp_path.iterdir()] == [NAME]


SIZES = """
include({file})
set(RIDGE_GPU_KINDS one other none)
set(RIDGE_WITH_NONE 0)
set(RIDGE_WITH_ONE 1)
set(RIDGE_ONE_WHEEL_ARCHS g1 g2 g3)
set(RIDGE_ONE_WHEEL_KB 900 3070)
set(RIDGE_WITH_OTHER 1)
set(RIDGE_OTHER_WHEEL_ARCHS 90)
set(RIDGE_OTHER_WHEEL_KB 700 8760)
ridge_say_wheel_sizes({most})
"""


@pytest.mark.parametrize("most, advice", [(11000, ""), (10000, (
    ", more than the 10.0 MB that scripts/repair_wheel.sh takes: -C cmake.define.RIDGE_ONE_ARCH=g1 makes it about 4.0 MB, "
    "-C cmake.define.RIDGE_ONE=OFF leaves it out"))])
def test_sizes_are_said_before_the_build(tmp_path, most, advice):
    script = tmp_path / "sizes.cmake"
    script.write_text(SIZES.format(file=SPLIT.parents[1] / "cmake" / "RidgeWheelSize.cmake", most=most))
    done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ["Ridge: the wheel ridge_one for g1, g2, g3 will have about 10.1 MB" + advice,
                                        "Ridge: the wheel ridge_other for 90 will have about 9.5 MB"]


@pytest.mark.parametrize("code", [0, 1])
def test_the_script_shows_sizes_and_what_fails(tmp_path, code):
    """Of all that a build says these lines alone, and all where it fails."""
    pip = tmp_path / "python"
    pip.write_text(f"#!/bin/sh\necho '  -- other'; echo '  Ridge: the wheel ridge_hip for all' >&2; exit {code}\n")
    pip.chmod(0o755)
    done = subprocess.run(["bash", SPLIT.with_name("wheel.sh"), tmp_path / "dist", "", pip], capture_output=True,
                          text=True, check=False)
    assert done.returncode == code and done.stdout == "  Ridge: the wheel ridge_hip for all\n"
    assert ("-- other" in done.stderr) == (code == 1)


@pytest.mark.parametrize("name, part", [("lib/libridge.so.0", "ridge"), ("lib/ridge/ridge_cuda.so", "ridge_cuda"),
                                        ("lib/ridge/ridge_cpu-x86-64-v3.so", "ridge_cpu")])
def test_what_is_too_large_is_said_at_once(tmp_path, name, part):
    """Before libraries are looked for, which takes minutes with the search for repetitions behind it."""
    with zipfile.ZipFile(tmp_path / NAME, "w") as wheel:
        wheel.writestr(f"ridge/{name}", os.urandom(11_000_000))
        wheel.writestr(f"{INFO}/METADATA", FILES[f"{INFO}/METADATA"])
    repair = SPLIT.with_name("repair_wheel.sh")
    done = subprocess.run(["bash", repair, tmp_path / NAME, tmp_path / "out", sys.executable], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 1 and not (tmp_path / "out").exists()
    assert f"the wheel {part} will have more than 10000000 bytes: 110" in done.stderr, done.stderr
    assert f"the largest files are ridge/{name} 11000000" in done.stderr
