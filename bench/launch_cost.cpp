// Host time of a launch from C++ and from C: the Laplacian of 8x8x8 points, in turns.
//
//   g++ -std=c++20 -O2 -Iinclude bench/launch_cost.cpp -Lbuild/lib -lridge -lridge-c -lfmt -o
//   launch_cost LD_LIBRARY_PATH=build/lib ./launch_cost cuda:0
//
// bench/launch_cost.f90 is the same from Fortran.
#include <ridge/device/field.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/launch.hpp>

#include <ridge.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void require(int code) {
  if (code == RIDGE_OK) return;
  std::fprintf(stderr, "%s\n", ridge_last_error());
  std::exit(ridge_exit_code(code));
}

/// Nanoseconds of one of `launches` launches, without those that they wait for.
template <class Run, class Wait>
double cost(const Run& run, const Wait& wait) {
  constexpr int launches = 200; // fewer than a stream holds
  wait();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i)
    run();
  const std::chrono::duration<double, std::nano> all = std::chrono::steady_clock::now() - begin;
  wait();
  return all.count() / launches;
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                   all.end());
  return all[all.size() / 2];
}

} // namespace

int main(int count, char** arguments) {
  using namespace ridge;
  using Kernel = stencil::Laplacian<2, 3>;
  const char* const name = count > 1 ? arguments[1] : "cpu";
  const Index3 n{8, 8, 8};
  const Device device(name);
  Queue queue(device);
  const Field<double> u(device, {n.x, n.y, n.z}, "u");
  const Field<double> v(device, {n.x, n.y, n.z}, "v");
  const stencil::Call<Kernel, double> call{Kernel(stencil::Spacing{1, 1, 1}),
                                           {View<const double>(u.data(), n)},
                                           View<double>(v.data(), n)};
  const Program program(queue, call, "laplacian");

  ridge_queue queue_of_c = nullptr;
  ridge_kernel kernel = nullptr;
  ridge_field fields[2];
  ridge_program program_of_c = nullptr;
  const std::int64_t extents[3] = {n.x, n.y, n.z};
  require(ridge_queue_open(name, &queue_of_c));
  require(ridge_kernel_find("laplacian", nullptr, &kernel));
  for (int i = 0; i < 2; ++i)
    require(ridge_field_wrap(queue_of_c, (i == 0 ? u : v).data(), RIDGE_DOUBLE, 3, extents, nullptr,
                             &fields[i]));
  require(ridge_program_bind(queue_of_c, kernel, fields, 2, nullptr, &program_of_c));

  std::vector<double> from_cpp;
  std::vector<double> from_c;
  for (int turn = 0; turn < 101; ++turn) {
    from_cpp.push_back(cost([&] { program.run(); }, [&] { queue.wait(); }));
    from_c.push_back(cost([&] { (void)ridge_program_run(program_of_c); },
                          [&] { (void)ridge_queue_wait(queue_of_c); }));
  }
  std::printf("%s: a launch takes the host %.0f ns from C++, %.0f ns from C (medians of %zu)\n",
              name, median(from_cpp), median(from_c), from_c.size());
}
