// Cases of the pairs pattern.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/lab/pairs_check.hpp>
#include <ridge/pairs/launch.hpp>
#include <ridge/tune/pairs.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ridge::lab {

/// Schedules of an interaction that `asked` means, as text.
[[nodiscard]] std::vector<AskedSchedule> pairs_schedules(const std::string& asked,
                                                         const Device& device,
                                                         const pairs::Traits& traits,
                                                         const pairs::Bodies& bodies);

/// Interactions: what a device computes of them one by one, from its measured rates.
[[nodiscard]] Limit pairs_limit(const Device& device, const pairs::Traits& traits,
                                const pairs::Bodies& bodies, RoofSource& roof);

/// An interaction of bodies among themselves.
template <class I, class P>
class PairsCase final : public Case {
public:
  PairsCase(std::string name, const I& interaction, pairs::HostBodies<I::sources> bodies,
            const Device& device, RoofSource& roof)
      : name_(std::move(name)), queue_(device), host_(std::move(bodies)) {
    using Stored = typename P::Stored;
    const auto count = static_cast<Index>(host_[0].size());
    std::array<Span<const Stored>, I::sources> spans;
    for (int c = 0; c < I::sources; ++c) {
      sources_.emplace_back(device, Extents{count}, "bodies");
      const std::vector<Stored> values(host_[c].begin(), host_[c].end());
      copy_to_device(queue_, sources_.back().data(), values.data(), count);
      queue_.wait();
      spans[c] = std::as_const(sources_.back()).elements();
    }
    std::array<Span<typename P::Summed>, I::sums> sums;
    for (int c = 0; c < I::sums; ++c) {
      sums_.emplace_back(device, Extents{count}, "sums");
      sums[c] = sums_.back().elements();
    }
    call_ = pairs::among_themselves<I, P>(interaction, spans, sums);
    limit_ = pairs_limit(device, traits_, pairs::bodies_of(call_), roof);
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] tune::Subject subject() const override {
    return tune::Space<pairs::Call<I, P>>::subject(call_, name_);
  }
  [[nodiscard]] std::vector<AskedSchedule> schedules(const std::string& asked) const override {
    return pairs_schedules(asked, queue_.device(), traits_, pairs::bodies_of(call_));
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    const auto chosen =
        pairs::parse_schedule(s.text, queue_.device(), traits_, pairs::bodies_of(call_));
    return {queue_, call_, chosen.schedule, name_};
  }
  void poison() override {
    for (const auto& sum : call_.sums)
      fill_bytes(queue_, sum.data, 0xff, Bytes{sum.size * static_cast<Index>(sizeof(*sum.data))});
  }
  [[nodiscard]] Check check() override {
    pairs::HostBodies<I::targets> targets;
    std::copy_n(host_.begin(), I::targets, targets.begin());
    return check_sums(queue_, call_, targets, host_);
  }
  [[nodiscard]] Limit limit() const override { return limit_; }

private:
  std::string name_;
  Queue queue_;
  pairs::HostBodies<I::sources> host_;
  pairs::Traits traits_ = pairs::traits_of<I, P>();
  std::vector<Field<typename P::Stored>> sources_;
  std::vector<Field<typename P::Summed>> sums_;
  pairs::Call<I, P> call_;
  Limit limit_;
};

} // namespace ridge::lab
