#!/usr/bin/env bash
# Installs the build, then builds and runs the heat example as a stranger's project would: by
# find_package, a program that saves and loads a field by its component io, and a host program by
# pkg-config.
# Usage: consume.sh BUILD_FOLDER SOURCE_FOLDER CXX
set -euo pipefail
build=$1 source=$2 cxx=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
cp -r "$source/examples/01_heat" "$scratch/heat"
cmake -S "$scratch/heat" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release -DRIDGE_HIP_ARCH=gfx90a \
  >"$scratch/configure.log" || { cat "$scratch/configure.log"; exit 1; }
cmake --build "$scratch/build" -j "$(nproc)" >"$scratch/build.log" || { cat "$scratch/build.log"; exit 1; }

# All but what reached the cold walls is still there, and every device agrees.
for device in cpu simt:32 simt:64; do
  line=$("$scratch/build/heat" "$device" | head -n 1)
  echo "$line"
  [[ "$line" == "centre 0.000710, total 0.9999999999"* ]] ||
    { echo "expected a centre of 0.000710 and a total near 1 on $device"; exit 1; }
done

mkdir "$scratch/files"
cat >"$scratch/files/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(files LANGUAGES CXX)
find_package(ridge REQUIRED COMPONENTS io)
add_executable(files main.cpp)
target_link_libraries(files PRIVATE ridge::io)
CMAKE
cat >"$scratch/files/main.cpp" <<'CPP'
#include <ridge/io/lattice_file.hpp>
#include <ridge/lattice/random.hpp>
#include <ridge/lattice/reduce.hpp>

#include <cstdio>

int main(int, char** arguments) {
  using namespace ridge::lattice;
  ridge::Queue queue(ridge::Device("simt:64"));
  Field<ColourMatrix<double>> u(queue.device(), Lattice({8, 4, 4}), "u");
  Field<ColourMatrix<double>> v(queue.device(), Lattice({8, 4, 4}), "v");
  fill_random(queue, u, 1);
  ridge::io::save(arguments[1], "/u", queue, u);
  ridge::io::load(arguments[1], "/u", queue, v);
  const bool equal = norm2(queue, v) > 0 && u.get(queue) == v.get(queue);
  std::puts(equal ? "loaded what was saved" : "loaded something else");
}
CPP
cmake -S "$scratch/files" -B "$scratch/files/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$scratch/configure.log" ||
  { cat "$scratch/configure.log"; exit 1; }
cmake --build "$scratch/files/build" >"$scratch/build.log" || { cat "$scratch/build.log"; exit 1; }
"$scratch/files/build/files" "$scratch/u.h5" | grep '^loaded what was saved$'

cat >"$scratch/devices.cpp" <<'CPP'
#include <ridge/device/device.hpp>

#include <cstdio>

int main() {
  for (const ridge::DeviceId id : ridge::list_devices()) std::puts(to_text(id).c_str());
}
CPP
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name ridge.pc)")
# shellcheck disable=SC2046 -- the flags are words
"$cxx" "$scratch/devices.cpp" -o "$scratch/devices" $(pkg-config --cflags --libs ridge)
"$scratch/devices" | grep -q '^cpu$'
"$scratch/prefix/bin/ridge" devices | grep -q 'simt:64'
echo "consumed by find_package and by pkg-config"
bash "$source/test/install/languages.sh" "$scratch/prefix" "$source"
