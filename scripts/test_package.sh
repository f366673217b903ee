#!/usr/bin/env bash
# Makes a wheel from a build tree, installs it into an empty environment and runs the tests and
# examples of the Python package there. Usage: test_package.sh BUILD
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
environment() { # FOLDER PACKAGE...: a new one, with these
  rm -rf "$1"
  python3 -m venv "$1"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check "${@:2}"
}
rm -rf "$build/dist"
environment "$build/venv-wheel" scikit-build-core nanobind
"$root/scripts/wheel.sh" "$build/dist" "$build" "$build/venv-wheel/bin/python"
environment "$build/venv-package" "$build"/dist/ridge-*.whl -r "$root/test/python/requirements.txt"
python=$build/venv-package/bin/python
export RIDGE_CACHE=$build/kernel-cache-python
cd "$build" # not where the sources of the package are
"$python" -B -m pytest -q -p no:cacheprovider -n 2 -c "$root/pyproject.toml" "$root/test/python"
for example in "$root"/examples/python/*.py; do
  "$python" -B "$example" >/dev/null
done
"$python" -m mypy --strict -p ridge
