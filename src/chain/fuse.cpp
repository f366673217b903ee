#include <ridge/chain/fuse.hpp>

#include <array>
#include <bit>
#include <charconv>

namespace ridge::chain {

namespace {

bool number(std::string_view text, Index& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} && end == text.data() + text.size();
}

/// Takes what stands before `mark`, or all that is left, from the front of `text`.
std::string_view take(std::string_view& text, char mark) {
  const auto end = std::min(text.find(mark), text.size());
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return front;
}

} // namespace

int Fuse::largest() const {
  if (*this == fuse_all || joints == 0) return 0;
  return 65 - std::countl_zero(joints);
}

std::string to_text(const Fuse& fuse) {
  if (fuse == fuse_all) return "all";
  if (fuse == fuse_none) return "none";
  std::string text;
  for (int k = 0; k < 63; ++k) {
    if (!fuse.joins(k)) continue;
    if (k == 0 || !fuse.joins(k - 1)) text += (text.empty() ? "" : ",") + std::to_string(k + 1);
    text += "+" + std::to_string(k + 2);
  }
  return text;
}

bool from_text(std::string_view text, Fuse& fuse) {
  if (text == "all" || text == "none") {
    fuse = text == "all" ? fuse_all : fuse_none;
    return true;
  }
  Fuse read = fuse_none;
  if (text.empty() || text.back() == ',' || text.back() == '+') return false;
  Index last = 0; // of the ranges so far: they follow each other
  while (!text.empty()) {
    std::string_view range = take(text, ',');
    Index before = 0;
    int members = 0;
    while (!range.empty()) {
      Index k = 0;
      if (!number(take(range, '+'), k) || k < 1 || k > 63) return false;
      if (members++ == 0 ? k <= last : k != before + 1) return false;
      if (members > 1) read.joints |= std::uint64_t{1} << (k - 2);
      before = k;
    }
    if (members < 2) return false;
    last = before;
  }
  fuse = read;
  return true;
}

std::string to_text(const TileShape& tile) {
  if (tile == TileShape{}) return "all";
  const auto one = [](Index size) { return size == 0 ? std::string("all") : std::to_string(size); };
  std::string text = one(tile.x) + "x" + one(tile.y) + "x" + one(tile.z);
  for (const Index size : tile.outer) {
    if (size == TileShape::unsaid) break;
    text += "x" + one(size);
  }
  return text;
}

bool from_text(std::string_view text, TileShape& tile) {
  if (text == "all") {
    tile = {};
    return true;
  }
  if (text.empty() || text.back() == 'x') return false;
  constexpr int most = 3 + most_outer;
  constexpr Index unsaid = TileShape::unsaid;
  std::array<Index, most> sizes{1, 1, 1, unsaid, unsaid, unsaid};
  int d = 0;
  for (; !text.empty(); ++d) {
    const std::string_view size = take(text, 'x');
    if (d == most) return false;
    const auto at = static_cast<std::size_t>(d);
    if (size == "all") {
      sizes[at] = 0;
    } else if (!number(size, sizes[at]) || sizes[at] < 1) {
      return false;
    }
  }
  tile = {sizes[0], sizes[1], sizes[2], {sizes[3], sizes[4], sizes[5]}};
  return true;
}

} // namespace ridge::chain
