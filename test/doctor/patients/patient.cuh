// What the patients share: each is a program with a planted fault, and without it when called with `control`.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace patient {

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

inline bool is_sick(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "sick") == 0) return true;
  if (argc == 2 && std::strcmp(argv[1], "control") == 0) return false;
  std::fprintf(stderr, "give sick or control\n");
  std::exit(2);
}

/// `count` numbers on the device, 0 but for what the caller writes.
template <class T>
T* numbers(std::size_t count) {
  T* data = nullptr;
  check(cudaMalloc(&data, count * sizeof(T)));
  check(cudaMemset(data, 0, count * sizeof(T)));
  return data;
}

/// Waits, and reports how the program went.
inline int finish() {
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  std::printf("done\n");
  return 0;
}

constexpr int units = 132; // multiprocessors of an H200

} // namespace patient
