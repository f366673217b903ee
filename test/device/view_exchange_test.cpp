// Views from and to mdspan and Kokkos::View. A stand-in with Kokkos' members is tested, and one
// with mdspan's; std::mdspan itself where the standard library has it.
#include <ridge/core/error.hpp>
#include <ridge/device/view_exchange.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace Kokkos {
struct LayoutStride {
  std::size_t extent[3], stride[3];
  LayoutStride(std::size_t n0, std::size_t s0, std::size_t n1, std::size_t s1, std::size_t n2,
               std::size_t s2)
      : extent{n0, n1, n2}, stride{s0, s1, s2} {}
};
struct LayoutRight {
  std::size_t extent[3], stride[3];
  LayoutRight(std::size_t n0, std::size_t n1, std::size_t n2)
      : extent{n0, n1, n2}, stride{n1 * n2, n2, 1} {}
};
struct LayoutLeft {
  std::size_t extent[3], stride[3];
  LayoutLeft(std::size_t n0, std::size_t n1, std::size_t n2)
      : extent{n0, n1, n2}, stride{1, n0, n0 * n1} {}
};
} // namespace Kokkos

namespace ridge {
namespace {

/// What Kokkos::View and std::mdspan offer of what is used.
template <class T, class Layout, int Rank = 3>
class Foreign {
public:
  using value_type = T;
  using element_type = T;
  using array_layout = Layout;
  using layout_type = Layout;
  struct Dimensions { // std::integral_constant in Kokkos, a function in mdspan
    constexpr operator std::size_t() const { return Rank; }
    constexpr std::size_t operator()() const { return Rank; }
  };
  static constexpr Dimensions rank{};

  Foreign(T* data, const Layout& layout) : data_(data), layout_(layout) {}
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] T* data_handle() const { return data_; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return layout_.extent[d]; }
  [[nodiscard]] std::size_t stride(std::size_t d) const { return layout_.stride[d]; }
  T& operator()(Index i, Index j, Index k) const {
    const auto at = [&](Index index, std::size_t d) {
      return static_cast<std::size_t>(index) * stride(d);
    };
    return data_[at(i, 0) + at(j, 1) + at(k, 2)];
  }

private:
  T* data_;
  Layout layout_;
};
using Strided = Foreign<double, Kokkos::LayoutStride>;
using Right = Foreign<double, Kokkos::LayoutRight>;
using Left = Foreign<double, Kokkos::LayoutLeft>;

struct ViewExchange : testing::Test {
  std::vector<double> memory = std::vector<double>(2000);

  template <class F>
  static void expect_same(const View<double>& v, const Index3& n, const F& item) {
    ASSERT_EQ(v.extents, n);
    for (Index z = 0; z < n.z; ++z) {
      for (Index y = 0; y < n.y; ++y) {
        for (Index x = 0; x < n.x; ++x)
          EXPECT_EQ(v.data + v.at(x, y, z), &item(x, y, z));
      }
    }
  }
  template <class V>
  static auto from_first(const V& v) {
    return [&v](Index x, Index y, Index z) -> double& { return v(x, y, z); };
  }
  template <class V>
  static auto from_last(const V& v) {
    return [&v](Index x, Index y, Index z) -> double& { return v(z, y, x); };
  }
};

TEST_F(ViewExchange, TakesEveryLayoutOfKokkos) {
  const Right right(memory.data(), {4, 5, 6});
  expect_same(from_kokkos(right), {6, 5, 4}, from_last(right));
  const Left left(memory.data(), {4, 5, 6});
  expect_same(from_kokkos(left), {4, 5, 6}, from_first(left));
  const Strided rows(memory.data(), {4, 90, 5, 9, 6, 1});
  expect_same(from_kokkos(rows), {6, 5, 4}, from_last(rows));
  const Strided columns(memory.data(), {6, 1, 5, 9, 4, 90});
  expect_same(from_kokkos(columns), {6, 5, 4}, from_first(columns));
}

TEST_F(ViewExchange, TakesExtentsOfOneAndFewerDimensions) {
  const Left left(memory.data(), {1, 1, 7}); // its strides are those of C's order, too
  EXPECT_EQ(from_kokkos(left).extents, (Index3{1, 1, 7}));
  const Right right(memory.data(), {7, 1, 1});
  EXPECT_EQ(from_kokkos(right).extents, (Index3{1, 1, 7}));
  const Foreign<double, Kokkos::LayoutStride, 2> plane(memory.data(), {5, 8, 6, 1, 0, 0});
  const View<double> v = from_mdspan(plane);
  EXPECT_EQ(v.extents, (Index3{6, 5, 1}));
  EXPECT_EQ(v.row, 8);
  const Foreign<double, Kokkos::LayoutStride, 1> line(memory.data(), {5, 1, 0, 0, 0, 0});
  EXPECT_EQ(from_mdspan(line).extents, (Index3{5, 1, 1}));
}

TEST_F(ViewExchange, RefusesStridesThatAreNotThoseOfRows) {
  EXPECT_THROW((void)from_kokkos(Strided(memory.data(), {4, 90, 5, 9, 3, 2})), UsageError);
  EXPECT_THROW((void)from_kokkos(Strided(memory.data(), {4, 90, 5, 5, 6, 1})), UsageError);
  EXPECT_THROW((void)from_kokkos(Strided(memory.data(), {4, 6, 5, 24, 6, 1})), UsageError);
  EXPECT_THROW((void)from_kokkos(Strided(memory.data(), {4, 0, 5, 6, 6, 1})), UsageError);
}

TEST_F(ViewExchange, GivesEveryLayoutOfKokkos) {
  const View<double> gaps(memory.data(), {6, 5, 4}, 9, 90);
  const auto strided = to_kokkos<Strided>(gaps);
  expect_same(gaps, {6, 5, 4}, from_last(strided));
  const View<double> packed(memory.data(), {6, 5, 4});
  const auto right = to_kokkos<Right>(packed);
  expect_same(packed, {6, 5, 4}, from_last(right));
  const auto left = to_kokkos<Left>(packed);
  expect_same(packed, {6, 5, 4}, from_first(left));
  EXPECT_THROW((void)to_kokkos<Right>(gaps), UsageError);
  EXPECT_THROW((void)to_kokkos<Left>(gaps), UsageError);
}

#if defined(__cpp_lib_mdspan)
TEST_F(ViewExchange, GoesToMdspanAndBack) {
  const View<double> gaps(memory.data(), {6, 5, 4}, 9, 90);
  const auto m = to_mdspan(gaps);
  expect_same(gaps, {6, 5, 4}, [&](Index x, Index y, Index z) -> double& {
    return m[std::array<Index, 3>{z, y, x}];
  });
  const View<double> back = from_mdspan(m);
  EXPECT_EQ(back.data, gaps.data);
  EXPECT_EQ(back.row, 9);
  EXPECT_EQ(back.plane, 90);
  const std::mdspan<double, std::dextents<int, 2>, std::layout_left> left(memory.data(), 1, 7);
  EXPECT_EQ(from_mdspan(left).extents, (Index3{1, 7, 1}));
  const std::mdspan<const double, std::extents<int, 4, 5>> right(memory.data());
  EXPECT_EQ(from_mdspan(right).extents, (Index3{5, 4, 1}));
}
#endif

} // namespace
} // namespace ridge
