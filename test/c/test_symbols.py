"""The symbols of the C library are those of symbols.txt, and the header declares each of them. A name that
goes, or one whose meaning changes, is another version of the interface (RIDGE_C_VERSION).

Usage: test_symbols.py LIBRARY NM HEADER
"""

import pathlib
import re
import subprocess
import sys

library, nm, header = sys.argv[1:]
listed = pathlib.Path(__file__).with_name("symbols.txt").read_text().split()
lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True,
                       capture_output=True).stdout.splitlines()
exported = sorted(line.split()[2] for line in lines if line.split()[1] != "A")
text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(), flags=re.S)
version = re.search(r"#define RIDGE_C_VERSION (\d+)", text).group(1)
text = re.sub(r"^static inline .*?^}", "", text, flags=re.S | re.M)
declared = sorted(re.findall(r"\b(ridge_\w+)\(", text))

wrong = []
if exported != [f"{name}@@RIDGE_C_{version}" for name in listed]:
    names = {name.partition("@")[0] for name in exported}
    wrong.append(f"the library lacks {sorted(set(listed) - names)} and has {sorted(names - set(listed))} "
                 f"beside the list, or is not of version {version}")
if declared != listed:
    wrong.append(f"the header lacks {sorted(set(listed) - set(declared))} and has "
                 f"{sorted(set(declared) - set(listed))} beside the list")
print("\n".join(wrong) or f"{len(listed)} symbols of version {version}")
sys.exit(bool(wrong))
