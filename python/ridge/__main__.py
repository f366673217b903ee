"""`python -m ridge ...` is the `ridge` command."""

import os
import sys

from ._command import command_file

file = command_file()
os.execv(file, ["ridge", *sys.argv[1:]])
