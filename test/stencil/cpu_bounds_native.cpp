// The cpu executor touches nothing outside the fields: they lie between pages that may not be read.
#include <ridge/stencil/cpu/executor.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/reference.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

namespace ridge::stencil {
namespace {

/// Elements of T that begin at a page behind one that may not be touched, or end at one.
template <class T>
class Guarded {
public:
  enum class Side { begin, end };

  Guarded(Index count, Side side) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    const std::size_t inside = (bytes + page - 1) / page * page;
    size_ = inside + 2 * page;
    base_ = static_cast<char*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(base_, MAP_FAILED);
    EXPECT_EQ(mprotect(base_ + page, inside, PROT_READ | PROT_WRITE), 0);
    data_ = reinterpret_cast<T*>(base_ + page + (side == Side::begin ? 0 : inside - bytes));
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(base_, size_); }

  [[nodiscard]] T* data() const { return data_; }

private:
  static constexpr std::size_t page = 4096;
  char* base_ = nullptr;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

template <class K, class T>
void expect_within(Index3 n, typename Guarded<T>::Side side) {
  const Index count = n.x * n.y * n.z;
  const Guarded<T> in(count, side);
  const Guarded<T> out(count, side);
  for (Index i = 0; i < count; ++i)
    in.data()[i] = static_cast<T>(i * 7 % 13);
  const K kernel{};
  const View<const T> from(in.data(), n);
  std::vector<double> expected(static_cast<std::size_t>(count), -1.0);
  apply_reference(kernel, std::array{from}, View<double>(expected.data(), n));
  CpuSchedule schedule;
  const auto expect_right = [&]<CpuVariant Variant>() {
    for (const int ahead : {0, 1, 3}) {
      std::fill_n(out.data(), count, T(-1));
      schedule.ahead = ahead;
      schedule.depth = Variant.depth;
      const Call<K, T> call{kernel, {from}, View<T>(out.data(), n)};
      cpu::run<true, Variant>(call, schedule, 0, 1);
      for (Index i = 0; i < count; ++i) {
        ASSERT_NEAR(out.data()[i], expected[static_cast<std::size_t>(i)],
                    5000 * std::numeric_limits<T>::epsilon())
            << n.x << 'x' << n.y << 'x' << n.z << " at " << i;
      }
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (expect_right.template operator()<CpuList<K, T>::values[I]>(), ...);
  }
  (std::make_index_sequence<CpuList<K, T>::values.size()>{});
}

template <class K>
void expect_within_both(Index3 n) {
  for (const auto side : {Guarded<double>::Side::begin, Guarded<double>::Side::end})
    expect_within<K, double>(n, side);
  for (const auto side : {Guarded<float>::Side::begin, Guarded<float>::Side::end})
    expect_within<K, float>(n, side);
}

TEST(CpuBounds, OneDimension) {
  for (const Index x : {5, 16, 17, 67, 512, 515})
    expect_within_both<Laplacian<4, 1>>({x, 1, 1});
}

TEST(CpuBounds, TwoDimensions) {
  for (const Index x : {3, 8, 9, 31, 33, 64, 67})
    expect_within_both<Laplacian<2, 2>>({x, 5, 1});
}

TEST(CpuBounds, ThreeDimensions) {
  for (const Index x : {3, 8, 15, 16, 17, 47, 64, 65, 127}) {
    expect_within_both<Laplacian<2, 3>>({x, 4, 3});
    expect_within_both<Box27>({x, 4, 6});
  }
  for (const Index x : {9, 16, 17, 48, 63, 64, 65})
    expect_within_both<Laplacian<8, 3>>({x, 11, 13});
}

} // namespace
} // namespace ridge::stencil
