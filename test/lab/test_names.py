"""The names that a library offers take no more bytes than BYTES. A wheel carries them, and each program that loads the
library looks through them; what makes many new ones belongs into the list of src/lab/offered.map.

Usage: test_names.py LIBRARY NM BYTES
"""

import subprocess
import sys

library, nm, most = sys.argv[1:]
lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True, capture_output=True).stdout
names = [line.split()[2] for line in lines.splitlines()]
found = sum(len(name) + 1 for name in names)
print(f"{len(names)} names of {found} bytes, of {most}")
if found > int(most):
    print("the longest:", *sorted(names, key=len)[-5:], sep="\n  ")
    sys.exit(1)
