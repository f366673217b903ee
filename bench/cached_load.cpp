// How long a process takes for a kernel of the cpu that is in the cache of kernels compiled on
// demand, or that was compiled ahead: prints where it came from, the milliseconds until the program
// is bound, and the microseconds of binding it again, the mean of many. A process a line, so run it
// often:
//
//   g++ -std=c++20 -O2 -fopenmp -Iinclude bench/cached_load.cpp -Lbuild/lib -lridge -lfmt
//   for i in $(seq 20); do LD_LIBRARY_PATH=build/lib ./a.out; done      # ./a.out ahead
//
// Predictions and results: docs/design/launches.md.
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/launch.hpp>

#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

namespace {

double milliseconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

} // namespace

int main(int argc, char** argv) try {
  using namespace ridge;
  const Device device("cpu");
  Queue queue(device);
  std::vector<Field<double>> fields;
  for (int i = 0; i < 8; ++i)
    fields.emplace_back(device, Extents{64});
  const auto source = [&](std::size_t i) { return Span<const double>(fields[i].elements()); };
  const auto call = pairs::among_themselves<pairs::Gravity<>, pairs::Fp64>(
      {}, {source(0), source(1), source(2), source(3)},
      {fields[4].elements(), fields[5].elements(), fields[6].elements(), fields[7].elements()});
  pairs::CpuSchedule schedule;
  schedule.tile = argc > 1 && std::string_view(argv[1]) == "ahead" ? 1 : 3;
  const double start = milliseconds();
  const Program first(queue, call, schedule);
  const double bound = milliseconds();
  constexpr int times = 10000;
  for (int i = 0; i < times; ++i)
    const Program again(queue, call, schedule);
  std::printf("%-6s %8.3f ms, again %.2f us\n", first.record().compiled.c_str(), bound - start,
              (milliseconds() - bound) / times * 1e3);
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
