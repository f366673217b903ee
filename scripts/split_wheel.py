"""Moves kernels out of a wheel into wheels of their own, so that none is large.

    split_wheel.py WHEEL [FOLDER]

From ridge-0.1.0-...whl come, in FOLDER (default: where the wheel is), the same without modules of the cpu and of
GPUs, and ridge_cpu-0.1.0-...whl and, where it has them, ridge_cuda-... and ridge_hip-..., which hold these and need
the first. All are installed together: pip install ridge*.whl. The first needs ridge_cpu, too. Prints the wheels.
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

KINDS = {"cpu": "the cpu", "cuda": "NVIDIA GPUs", "hip": "AMD GPUs"}
NEEDED = ("cpu",)


def kind_of(name):
    """Of which kind of device a member has the kernels; None of another."""
    found = re.search(r"/lib/ridge/ridge_([a-z]+)(-[\w-]+)?\.so$", name)
    return found[1] if found and found[1] in KINDS else None


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write(path, members, info):
    """A wheel of (member, data); `info` is the folder of its description. Whole or not at all."""
    temporary = path.with_suffix(".part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        record = ""
        for member, data in members:
            wheel.writestr(member, data, zipfile.ZIP_DEFLATED, 9)
            record += record_line(member.filename, data)
        wheel.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    temporary.replace(path)


def member(name, like):
    made = zipfile.ZipInfo(name, like.date_time)
    made.external_attr = 0o100644 << 16
    return made


def needed(metadata, line):
    """METADATA with a line more among its fields, which end with an empty line."""
    fields, end, text = metadata.partition(b"\n\n")
    return fields.rstrip(b"\n") + b"\n" + line + (b"\n" + text if end else b"")


def split(path, folder):
    with zipfile.ZipFile(path) as wheel:
        members = [(m, wheel.read(m)) for m in wheel.infolist() if not m.is_dir()]
    info = next(m.filename.split("/")[0] for m, _ in members if m.filename.endswith(".dist-info/METADATA"))
    described = {m.filename: (m, data) for m, data in members if m.filename.startswith(info)}
    version = re.search(r"^Version: (.*)$", described[f"{info}/METADATA"][1].decode(), re.MULTILINE).group(1)
    made = []
    for kind, device in KINDS.items():
        own = [(m, data) for m, data in members if kind_of(m.filename) == kind]
        if not own:
            continue
        members = [m for m in members if m not in own]
        its_info = f"ridge_{kind}-{version}.dist-info"
        metadata = (f"Metadata-Version: 2.1\nName: ridge-{kind}\nVersion: {version}\n"
                    f"Summary: Kernels of ridge for {device}, compiled ahead\nLicense: BSD-3-Clause\n"
                    f"Requires-Dist: ridge=={version}\n")
        tags, like = described[f"{info}/WHEEL"][1], own[0][0]
        own += [(member(f"{its_info}/METADATA", like), metadata.encode()), (member(f"{its_info}/WHEEL", like), tags)]
        own += [(member(f"{its_info}/{name.split('/', 1)[1]}", like), data) for name, (_, data) in described.items()
                if "/licenses/" in name]
        to = folder / path.name.replace("ridge-", f"ridge_{kind}-", 1)
        write(to, own, its_info)
        made.append(to)
        if kind in NEEDED:
            needs = f"Requires-Dist: ridge-{kind}=={version}\n".encode()
            members = [(m, needed(data, needs) if m.filename == f"{info}/METADATA" else data) for m, data in members]
    if made:
        write(folder / path.name, [m for m in members if m[0].filename != f"{info}/RECORD"], info)
    return [folder / path.name if made else path, *made]


def main():
    path = pathlib.Path(sys.argv[1])
    for wheel in split(path, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else path.parent):
        print(wheel)


if __name__ == "__main__":
    main()
