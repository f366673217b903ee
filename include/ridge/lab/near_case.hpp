// Cases of interactions within a cutoff, by lists of near pairs.
#pragma once

#include <ridge/lab/near_check.hpp>
#include <ridge/lab/pairs_case.hpp>
#include <ridge/pairs/lists/count.hpp>
#include <ridge/pairs/lists/launch.hpp>

#include <optional>

namespace ridge::lab {

/// The menu of sums over near pairs.
[[nodiscard]] std::unique_ptr<Menu> near_menu(const Place& place);

/// The lists' cutoff, skin and box, of a size that numbers in float hold exactly. `positions` are
/// spread over the box: from a unit cube, -1 to 1, or wherever they are; and rounded so that a
/// cutoff takes the same pairs in any precision.
[[nodiscard]] pairs::ListOptions spread(const std::array<std::vector<double>*, 3>& positions,
                                        const NearRequest& request);

/// Costs of lists beside sums over them: times of building and of looking whether bodies moved;
/// and of a step of a melt, whose lists last seven steps at a skin of 0.12 of the cutoff.
void add_list_details(Record& record, const std::function<void()>& build,
                      const std::function<void()>& look, Queue& queue, double skin_of_cutoff);

/// Whether lists can serve an interaction: its first three components are positions.
template <class I>
inline constexpr bool
    takes_lists = pairs::positions_of<I>() == 3 && I::targets >= 3 && I::targets <= I::sources;

/// An interaction of bodies among themselves, within a cutoff.
template <class I, class P>
class NearCase final : public Case {
  using Stored = typename P::Stored;
  using Lists = pairs::Lists<Stored>;

public:
  NearCase(std::string name, I interaction, pairs::HostBodies<I::sources> host,
           const NearRequest& request, const Device& device, RoofSource& roof)
      : name_(std::move(name)), roof_(roof),
        options_(spread({&host[0], &host[1], &host[2]}, request)),
        bodies_(with_cutoff(interaction, request.cutoff), host, device), host_(std::move(host)) {
    build(0);
    asked_ = pairs::count_interactions(*lists_);
  }

  [[nodiscard]] Queue& queue() override { return bodies_.queue; }
  [[nodiscard]] Subject subject() const override {
    Subject subject = pairs::subject_of(bodies_.call, name_);
    subject.site = "within a cutoff"; // nothing that was found for all pairs
    return subject;
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return near_menu(place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    const auto chosen = pairs::parse_list_schedule(s.text, queue().device());
    build(share_of(chosen.schedule));
    return {queue(), pairs::within(*lists_, bodies_.call), chosen.schedule, name_};
  }
  void poison() override {
    for (const auto& sum : bodies_.call.sums)
      fill_bytes(queue(), sum.data, 0xff, Bytes{sum.size * static_cast<Index>(sizeof(*sum.data))});
  }
  [[nodiscard]] Check check() override {
    return check_near_sums(queue(), bodies_.call, host_, options_);
  }
  [[nodiscard]] Limit limit() const override {
    Limit limit =
        pairs_limit(bodies_.queue.device(), pairs::traits_of<I, P>(), {1, 1, false}, roof_);
    limit.amount = static_cast<double>(asked_);
    return limit;
  }
  void complete(Record& record, const AskedSchedule& /*schedule*/) override {
    record.work.items = asked_;
    record.work.flops = said_flops<I>() * static_cast<double>(asked_);
    record.details.push_back({"cutoff", options_.cutoff, {}});
    record.details.push_back({"skin", options_.skin, {}});
    record.details.push_back({"asked", static_cast<double>(asked_), {}});
    if (record.timing) {
      record.details.push_back({"bodies_per_second",
                                static_cast<double>(host_[0].size()) / record.timing->median.value,
                                {}});
    }
    add_list_details(
        record, [&] { lists_->rebuild(); }, [&] { (void)lists_->update(); }, queue(),
        options_.skin / options_.cutoff);
  }

private:
  void build(int share) {
    pairs::ListOptions options = options_;
    options.share = share;
    lists_.reset(); // its memory first
    const auto& at = bodies_.call.sources;
    lists_.emplace(queue(), pairs::Positions<Stored>{at[0], at[1], at[2]}, options);
  }
  static I with_cutoff(I interaction, double cutoff) {
    if constexpr (pairs::cuts_itself<I>) {
      using Number = std::remove_cvref_t<decltype(interaction.cutoff_squared)>;
      interaction.cutoff_squared = static_cast<Number>(cutoff * cutoff);
    }
    return interaction;
  }

  std::string name_;
  RoofSource& roof_;
  pairs::ListOptions options_;
  GivenBodies<I, P> bodies_;
  pairs::HostBodies<I::sources> host_;
  std::optional<Lists> lists_;
  Index asked_ = 0; ///< interactions within the cutoff
};

} // namespace ridge::lab
