// Every built-in kernel that takes arrays, on every device here: launched through the C interface
// and compared with its reference.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <ridge.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

std::string text_from(const std::function<int(char*, size_t, size_t*)>& ask) {
  size_t length = 0;
  EXPECT_EQ(ask(nullptr, 0, &length), RIDGE_OK) << ridge_last_error();
  std::string text(length + 1, '\0');
  EXPECT_EQ(ask(text.data(), text.size(), nullptr), RIDGE_OK) << ridge_last_error();
  text.pop_back();
  return text;
}

/// Random numbers, as many as a shape has.
template <class T>
std::vector<T> random_numbers(const std::vector<int64_t>& shape, unsigned seed) {
  size_t count = 1;
  for (const int64_t n : shape)
    count *= static_cast<size_t>(n);
  std::mt19937 next(seed);
  std::uniform_real_distribution<double> between(0.5, 1.5);
  std::vector<T> all(count);
  std::generate(all.begin(), all.end(), [&] { return static_cast<T>(between(next)); });
  return all;
}

/// The shapes of a kernel's arrays: of stencils and chains in three dimensions or fewer.
std::vector<std::vector<int64_t>> shapes_of(const nlohmann::json& kernel, int dimensions) {
  const std::string pattern = kernel["pattern"];
  const size_t count = kernel["arrays"].size();
  if (pattern == "lattice") return std::vector<std::vector<int64_t>>(count, {16, 3, 4});
  std::vector<int64_t> all{21, 9, 11};
  const std::string name = kernel["name"];
  if (name.rfind("elements", 0) == 0) { // of 4 x 4 points where the name says no number
    all[0] = all[1] = name.back() == 's' ? 4 : name.back() - '0';
  }
  return std::vector<std::vector<int64_t>>(count, {all.begin(), all.begin() + dimensions});
}

struct Bound {
  ridge_queue queue = nullptr;
  ridge_kernel kernel = nullptr;
  ridge_program program = nullptr;
  std::vector<ridge_field> fields;
  ~Bound() {
    EXPECT_EQ(ridge_program_free(program), RIDGE_OK) << ridge_last_error();
    for (const ridge_field f : fields)
      EXPECT_EQ(ridge_field_free(f), RIDGE_OK) << ridge_last_error();
    EXPECT_EQ(ridge_kernel_free(kernel), RIDGE_OK) << ridge_last_error();
    EXPECT_EQ(ridge_queue_free(queue), RIDGE_OK) << ridge_last_error();
  }
};

/// Whether the kernel runs on arrays of these shapes, right.
template <class T>
bool runs(const std::string& device, const std::string& name,
          const std::vector<std::vector<int64_t>>& shapes) {
  Bound b;
  EXPECT_EQ(ridge_queue_open(device.c_str(), &b.queue), RIDGE_OK) << ridge_last_error();
  EXPECT_EQ(ridge_kernel_find(name.c_str(), nullptr, &b.kernel), RIDGE_OK) << ridge_last_error();
  for (const auto& shape : shapes) {
    const auto seed = static_cast<unsigned>(b.fields.size());
    const std::vector<T> numbers = random_numbers<T>(shape, seed);
    b.fields.push_back(nullptr);
    EXPECT_EQ(ridge_field_new(b.queue, sizeof(T), static_cast<int>(shape.size()), shape.data(),
                              &b.fields.back()),
              RIDGE_OK)
        << ridge_last_error();
    EXPECT_EQ(ridge_field_set(b.fields.back(), numbers.data(), numbers.size() * sizeof(T)),
              RIDGE_OK);
  }
  if (ridge_program_bind(b.queue, b.kernel, b.fields.data(), b.fields.size(), nullptr,
                         &b.program) != RIDGE_OK)
    return false;
  EXPECT_EQ(ridge_program_check(b.program), RIDGE_OK) << device << ": " << ridge_last_error();
  return true;
}

class OnDevice : public testing::TestWithParam<std::string> {};

TEST_P(OnDevice, EveryBuiltInKernelEqualsItsReference) {
  const auto kernels = nlohmann::json::parse(text_from(ridge_kernels));
  int checked = 0;
  for (const auto& kernel : kernels) {
    const std::string name = kernel["name"];
    std::vector<std::vector<std::vector<int64_t>>> tried;
    if (kernel["pattern"] == "pairs") {
      for (int64_t in = 1; in <= 8; ++in)
        for (int64_t out = 1; out <= 4; ++out)
          tried.push_back({{29, in}, {29, out}});
    } else {
      for (int dimensions = 3; dimensions > 0; --dimensions)
        tried.push_back(shapes_of(kernel, dimensions));
    }
    std::string refused;
    const bool fits = std::any_of(tried.begin(), tried.end(), [&](const auto& shapes) {
      const bool ran =
          runs<double>(GetParam(), name, shapes) && runs<float>(GetParam(), name, shapes);
      if (!ran) refused += std::string("\n") + ridge_last_error();
      return ran;
    });
    EXPECT_TRUE(fits) << name << " took none of the arrays:" << refused;
    checked += fits;
  }
  EXPECT_GE(checked, 20);
}

INSTANTIATE_TEST_SUITE_P(All, OnDevice, testing::Values("cpu", "simt:32", "simt:64"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

} // namespace
