// Sources and receivers of a system on its device: their launches, wavelets and traces.
#pragma once

#include <ridge/chain/system/beyond.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/offer.hpp>

#include "parts.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace ridge::chain {

/// Steps that receivers record before they are brought.
inline constexpr Index most_traced = 1024;

/// Those of a system of numbers of one type.
template <class T>
class Probes {
public:
  using Number = NumberOf<T>;
  using Taps = std::vector<ProbeTap<T>>;

  Probes() = default;
  /// `more`: receivers beside those of the setup.
  Probes(Queue& queue, const SystemSetup& setup, std::size_t more)
      : receivers_(setup.receivers.size() + more), capacity_(receivers_ == 0 ? 0 : most_traced) {
    std::size_t length = 0;
    for (const auto& wavelet : setup.wavelets)
      length = std::max(length, wavelet.size());
    std::vector<Number> values;
    for (const SystemSource& source : setup.sources) {
      const std::vector<double>& wavelet = setup.wavelets.at(source.wavelet);
      for (std::size_t i = 0; i < length; ++i)
        values.push_back(static_cast<Number>(i < wavelet.size() ? wavelet[i] : 0));
    }
    length_ = static_cast<Index>(length);
    wavelets_ = OnDevice<Number>(queue, values, "wavelets");
    trace_ = OnDevice<Number>(
        queue, std::vector<Number>(static_cast<std::size_t>(capacity_) * receivers_ + 1), "traces");
  }

  /// Empty where there are no taps.
  [[nodiscard]] Bound bind_sources(Queue& queue, Taps taps, Span<const Index> counter) {
    if (taps.empty()) return {};
    std::stable_sort(taps.begin(), taps.end(), [](const ProbeTap<T>& a, const ProbeTap<T>& b) {
      return a.memory != b.memory ? std::less<>{}(a.memory, b.memory) : a.at < b.at;
    });
    std::vector<int> first;
    for (std::size_t i = 0; i < taps.size(); ++i) {
      if (i == 0 || taps[i].memory != taps[i - 1].memory || taps[i].at != taps[i - 1].at)
        first.push_back(static_cast<int>(i));
    }
    first.push_back(static_cast<int>(taps.size()));
    keep(queue, taps, first, "sources");
    return bind(queue, Sources<T>{taps_.back().values(), first_.back().values(), wavelets_.values(),
                                  length_, counter});
  }
  /// `taps` of each receiver.
  [[nodiscard]] Bound bind_receivers(Queue& queue, const std::vector<Taps>& taps,
                                     Span<Index> counter) {
    Taps all;
    std::vector<int> first{0};
    for (const Taps& one : taps) {
      all.insert(all.end(), one.begin(), one.end());
      first.push_back(static_cast<int>(all.size()));
    }
    keep(queue, all, first, "receivers");
    return bind(queue, Receivers<T>{taps_.back().values(), first_.back().values(), trace_.span(),
                                    capacity_, counter});
  }

  /// Appends the last `steps` values of each receiver to its trace, and adds a number to each.
  void bring(Queue& queue, Index steps, const std::vector<double>& added,
             std::vector<std::vector<double>>& traces) const {
    if (receivers_ == 0) return;
    const auto bytes = [](Index numbers) {
      return Bytes{numbers * static_cast<Index>(sizeof(Number))};
    };
    std::vector<Number> all(receivers_ * static_cast<std::size_t>(steps));
    copy_rows_to_host(queue, all.data(), trace_.data(), bytes(capacity_), bytes(steps),
                      static_cast<Index>(receivers_));
    queue.wait();
    for (std::size_t r = 0; r < receivers_; ++r) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r) * steps;
      std::transform(begin, begin + steps, std::back_inserter(traces[r]),
                     [add = added[r]](Number value) { return static_cast<double>(value) + add; });
    }
  }

private:
  void keep(Queue& queue, const Taps& taps, const std::vector<int>& first, const char* what) {
    taps_.emplace_back(queue, taps, what);
    first_.emplace_back(queue, first, what);
  }
  template <class P>
  [[nodiscard]] static Bound bind(Queue& queue, const P& probes) {
    return offered<BindProbes<P>>(queue.device().kind(), typeid(P))(queue, probes);
  }

  std::size_t receivers_ = 0;
  Index capacity_ = 0; ///< values of each trace
  Index length_ = 0;   ///< of the longest wavelet
  OnDevice<Number> wavelets_, trace_;
  std::vector<OnDevice<ProbeTap<T>>> taps_;
  std::vector<OnDevice<int>> first_;
};

} // namespace ridge::chain
