"""`ridge lab`, on the emulated GPU, where it is quick."""

import json
import os
import re
import subprocess

import pytest
from conftest import left_in
from tables import rows_of


@pytest.fixture(scope="module")
def lab(ridge, tmp_path_factory):
    file = tmp_path_factory.mktemp("lab") / "records.json"
    result = ridge.good("lab", "--quick", "--device", "simt:32", "--json", file, limit=300)
    return result.out, file


def test_table(lab):
    text, _ = lab
    header = next(line for line in text.splitlines() if line.startswith("kernel "))
    assert header.split() == ["kernel", "size", "precision", "time", "achieved", "roof", "fraction",
                              "check", "schedule"]
    assert max(map(len, text.splitlines())) <= 120
    assert "kernel7" in text and "laplacian8" in text
    assert "FAILED" not in text


def test_the_kernels_announced_are_those_of_the_rows(lab):
    text, file = lab
    kernels = [record["kernel"] for record in json.loads(file.read_text())]
    (announced,) = re.findall(r"^(\d+) kernels; takes ", text, re.MULTILINE)
    assert int(announced) == len(set(kernels)) < len(kernels)


def test_json_file(lab):
    text, file = lab
    records = json.loads(file.read_text())
    rows = "\n".join(rows_of(text))
    assert len(records) >= 8
    for record in records:
        assert record["device"] == "simt:32"
        assert record["check"]["ok"] is True
        assert record["schedule"] in rows
    assert left_in(file.parent) == ["records.json"]


def test_json_into_a_missing_folder(ridge, folder):
    ridge.bad("lab", "--quick", "--device", "simt:32", "--json", folder / "none" / "r.json",
              says="there is no folder", limit=300)
    assert left_in(folder) == []


def test_json_onto_a_folder(ridge, folder):
    ridge.bad("lab", "--quick", "--device", "simt:32", "--json", folder, says="folder", limit=300)
    assert left_in(folder) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_json_into_a_folder_without_permission(ridge, folder):
    folder.chmod(0o500)
    ridge.bad("lab", "--quick", "--device", "simt:32", "--json", folder / "r.json", code=1,
              says="Permission denied", limit=300)


def test_json_into_a_folder_that_takes_no_files(ridge):
    ridge.bad("lab", "--quick", "--device", "simt:32", "--json", "/proc/r.json", code=1,
              says="writing /proc/r.json", limit=300)


def test_json_onto_standard_output(ridge):
    done = subprocess.run([ridge.program, "lab", "--quick", "--device", "simt:32", "--json",
                           "/dev/stdout"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"pattern": "stencil"' in done.stdout
