#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/core/size_range.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ridge {

namespace {
constexpr Index largest_count = Index{1} << 62;
}

Extents::Extents(std::initializer_list<Index> sizes)
    : Extents(sizes.begin(), static_cast<int>(sizes.size())) {}

Extents::Extents(const Index* sizes, int rank) : rank_(rank) {
  refuse_if(rank < 1 || rank > max_rank, "a field has 1 to {} dimensions, not {}", max_rank, rank);
  for (int d = 0; d < rank; ++d)
    sizes_[d] = sizes[d];
  check();
}

void Extents::check() const {
  Index product = 1;
  for (int d = 0; d < rank_; ++d) {
    if (sizes_[d] < 1) {
      throw UsageError(fmt::format("extent {} of {} is below 1", sizes_[d], to_text(*this)));
    }
    if (sizes_[d] > largest_count / product) {
      throw UsageError(fmt::format("{} has more than 2^62 points", to_text(*this)));
    }
    product *= sizes_[d];
  }
}

Index Extents::count() const {
  Index product = rank_ > 0 ? 1 : 0;
  for (int d = 0; d < rank_; ++d)
    product *= sizes_[d];
  return product;
}

std::string to_text(const Extents& extents) {
  std::string text;
  for (int d = 0; d < extents.rank(); ++d) {
    text += fmt::format("{}{}", d > 0 ? "x" : "", extents[d]);
  }
  return text;
}

Extents parse_extents(std::string_view text, std::string_view what) {
  refuse_if(is_size_range(text), "{} '{}' is a range of sizes; one size is expected here", what,
            text);
  std::array<Index, max_rank> sizes{};
  int rank = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    Index value = 0;
    const auto [next, status] = std::from_chars(at, end, value);
    if (status == std::errc::result_out_of_range) {
      throw UsageError(fmt::format("{} '{}': {} does not fit in 64 bits", what, text,
                                   std::string_view(at, static_cast<std::size_t>(next - at))));
    }
    refuse_if(status != std::errc{} || rank == max_rank,
              "{} '{}' is not of the form NX, NXxNY or NXxNYxNZ (1 to {} positive integers)", what,
              text, max_rank);
    sizes[rank++] = value;
    if (next == end) return Extents(sizes.data(), rank);
    refuse_if(*next != 'x', "{} '{}' is not of the form NX, NXxNY or NXxNYxNZ", what, text);
    at = next + 1;
  }
}

} // namespace ridge
