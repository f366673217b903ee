#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/lists/lists.hpp>

#include "../../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>

namespace ridge::pairs {

namespace {

/// Half of a period, to six digits that are not above it: a user who gives them is not refused.
std::string most_reach(double length) {
  const double unit = std::pow(10.0, std::floor(std::log10(length / 2)) - 5);
  for (double digits = std::round(length / 2 / unit);; --digits) {
    std::string text = fmt::format("{:g}", digits * unit);
    if (2 * std::stod(text) <= length) return text;
  }
}

void require_sound(const ListOptions& o) {
  refuse_if(!(o.cutoff > 0) || !std::isfinite(o.cutoff),
            "cutoff {:g}: it must be positive and finite", o.cutoff);
  refuse_if(!(o.skin >= 0) || !std::isfinite(o.skin),
            "skin {:g}: it must be 0 or positive, and finite", o.skin);
  const double reach = o.cutoff + o.skin; // squared in float where bodies are sorted
  refuse_if(reach < 1e-15 || reach > 1e14,
            "cutoff {:g} and skin {:g} together are to be from 1e-15 to 1e14; choose another unit "
            "of length",
            o.cutoff, o.skin);
  refuse_if(o.part < 0 || o.part >= o.parts, "part {} of {} parts: parts count from 0", o.part,
            o.parts);
  for (std::size_t a = 0; a < 3; ++a) {
    const double length = o.box.length[a];
    refuse_if(!std::isfinite(length) || length < 0 || !std::isfinite(o.box.low[a]),
              "the box is {:g} long along {}; it must be positive, or 0 along an open axis", length,
              "xyz"[a]);
    if (!o.box.periodic[a]) continue;
    refuse_if(length == 0, "the period along {} is 0", "xyz"[a]);
    refuse_if(2 * (o.cutoff + o.skin) > length,
              "cutoff {:g} and skin {:g} together are more than half of the period {:g} along {}: "
              "a body would meet two images of another; {} together is possible, or a larger box",
              o.cutoff, o.skin, length, "xyz"[a], most_reach(length));
  }
}

/// An image is a period away: where that rounds a position by more than the cutoff, all sums are
/// wrong.
template <class T>
void require_held(const ListOptions& o) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double rounded = o.box.length[a] * std::numeric_limits<T>::epsilon();
    if (!o.box.periodic[a] || rounded <= o.cutoff) continue;
    throw UsageError(fmt::format(
        "the period {:g} along {} is too long for the cutoff {:g}: {} rounds positions there by "
        "{:g}; give a shorter period, or an open axis",
        o.box.length[a], "xyz"[a], o.cutoff, sizeof(T) == 4 ? "fp32" : "fp64", rounded));
  }
}

template <class T>
void require_sound(const Positions<T>& positions) {
  for (std::size_t a = 0; a < 3; ++a) {
    refuse_if(positions[a].size != positions[0].size,
              "{} has {} values and x has {}; each body has one", "xyz"[a], positions[a].size,
              positions[0].size);
  }
  if (positions[0].size < 1) throw UsageError("there are no bodies");
  refuse_if(positions[0].size >= Index{1} << 31, "{} bodies; lists take fewer than 2^31",
            positions[0].size);
}

template <class T>
std::vector<T> on_host(Queue& queue, const Span<const T>& span) {
  std::vector<T> values(static_cast<std::size_t>(span.size));
  if (span.size > 0) copy_to_host(queue, values.data(), span.data, span.size);
  queue.wait();
  return values;
}

void require_room(std::size_t pairs) {
  const Bytes needed{static_cast<Index>(pairs * sizeof(NearPair))};
  const Bytes free = Device("cpu").free_memory();
  if (needed.value <= free.value) return;
  throw Failure(fmt::format("near pairs need at least {} of the host's memory, of which {} are "
                            "free; give a smaller cutoff, or bodies that crowd less",
                            to_text(needed), to_text(free)));
}

/// Calls `work`. Memory that is free may still be refused: where it lies in pieces, or another
/// thread has just taken it.
template <class Work>
decltype(auto) within_memory(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw Failure(fmt::format("near pairs need more of the host's memory, of which {} are free; "
                              "give a smaller cutoff, or bodies that crowd less",
                              to_text(Device("cpu").free_memory())));
  }
}

/// Entries that are looked at, or pairs, in a fraction of a second.
constexpr std::size_t piece = 1 << 20;

/// Pairs as they are found, in pieces: no copy of many is made where they grow.
using Found = std::vector<std::vector<NearPair>>;

/// Adds one. The system promises more memory than it has, and would end the process later.
void add(Found& found, const NearPair& pair) {
  if (found.empty() || found.back().size() == piece) {
    require_room(piece);
    const bool is_first = found.empty();
    found.emplace_back();
    if (!is_first) found.back().reserve(piece); // else it grows, and needs half as much again
  }
  found.back().push_back(pair);
}

/// Pairs by their bodies. First into the rows of their first ones, which are short. `between` is
/// called between pieces of each pass over them.
std::vector<NearPair> in_order(Found found, Index bodies, const std::function<void()>& between) {
  std::vector<std::size_t> next(static_cast<std::size_t>(bodies) + 1);
  std::size_t count = 0;
  for (const auto& pairs : found) {
    between();
    for (const NearPair& pair : pairs)
      ++next[static_cast<std::size_t>(pair.first) + 1];
    count += pairs.size();
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  require_room(count);
  std::vector<NearPair> sorted;
  sorted.reserve(count);
  for (const auto& pairs : found) { // zeros, which touch the memory
    between();
    sorted.resize(sorted.size() + pairs.size());
  }
  for (auto& pairs : found) {
    between();
    for (const NearPair& pair : pairs)
      sorted[next[static_cast<std::size_t>(pair.first)]++] = pair;
    pairs = {};
  }
  std::size_t begin = 0;
  std::size_t told = 0;
  for (const std::size_t end : next) { // each row's, now; the last is all
    if (end - told > piece) {
      between();
      told = end;
    }
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
              sorted.begin() + static_cast<std::ptrdiff_t>(end),
              [](const NearPair& a, const NearPair& b) { return a.second < b.second; });
    begin = end;
  }
  return sorted;
}

/// Calls `take(group, slot)` for each entry of each list.
template <class Take>
void for_each_entry(Queue& queue, const ListData& data, const Take& take) {
  if (data.first_slot == data.end_slot) return;
  const auto entries = on_host(queue, data.entries);
  const Index first_group = data.first_slot / data.share;
  if (data.first.size > 0) {
    const auto first = on_host(queue, data.first);
    for (std::size_t g = 0; g + 1 < first.size(); ++g) {
      for (Index e = first[g]; e < first[g + 1]; ++e)
        take(first_group + static_cast<Index>(g), entries[static_cast<std::size_t>(e)]);
    }
    return;
  }
  const auto counts = on_host(queue, data.row_counts);
  const auto begins = on_host(queue, data.row_begins);
  const Index width = queue.device().facts().warp_width;
  const Index row = 4 * width;
  const Index most = data.entries.size / (row * data.row_counts.size);
  for (std::size_t w = 0; w < counts.size(); ++w) {
    const auto warp = static_cast<Index>(w);
    const Index begin = row * (begins.empty() ? warp * most : Index{begins[w]});
    for (Index e = 0; e < row * counts[w]; ++e)
      take(first_group + warp / data.ways * width + e / 4 % width,
           entries[static_cast<std::size_t>(begin + e)]);
  }
}

template <class T>
std::vector<NearPair> near_pairs(Queue& queue, const ListData& d, const Positions<T>& positions,
                                 const ListOptions& options, const std::function<void()>& between) {
  const auto body = on_host(queue, d.body);
  const auto shift = on_host(queue, d.shift);
  const std::array<std::vector<T>, 3> at{on_host(queue, positions[0]), on_host(queue, positions[1]),
                                         on_host(queue, positions[2])};
  constexpr std::size_t most = 16; // of a group
  std::array<std::array<double, most>, 3> own{}, own_periods{};
  std::array<Index, most> own_body{};
  std::size_t count = 0;
  Index group_here = -1;
  const auto visit = [&](Index group) {
    if (group == group_here) return;
    group_here = group;
    count = 0;
    for (Index a = group * d.share; a < std::min((group + 1) * d.share, d.bodies); ++a, ++count) {
      const auto slot = static_cast<std::size_t>(a);
      own_body[count] = body[slot];
      for (std::size_t c = 0; c < 3; ++c) {
        own[c][count] = static_cast<double>(at[c][body[slot]]);
        own_periods[c][count] = shift_of(shift[slot], static_cast<int>(c));
      }
    }
  };
  Found found;
  const double limit = options.cutoff * options.cutoff;
  std::size_t looked = 0;
  const auto look = [&](Index slot) { // with each body of the group
    if (++looked % piece == 0) between();
    const Index j = body[static_cast<std::size_t>(slot)];
    std::array<double, most> squared{};
    for (std::size_t c = 0; c < 3; ++c) {
      const auto to = static_cast<double>(at[c][j]);
      const double periods = shift_of(shift[static_cast<std::size_t>(slot)], static_cast<int>(c));
      for (std::size_t k = 0; k < count; ++k) {
        const double d_c = own[c][k] - to + (own_periods[c][k] - periods) * d.length[c];
        squared[k] += d_c * d_c;
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (squared[k] < limit && own_body[k] < j)
        add(found, {own_body[k], j, std::sqrt(squared[k])});
    }
  };
  for (Index a = d.first_slot; a < d.end_slot; ++a) { // within a group
    visit(a / d.share);
    look(a);
  }
  for_each_entry(queue, d, [&](Index group, unsigned slot) {
    if (slot >= d.slots) return; // fills a row
    visit(group);
    look(slot);
  });
  return in_order(std::move(found), d.bodies, between);
}

} // namespace

template <class T>
Lists<T>::Lists(Queue& queue, const Positions<T>& positions, const ListOptions& options)
    : queue_(&queue), positions_(positions), options_(options) {
  require_sound(options);
  require_held<T>(options);
  require_sound(positions);
  engine_ = offered<MakeListEngine<T>>(queue.device().kind(),
                                       typeid(ListEngine<T>))(queue, positions, options);
  rebuild();
}

template <class T>
ListEngine<T>& Lists<T>::engine() const {
  if (engine_ == nullptr) throw UsageError("these lists of near pairs were moved to others");
  return *engine_;
}

template <class T>
bool Lists<T>::update() {
  if (!has_moved()) return false;
  rebuild();
  return true;
}

template <class T>
void Lists<T>::rebuild() {
  rebuild_of(positions_);
}

template <class T>
void Lists<T>::rebuild_of(const Positions<T>& positions) {
  is_built_ = false; // until nothing has thrown
  within_memory([&] { engine().build_of(positions); });
  is_built_ = true;
}

template <class T>
std::vector<NearPair> Lists<T>::pairs(const std::function<void()>& between) const {
  return within_memory([&] {
    return near_pairs(
        *queue_, data(), positions_, options_, between ? between : [] {});
  });
}

template class Lists<float>;
template class Lists<double>;

} // namespace ridge::pairs
