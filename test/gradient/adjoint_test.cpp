// Adjoints as programs on every device, against a transpose that knows nothing of dual numbers:
// each result's differences, scattered.
#include <ridge/device/generate.hpp>
#include <ridge/gradient/call.hpp>
#include <ridge/stencil/reference.hpp>

#include "devices.hpp"
#include "kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace ridge::gradient {
namespace {

template <class T>
std::vector<T> to_host(Queue& queue, const Field<T>& field) {
  std::vector<T> host(static_cast<std::size_t>(field.count()));
  copy_to_host(queue, host.data(), field.data(), field.count());
  queue.wait();
  return host;
}

/// The fields of a forward call, its cotangent and gradients, on a device and on the host.
template <class K, class T>
struct Fields {
  static constexpr int inputs = stencil::inputs_of<K>;

  Fields(const Device& device, const K& kernel, Index3 extents)
      : queue(device), n(extents), call{kernel, {}, {}} {
    const Extents size{n.x, n.y, n.z};
    for (int i = 0; i <= inputs; ++i) {
      read.emplace_back(device, size);
      fill_random(queue, read.back().elements(), static_cast<std::uint64_t>(i) + 3);
      const std::vector<T> host = to_host(queue, read.back());
      on_host.emplace_back(host.begin(), host.end());
    }
    for (int i = 0; i < inputs; ++i) {
      call.in[static_cast<std::size_t>(i)] = read[static_cast<std::size_t>(i)].view();
      gradients.emplace_back(device, size);
    }
    call.out = gradients[0].view();
  }
  [[nodiscard]] View<const T> cotangent() { return read.back().view(); }

  void poison() {
    for (auto& one : gradients)
      fill_bytes(queue, one.data(), 0xff, Bytes{one.count() * static_cast<Index>(sizeof(T))});
  }

  /// The gradient by an input: central differences of each result by each of its neighbours, times
  /// its cotangent, added where the neighbour is.
  [[nodiscard]] std::vector<double> scattered(int input) {
    std::vector<double> sum(on_host[0].size());
    const Offset r = stencil::radius_of<K>();
    std::array<View<const double>, static_cast<std::size_t>(inputs)> views;
    for (std::size_t i = 0; i < views.size(); ++i)
      views[i] = View<const double>(on_host[i].data(), n);
    std::vector<double>& moved = on_host[static_cast<std::size_t>(input)];
    constexpr double h = 1e-5;
    std::apply(
        [&](const auto&... f) {
          int number = 0;
          const auto add = [&](const auto& footprint) {
            if (number++ != input) return;
            for (Index z = r.z; z < n.z - r.z; ++z) {
              for (Index y = r.y; y < n.y - r.y; ++y) {
                for (Index x = r.x; x < n.x - r.x; ++x) {
                  const auto q = static_cast<std::size_t>(views[0].at(x, y, z));
                  for (const Offset& k : footprint.offsets) {
                    const auto p = static_cast<std::size_t>(views[0].at(x + k.x, y + k.y, z + k.z));
                    const double was = moved[p];
                    moved[p] = was + h;
                    const double above = stencil::reference_at(call.kernel, views, x, y, z);
                    moved[p] = was - h;
                    const double below = stencil::reference_at(call.kernel, views, x, y, z);
                    moved[p] = was;
                    sum[p] += (above - below) / (2 * h) * on_host.back()[q];
                  }
                }
              }
            }
          };
          (add(f), ...);
        },
        stencil::footprints_of<K>());
    return sum;
  }

  /// The fault of a gradient of which points nearer than `radius` to an edge are not written.
  /// Sums are complete where all results that read the point are ones that the forward call writes.
  void expect_right(int input, Offset radius, double tolerance) {
    const std::vector<T> got = to_host(queue, gradients[static_cast<std::size_t>(input)]);
    const std::vector<double> right = scattered(input);
    const Offset r = stencil::radius_of<K>();
    const View<const T> at(got.data(), n);
    T poison;
    std::memset(&poison, 0xff, sizeof(T));
    const auto within = [&](Index x, Index y, Index z, Offset o) {
      return x >= o.x && x < n.x - o.x && y >= o.y && y < n.y - o.y && z >= o.z && z < n.z - o.z;
    };
    for (Index z = 0; z < n.z; ++z) {
      for (Index y = 0; y < n.y; ++y) {
        for (Index x = 0; x < n.x; ++x) {
          const auto p = static_cast<std::size_t>(at.at(x, y, z));
          if (!within(x, y, z, radius)) {
            ASSERT_EQ(std::memcmp(&got[p], &poison, sizeof(T)), 0) << x << " " << y << " " << z;
          } else if (within(x, y, z, {2 * r.x, 2 * r.y, 2 * r.z})) {
            ASSERT_NEAR(static_cast<double>(got[p]), right[p], tolerance)
                << "input " << input << " at " << x << " " << y << " " << z;
          }
        }
      }
    }
  }

  Queue queue;
  Index3 n;
  stencil::Call<K, T> call;
  std::vector<Field<T>> read, gradients;
  std::vector<std::vector<double>> on_host;
};

class Adjoints : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
};

TEST_P(Adjoints, ByOneInputRecomputeDerivatives) {
  Fields<test::Mixing, float> f(device, {}, {37, 13, 9});
  const auto backward = adjoint<1>(f.call, f.cotangent(), f.gradients[1].view());
  f.poison();
  Program(f.queue, backward).run();
  f.expect_right(1, stencil::radius_of<decltype(backward.kernel)>(), 2e-5);
}

TEST_P(Adjoints, ByAllInputsAreOnePassOfTheSameBits) {
  Fields<test::Mixing, double> f(device, {}, {35, 11, 10});
  const auto backward =
      adjoint(f.call, f.cotangent(), std::array{f.gradients[0].view(), f.gradients[1].view()});
  const Program program(f.queue, backward);
  f.poison();
  program.run();
  const Offset radius = std::remove_cvref_t<decltype(backward.chain)>::Arrays::radius();
  f.expect_right(0, radius, 1e-8);
  f.expect_right(1, radius, 1e-8);
  const Work work = program.record().work;
  EXPECT_EQ(work.written.value, 2 * 8 * work.items); // both gradients
  const auto first = to_host(f.queue, f.gradients[0]);
  f.poison();
  program.run();
  const auto again = to_host(f.queue, f.gradients[0]);
  EXPECT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(double)), 0);
}

TEST(Adjoint, OfALinearKernelIsOfItsWeightsReflected) {
  const test::Lopsided kernel{0.5};
  Field<double> u(Device("cpu"), {5, 3, 5});
  Field<double> y(Device("cpu"), {5, 3, 5});
  const stencil::Call<test::Lopsided, double> call{kernel, {u.view()}, y.view()};
  const auto backward = adjoint(call, y.view(), u.view());
  EXPECT_EQ(backward.in.size(), 1U); // the cotangent alone
  EXPECT_EQ(backward.in[0].data, y.data());
  EXPECT_EQ(backward.out.data, u.data());
  constexpr std::array weights{0.5, 1.0, -1.5, 2.5, -3.5, 5.5};
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const Offset k = test::Lopsided::footprint.offsets[n];
    const Offset o = backward.kernel.footprint.offsets[n];
    EXPECT_EQ(o, (Offset{-k.x, -k.y, -k.z}));
    EXPECT_EQ(backward.kernel.weights[n], weights[n]);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Adjoints, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

TEST(Adjoint, OfSeveralInputsTakeBlocksOfRowsOnGpus) {
  // One H200, wave4 at 320^3 in fp64: 332 us, and 445 in rows of 256.
  const Device gpu(parse_device("simt:32"));
  const auto block = [&](Index3 n) {
    const auto d = chain::describe<AdjointsOf<test::Mixing>, double>();
    return std::get<chain::GpuSchedule>(chain::default_schedule(gpu, d, n)).block;
  };
  EXPECT_EQ(block({64, 32, 16}), (BlockShape{{32, 4, 1}}));
  EXPECT_EQ(block({512, 4, 16}), (BlockShape{{256, 1, 1}}));
}

} // namespace
} // namespace ridge::gradient
