// Cases of interactions whose far part is summed by proxies.
#pragma once

#include <ridge/lab/pairs_case.hpp>
#include <ridge/pairs/far/launch.hpp>

#include <optional>

namespace ridge::lab {

/// The menu of sums by a far field.
[[nodiscard]] std::unique_ptr<Menu> far_menu(const Place& place);

/// An interaction of bodies among themselves, by a far field. A launch finds the proxies, too.
template <class I, class P>
class FarCase final : public Case {
  using Stored = typename P::Stored;

public:
  FarCase(std::string name, const I& interaction, pairs::HostBodies<I::sources> host,
          const FarRequest& request, const Device& device)
      : name_(std::move(name)), bodies_(interaction, host, device), host_(std::move(host)) {
    options_.theta = request.theta;
    options_.degree = request.degree;
    require_sound(options_);
  }

  [[nodiscard]] Queue& queue() override { return bodies_.queue; }
  [[nodiscard]] Subject subject() const override {
    Subject subject = subject_of(bodies_.call, name_);
    subject.site = "by a far field"; // nothing that was found for all pairs
    return subject;
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return far_menu(place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    using namespace pairs;
    const auto chosen = parse_far_schedule(s.text, queue().device());
    options_.leaf = leaf_of(chosen.schedule);
    const auto field = std::make_shared<FarField<Stored>>(queue(), bodies_.call.sources, options_);
    field->update();
    const auto sums = std::make_shared<const Program>(queue(), afar(*field, bodies_.call),
                                                      chosen.schedule, name_);
    const auto run = [field, sums] {
      field->update();
      sums->run();
    };
    return {queue(), Bound(run), [field, sums] { return sums->record(); }};
  }
  void poison() override {
    for (const auto& sum : bodies_.call.sums)
      fill_bytes(queue(), sum.data, 0xff, Bytes{sum.size * static_cast<Index>(sizeof(*sum.data))});
  }
  [[nodiscard]] Check check() override {
    const auto targets = on_host<I::targets>(queue(), bodies_.call.targets);
    return check_sums(queue(), bodies_.call, targets, host_, far_error_at(options_));
  }
  [[nodiscard]] Limit limit() const override {
    const auto n = static_cast<double>(host_[0].size());
    return {"issue", "interactions/s", n * (n - 1), 0};
  }

private:
  std::string name_;
  GivenBodies<I, P> bodies_;
  pairs::HostBodies<I::sources> host_;
  std::remove_cvref_t<decltype(std::declval<const pairs::FarField<Stored>&>().options())> options_;
};

} // namespace ridge::lab
