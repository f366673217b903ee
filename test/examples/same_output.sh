#!/usr/bin/env bash
# An example prints what its file says, but lines of speed. Usage: same_output.sh EXPECTED PROGRAM ARGUMENT...
set -euo pipefail
"${@:2}" | sed '/^speed/d' | diff "$1" -
