#!/usr/bin/env bash
# Usage: stops.sh PROGRAM
set -euo pipefail
code=0
said=$("$1" 2>&1) || code=$?
echo "$said"
[[ $code == 2 && "$said" == *"ridge_kernel_find: "*laplacian* && "$said" != *"went on"* ]] ||
  { echo "exit code $code; expected 2 and a sentence that names kernels"; exit 1; }
