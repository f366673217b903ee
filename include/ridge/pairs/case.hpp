// Cases of interactions: what their sums should be, and how fast they can be.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/pairs/check.hpp>
#include <ridge/pairs/menu.hpp>
#include <ridge/pattern/call_case.hpp>
#include <ridge/record/roof_source.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ridge::pairs {

/// Interactions: what a device computes of them one by one, from its measured rates.
[[nodiscard]] Limit limit_of(const Device& device, const Traits& traits, const Bodies& bodies,
                             RoofSource& roof);

/// The memory of sums.
template <class T, std::size_t N>
[[nodiscard]] std::vector<Output> outputs_of(const std::array<Span<T>, N>& sums) {
  std::vector<Output> all;
  for (const Span<T>& sum : sums)
    all.push_back({sum.data, Bytes{sum.size * static_cast<Index>(sizeof(T))}});
  return all;
}

/// Bodies on a device, on a queue of their own, and a call among themselves.
template <class I, class P>
struct OwnBodies {
  OwnBodies(const I& interaction, const HostBodies<I::sources>& host, const Device& device)
      : queue(device) {
    using Stored = typename P::Stored;
    const auto count = static_cast<Index>(host[0].size());
    std::array<Span<const Stored>, I::sources> spans;
    for (int c = 0; c < I::sources; ++c) {
      bodies.emplace_back(device, Extents{count}, "bodies");
      const std::vector<Stored> values(host[c].begin(), host[c].end());
      copy_to_device(queue, bodies.back().data(), values.data(), count);
      queue.wait();
      spans[c] = std::as_const(bodies.back()).elements();
    }
    std::array<Span<typename P::Summed>, I::sums> spans_of_sums;
    for (int c = 0; c < I::sums; ++c) {
      sums.emplace_back(device, Extents{count}, "sums");
      spans_of_sums[c] = sums.back().elements();
    }
    call = among_themselves<I, P>(interaction, spans, spans_of_sums);
  }
  Queue queue;
  std::vector<Field<typename P::Stored>> bodies;
  std::vector<Field<typename P::Summed>> sums;
  Call<I, P> call;
};

} // namespace ridge::pairs

// The library has it, so that no description of an interaction compiles it again.
extern template ridge::pairs::Schedule ridge::text::parse_held(std::string_view, bool);

template <class I, class P>
class ridge::Reference<ridge::pairs::Call<I, P>> {
  using Call = pairs::Call<I, P>;

public:
  Reference(RoofSource& roofs) : roofs_(roofs) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    return pairs::outputs_of(call.sums);
  }
  [[nodiscard]] static Check check(Queue& queue, const Call& call) {
    return pairs::check_sums(queue, call, pairs::bodies_on_host(queue, call.targets),
                             pairs::bodies_on_host(queue, call.sources));
  }
  [[nodiscard]] Limit limit(Queue& queue, const Call& call) const {
    return pairs::limit_of(queue.device(), pairs::traits_of<I, P>(), pairs::bodies_of(call),
                           roofs_);
  }

private:
  RoofSource& roofs_;
};
