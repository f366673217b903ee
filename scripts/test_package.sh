#!/usr/bin/env bash
# Makes a wheel from a build tree, installs it into an environment of its own and runs the tests of
# the Python package there, examples and types among them. Nothing that the tree has is compiled
# again. Usage: test_package.sh BUILD; with --prepare behind it only the environment is made.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
environment=$build/venv-package
python=$environment/bin/python
requirements=$root/test/python/requirements.txt
if [[ ! -e $environment/installed || $requirements -nt $environment/installed ]]; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
  # The distribution's torch, where it is for this Python: pip's is made for GPUs, and takes gigabytes.
  distribution=$environment/distribution
  mkdir "$distribution" && ln -s /usr/lib/python3/dist-packages/torch "$distribution"
  if PYTHONPATH=$distribution "$python" -c 'import torch' 2>/dev/null; then
    echo "$distribution" >"$("$python" -c 'import site; print(site.getsitepackages()[0])')/torch.pth"
  else
    echo "no torch for $("$python" --version): tests that need it are skipped"
  fi
  touch "$environment/installed"
fi
[[ ${2:-} != --prepare ]] || exit 0

rm -rf "$build/dist"
"$root/scripts/wheel.sh" "$build/dist" "$build" "$python"
# A wheel that is given away has kernels for three processors, is split, and no file of it has more than 10 MB.
"$python" -B "$root/scripts/check_wheel_size.py" "$build"/dist/ridge-*.whl 9000000 3
"$python" "$root/scripts/split_wheel.py" "$build"/dist/ridge-*.whl
"$python" -m pip install --quiet --disable-pip-version-check --no-index --force-reinstall --no-deps \
  "$build"/dist/ridge*.whl
"$python" -m pip --disable-pip-version-check check
export RIDGE_CACHE=$build/kernel-cache-python
# More processes than cores: they wait for compilers, and threads that wait should leave them the cores soon.
export GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-1000} OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
cd "$build" # not where the sources of the package are
PYTHONPATH=$root/test/python:$root/test/in_turn "$python" -B -m pytest -q -p conftest -p devices_in_turn -p no:cacheprovider -n "$(($(nproc) * 3 / 2))" --dist worksteal --durations 10 \
  -c "$root/pyproject.toml" "$root/test/python" "$root"/wings/*/test/python
