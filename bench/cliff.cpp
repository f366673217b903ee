// Times the cpu's stencil executor on fields of given strides, in turn, on one thread.
// bench/cliff.py compiles it with KERNEL and runs it.
//
// Arguments: ROUNDS, then cases NXxNYxNZ:ROW:PLANE:SCHEDULE with the elements between rows and
// between planes, 0 for packed ones, and the schedule's fields with commas. Prints a JSON array:
// for each case the processor time of every round in nanoseconds a point of the field, which what
// else runs on the machine disturbs less than the clock's.
#include <ridge/core/text.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/stencil/cpu/executor.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace ridge;
using stencil::CpuSchedule;
using T = double;

const auto kernel = KERNEL;
using K = std::remove_const_t<decltype(kernel)>;

struct Case {
  std::string text;
  Index3 n;
  Index row = 0, plane = 0;
  CpuSchedule schedule;
  std::vector<double> nanoseconds;

  explicit Case(const char* argument) : text(argument) {
    std::array<long, 5> v{};
    int used = 0;
    const int found =
        std::sscanf(argument, "%ldx%ldx%ld:%ld:%ld:%n", &v[0], &v[1], &v[2], &v[3], &v[4], &used);
    if (found != 5 || used == 0) {
      std::fprintf(stderr, "'%s' is no NXxNYxNZ:ROW:PLANE:SCHEDULE\n", argument);
      std::exit(2);
    }
    n = {v[0], v[1], v[2]};
    row = v[3] > 0 ? v[3] : n.x;
    plane = v[4] > 0 ? v[4] : row * n.y;
    std::string fields = text.substr(static_cast<std::size_t>(used));
    std::replace(fields.begin(), fields.end(), ',', ' ');
    schedule = text::parse<CpuSchedule>(fields);
  }
};

/// As the cpu's fields lie: in huge pages, at different places of a page.
T* field(Index elements, std::size_t place) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T) + 2 * huge;
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    std::perror("mmap");
    std::exit(1);
  }
  madvise(mapped, bytes, MADV_HUGEPAGE);
  const auto begin = (reinterpret_cast<std::uintptr_t>(mapped) + huge - 1) / huge * huge;
  return reinterpret_cast<T*>(begin + place);
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <bool Stream>
void run(const stencil::Call<K, T>& call, const CpuSchedule& s) {
  using stencil::CpuVariant;
  if (s.depth == 1) stencil::cpu::run<Stream, CpuVariant{1}>(call, s, 0, 1);
  if (s.depth == CpuSchedule::pair) {
    stencil::cpu::run<Stream, CpuVariant{CpuSchedule::pair}>(call, s, 0, 1);
  }
  if (s.depth == CpuSchedule::deep) {
    stencil::cpu::run<Stream, CpuVariant{CpuSchedule::deep}>(call, s, 0, 1);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s ROUNDS CASE...\n", argv[0]);
    return 2;
  }
  std::vector<Case> cases(argv + 2, argv + argc);
  Index most = 0;
  for (const Case& c : cases)
    most = std::max(most, c.plane * c.n.z);
  T* const in = field(most, 0);
  T* const out = field(most, 2496);
  for (Index i = 0; i < most; ++i) {
    in[i] = 1e-3 * static_cast<T>(i % 1000);
    out[i] = 0;
  }
  for (int round = 0; round < std::atoi(argv[1]); ++round) {
    for (Case& c : cases) {
      const stencil::Call<K, T> call{
          kernel, {View<const T>(in, c.n, c.row, c.plane)}, View<T>(out, c.n, c.row, c.plane)};
      const double begin = processor_seconds();
      if (c.schedule.store == stencil::Store::plain) {
        run<false>(call, c.schedule);
      } else {
        run<true>(call, c.schedule);
      }
      c.nanoseconds.push_back((processor_seconds() - begin) * 1e9 /
                              static_cast<double>(c.n.x * c.n.y * c.n.z));
    }
  }
  std::printf("[");
  for (const Case& c : cases) {
    std::printf("%s\n {\"case\": \"%s\", \"nanoseconds\": [", &c == cases.data() ? "" : ",",
                c.text.c_str());
    for (std::size_t i = 0; i < c.nanoseconds.size(); ++i)
      std::printf("%s%.4f", i == 0 ? "" : ", ", c.nanoseconds[i]);
    std::printf("]}");
  }
  std::printf("\n]\n");
}
