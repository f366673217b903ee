// What C computes has the bits of C++.
#include "beside_cpp.hpp"

#include <gtest/gtest.h>
#include <ridge.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// Numbers without a pattern, the same in all languages.
template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<T>(i * 7919 % 10007) / T(10007);
  return all;
}

template <class T>
constexpr int type_of = sizeof(T) == 4 ? RIDGE_FLOAT : RIDGE_DOUBLE;

class Launcher {
public:
  explicit Launcher(const char* device) {
    EXPECT_EQ(ridge_queue_open(device, &queue_), RIDGE_OK) << ridge_last_error();
  }
  ~Launcher() { EXPECT_EQ(ridge_queue_free(queue_), RIDGE_OK) << ridge_last_error(); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Launches a kernel on one array, and another where it writes; what a reduction gave.
  template <class T>
  double launch(const char* kernel_name, const std::vector<T>& in, std::vector<T>* out,
                const std::vector<int64_t>& shape) {
    ridge_kernel kernel = nullptr;
    ridge_program program = nullptr;
    ridge_field fields[2] = {};
    const int dimensions = static_cast<int>(shape.size());
    EXPECT_EQ(ridge_kernel_find(kernel_name, nullptr, &kernel), RIDGE_OK) << ridge_last_error();
    EXPECT_EQ(ridge_field_wrap(queue_, const_cast<T*>(in.data()), type_of<T>, dimensions,
                               shape.data(), nullptr, &fields[0]),
              RIDGE_OK);
    if (out != nullptr) {
      EXPECT_EQ(ridge_field_wrap(queue_, out->data(), type_of<T>, dimensions, shape.data(), nullptr,
                                 &fields[1]),
                RIDGE_OK);
    }
    EXPECT_EQ(ridge_program_bind(queue_, kernel, fields, out == nullptr ? 1 : 2, nullptr, &program),
              RIDGE_OK)
        << ridge_last_error();
    EXPECT_EQ(ridge_program_run(program), RIDGE_OK) << ridge_last_error();
    double result = 0;
    EXPECT_EQ(ridge_program_results(program, &result, 1, nullptr), RIDGE_OK);
    ridge_program_free(program);
    for (const ridge_field f : fields)
      ridge_field_free(f);
    ridge_kernel_free(kernel);
    return result;
  }

private:
  ridge_queue queue_ = nullptr;
};

template <class T>
void expect_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)), 0);
}

class Bits : public testing::TestWithParam<const char*> {};

TEST_P(Bits, OfStencils) {
  const auto u = numbers<double>(29 * 17 * 13);
  std::vector<double> c(u.size(), -1), cpp(u.size(), -1);
  Launcher(GetParam()).launch("laplacian", u, &c, {29, 17, 13});
  cpp_laplacian(GetParam(), u.data(), cpp.data(), 29, 17, 13);
  expect_same_bits(c, cpp);
  EXPECT_EQ(c[0], -1); // an edge
  EXPECT_NE(c[(5 * 17 + 5) * 29 + 5], -1);
}

TEST_P(Bits, OfStencilsInSinglePrecision) {
  const auto u = numbers<float>(29 * 17 * 13);
  std::vector<float> c(u.size(), -1), cpp(u.size(), -1);
  Launcher(GetParam()).launch("laplacian", u, &c, {29, 17, 13});
  cpp_laplacian_float(GetParam(), u.data(), cpp.data(), 29, 17, 13);
  expect_same_bits(c, cpp);
}

TEST_P(Bits, OfChainsInFiles) {
  const auto u = numbers<double>(101 * 7);
  std::vector<double> c(u.size(), -1), cpp(u.size(), -1);
  Launcher(GetParam()).launch(C_KERNELS ":c_test::Heat", u, &c, {101, 7});
  cpp_heat(GetParam(), u.data(), cpp.data(), 101, 7);
  expect_same_bits(c, cpp);
  EXPECT_NE(c[0], -1);
}

TEST_P(Bits, OfPairs) {
  const auto u = numbers<double>(4 * 103);
  std::vector<double> c(u.size(), -1), cpp(u.size(), -1);
  Launcher(GetParam()).launch("gravity", u, &c, {103, 4});
  cpp_gravity(GetParam(), u.data(), cpp.data(), 103);
  expect_same_bits(c, cpp);
}

TEST_P(Bits, OfReductions) {
  const auto u = numbers<double>(8 * 999);
  const double c =
      Launcher(GetParam()).launch<double>("lattice-sum-reproducible", u, nullptr, {8, 999});
  EXPECT_EQ(c, cpp_sum(GetParam(), u.data(), 8 * 999));
  EXPECT_GT(c, 3000);
}

INSTANTIATE_TEST_SUITE_P(All, Bits, testing::Values("cpu", "simt:32"), [](const auto& of) {
  return std::string(of.param, of.param[0] == 'c' ? 3 : 4);
});

} // namespace
