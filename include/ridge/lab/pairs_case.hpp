// Cases of the pairs pattern.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/lab/pairs_check.hpp>
#include <ridge/pairs/menu.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ridge::lab {

/// Interactions: what a device computes of them one by one, from its measured rates.
[[nodiscard]] Limit pairs_limit(const Device& device, const pairs::Traits& traits,
                                const pairs::Bodies& bodies, RoofSource& roof);

/// Components of bodies, copied to the host.
template <int N, class Stored>
[[nodiscard]] pairs::HostBodies<N> on_host(Queue& queue,
                                           const std::array<Span<const Stored>, N>& components) {
  pairs::HostBodies<N> bodies;
  for (int c = 0; c < N; ++c) {
    std::vector<Stored> values(static_cast<std::size_t>(components[c].size));
    copy_to_host(queue, values.data(), components[c].data, components[c].size);
    queue.wait();
    bodies[c].assign(values.begin(), values.end());
  }
  return bodies;
}

/// An interaction of bodies that somebody else owns.
template <class I, class P>
class PairsOnSpans : public Case {
public:
  PairsOnSpans(std::string name, Queue& queue, const pairs::Call<I, P>& call, RoofSource& roof)
      : name_(std::move(name)), queue_(queue), call_(call), roof_(roof) {}

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return subject_of(call_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, call_, held<pairs::Schedule>(s), name_};
  }
  void poison() override {
    for (const auto& sum : call_.sums)
      fill_bytes(queue_, sum.data, 0xff, Bytes{sum.size * static_cast<Index>(sizeof(*sum.data))});
  }
  [[nodiscard]] Check check() override {
    return check_sums(queue_, call_, on_host<I::targets>(queue_, call_.targets),
                      on_host<I::sources>(queue_, call_.sources));
  }
  [[nodiscard]] Limit limit() const override {
    return pairs_limit(queue_.device(), traits_, pairs::bodies_of(call_), roof_);
  }

private:
  std::string name_;
  Queue& queue_;
  pairs::Traits traits_ = pairs::traits_of<I, P>();
  pairs::Call<I, P> call_;
  RoofSource& roof_;
};

/// Bodies on a device, on a queue of their own.
template <class I, class P>
struct GivenBodies {
  GivenBodies(const I& interaction, const pairs::HostBodies<I::sources>& host, const Device& device)
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
    call = pairs::among_themselves<I, P>(interaction, spans, spans_of_sums);
  }
  Queue queue;
  std::vector<Field<typename P::Stored>> bodies;
  std::vector<Field<typename P::Summed>> sums;
  pairs::Call<I, P> call;
};

/// An interaction of bodies among themselves.
template <class I, class P>
class PairsCase final : private GivenBodies<I, P>, public PairsOnSpans<I, P> {
public:
  PairsCase(const std::string& name, const I& interaction,
            const pairs::HostBodies<I::sources>& host, const Device& device, RoofSource& roof)
      : GivenBodies<I, P>(interaction, host, device), PairsOnSpans<I, P>(
                                                          name, GivenBodies<I, P>::queue,
                                                          GivenBodies<I, P>::call, roof) {}
};

} // namespace ridge::lab
