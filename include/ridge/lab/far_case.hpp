// Cases of interactions whose far part is summed by proxies.
#pragma once

#include <ridge/lab/pairs_case.hpp>
#include <ridge/lab/pairs_check.hpp>
#include <ridge/pairs/far/reach.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace ridge::lab {

/// The menu of sums by a far field.
[[nodiscard]] std::unique_ptr<Menu> far_menu(const Place& place);
/// A check of sums that were to be off by no more than `asked`, rms.
[[nodiscard]] Check with_far_error(Check check, double rms, double asked);
/// A check where no error was asked for: `most` is what degree and theta may be off, rms.
[[nodiscard]] Check with_far_rms(Check check, double rms, std::optional<double> most);

/// An interaction of bodies among themselves, by a far field. A launch finds the proxies, too.
template <class I, class P>
class FarCase final : public Case {
  using Stored = typename P::Stored;

public:
  FarCase(std::string name, const I& interaction, pairs::HostBodies<I::sources> host,
          const FarRequest& request, const Device& device)
      : name_(std::move(name)), bodies_(interaction, host, device), host_(std::move(host)) {
    asked_ = request.error;
    degree_ = request.degree;
    if (asked_) return; // what it chooses is sound
    options_.theta = request.theta;
    options_.degree = degree_;
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
    if (asked_) options_ = far_choice(*asked_, degree_, P::name);
    options_.leaf = leaf_of(chosen.schedule);
    if (asked_)
      options_ = reach_far_error(queue(), bodies_.call, host_, sample(), *asked_, options_,
                                 chosen.schedule);
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
    Check check = check_sums(queue(), bodies_.call, targets, host_, far_error_at(options_));
    rms_ = far_error(queue(), bodies_.call, host_, sample());
    return asked_ ? with_far_error(std::move(check), rms_, *asked_)
                  : with_far_rms(std::move(check), rms_, far_rms_at(options_));
  }
  void complete(Record& record, const AskedSchedule& /*schedule*/) override {
    if (asked_) record.details.push_back({"error_asked", *asked_, {}});
    record.details.push_back({"error_rms", rms_, {}});
    record.details.push_back({"error_sample", static_cast<double>(sample().size()), {}});
  }
  [[nodiscard]] Limit limit() const override {
    const auto n = static_cast<double>(host_[0].size());
    return {"issue", "interactions/s", n * (n - 1), 0};
  }

private:
  [[nodiscard]] std::vector<Index> sample() const {
    const auto n = static_cast<Index>(host_[0].size());
    std::vector<Index> places = targets_to_compare(n, n);
    constexpr std::size_t most = 1000;
    const std::size_t apart = (places.size() + most - 1) / most;
    for (std::size_t k = 0; k * apart < places.size(); ++k)
      places[k] = places[k * apart];
    places.resize((places.size() + apart - 1) / apart);
    return places;
  }

  std::string name_;
  std::optional<double> asked_; ///< error
  int degree_ = 0;              ///< with it: 0: any
  double rms_ = 0;              ///< error in the last check
  GivenBodies<I, P> bodies_;
  pairs::HostBodies<I::sources> host_;
  std::remove_cvref_t<decltype(std::declval<const pairs::FarField<Stored>&>().options())> options_;
};

} // namespace ridge::lab
