// What the numbers of a system's state are found to be: odd ones, and how fast they move.
#pragma once

#include <ridge/chain/system/follow.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/device/offer.hpp>

#include "parts.hpp"
#include "probes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace ridge::chain {

/// Of numbers of one type.
template <class T>
class StateValues {
public:
  [[nodiscard]] Index odd_numbers(System::Parts& of) {
    constexpr Index most_lanes = 65536;
    constexpr Index each = 64; // elements of a lane, at least
    if (!odd_) {
      Index most = 1;
      for (const ArrayLayout& at : of.layouts)
        most = std::max(most, std::min(most_lanes, ceil_div(at.elements, each)));
      odd_.emplace(of.queue, std::vector<Index>(static_cast<std::size_t>(most)), "a count");
    }
    const Span<Index> found = odd_->span();
    fill_bytes(of.queue, found.data, 0, Bytes{found.size * static_cast<Index>(sizeof(Index))});
    auto* const bind =
        offered<BindProbes<OddNumbers<T>>>(of.queue.device().kind(), typeid(OddNumbers<T>));
    for (int a = 0; a < of.arrays(); ++a) {
      if (!of.kernel.is_state(a)) continue;
      const Span<T> values(memory(of, a), of.layout(of.memory_of(a, of.parity)).elements);
      bind(of.queue, {values, found}).run();
    }
    std::vector<Index> counts(static_cast<std::size_t>(found.size));
    copy_to_host(of.queue, counts.data(), found.data, found.size);
    of.queue.wait();
    return std::accumulate(counts.begin(), counts.end(), Index{0});
  }

  [[nodiscard]] double fastest_flow(System::Parts& of) {
    constexpr Index most_lanes = 16384;
    constexpr Index each = 64; // elements of a lane, at least
    FastestFlow<T> flow;
    const auto span_of = [&](int a) { // from the first item to the last: arrays lie aside
      const ArrayLayout& at = of.layout(of.memory_of(a, of.parity));
      return Span<T>(memory(of, a) + at.before, (at.points.y - 1) * at.row + at.points.x);
    };
    flow.depth = span_of(0), flow.along_x = span_of(1), flow.along_y = span_of(2);
    for (const SystemNumber& number : of.kernel.numbers) {
      if (number.name == "gravity") flow.gravity = number.value;
      if (number.name == "dry") flow.dry = number.value;
    }
    std::vector<double> speeds(static_cast<std::size_t>(
        std::clamp<Index>(ceil_div(flow.depth.size, each), 1, most_lanes)));
    if (!speeds_) speeds_.emplace(of.queue, speeds, "speeds");
    flow.found = speeds_->span();
    copy_to_device(of.queue, flow.found.data, speeds.data(), flow.found.size);
    offered<BindProbes<FastestFlow<T>>>(of.queue.device().kind(), typeid(FastestFlow<T>))(of.queue,
                                                                                          flow)
        .run();
    copy_to_host(of.queue, speeds.data(), flow.found.data, flow.found.size);
    of.queue.wait();
    const auto odd = std::find_if(speeds.begin(), speeds.end(), [](double v) { return v != v; });
    return odd != speeds.end() ? *odd : *std::max_element(speeds.begin(), speeds.end());
  }

private:
  std::optional<OnDevice<Index>> odd_;
  std::optional<OnDevice<double>> speeds_;

  [[nodiscard]] static T* memory(const System::Parts& of, int a) {
    const auto lies = static_cast<std::size_t>(of.memory_of(a, of.parity));
    return static_cast<T*>(of.memories[lies].data());
  }
};

} // namespace ridge::chain
