#include "beside_cpp.hpp"

#include <ridge/chain/launch.hpp>
#include <ridge/lattice/launch.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/launch.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/launch.hpp>

#include "kernels.hpp"

#include <array>

namespace {

using namespace ridge;

template <class T>
void laplacian(const char* device, const T* u, T* v, Index3 n) {
  Queue queue{Device(device)};
  const stencil::Laplacian<2, 3> kernel(stencil::Spacing{1, 1, 1});
  const stencil::Call<stencil::Laplacian<2, 3>, T> call{
      kernel, {View<const T>(u, n)}, View<T>(v, n)};
  Program(queue, call, "laplacian").run();
  queue.wait();
}

} // namespace

extern "C" {

void cpp_laplacian(const char* device, const double* u, double* v, std::int64_t nx, std::int64_t ny,
                   std::int64_t nz) {
  laplacian(device, u, v, {nx, ny, nz});
}

void cpp_laplacian_float(const char* device, const float* u, float* v, std::int64_t nx,
                         std::int64_t ny, std::int64_t nz) {
  laplacian(device, u, v, {nx, ny, nz});
}

void cpp_heat(const char* device, const double* u, double* v, std::int64_t nx, std::int64_t rows) {
  Queue queue{Device(device)};
  const Index3 n{nx, rows, 1};
  chain::Request<c_test::Heat, double> request{{}, n, {}};
  request.views.set(c_test::u, View<const double>(u, n)).set(c_test::v, View<double>(v, n));
  Program(queue, request, "heat").run();
  queue.wait();
}

void cpp_gravity(const char* device, const double* bodies, double* sums, std::int64_t count) {
  Queue queue{Device(device)};
  std::array<Span<const double>, 4> sources;
  std::array<Span<double>, 4> results;
  for (int c = 0; c < 4; ++c) {
    sources[static_cast<std::size_t>(c)] = {bodies + c * count, count};
    results[static_cast<std::size_t>(c)] = {sums + c * count, count};
  }
  const auto call = pairs::among_themselves<pairs::Gravity<>, pairs::Fp64>(pairs::Gravity<>{1e-4},
                                                                           sources, results);
  Program(queue, call, "gravity").run();
  queue.wait();
}

double cpp_sum(const char* device, const double* u, std::int64_t count) {
  Queue queue{Device(device)};
  Field<double> x(queue.device(), {count}, "x");
  copy_to_device(queue, x.data(), u, count);
  double sum = 0;
  lattice::ReduceCall<lattice::Sum, double> call;
  call.reproducible = true;
  call.shape = {1, false, 8};
  call.geometry = lattice::Lattice({count}).geometry(8);
  call.x = {x.data(), count};
  call.result = {&sum, 1};
  Program(queue, call, "sum").run();
  queue.wait();
  return sum;
}

} // extern "C"
