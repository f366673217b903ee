#!/usr/bin/env bash
# Makes the Python environment of the command's tests, once. Usage: test_python.sh FOLDER
set -euo pipefail
folder=$1
requirements=$(dirname "$0")/../test/app/requirements.txt
if [[ ! -e "$folder/installed" || "$requirements" -nt "$folder/installed" ]]; then
  echo "setup: Python packages of the tests"
  python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
  touch "$folder/installed"
fi
