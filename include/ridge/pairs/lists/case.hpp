// Cases of interactions within a cutoff, by lists of near pairs.
#pragma once

#include <ridge/pairs/case.hpp>
#include <ridge/pairs/lists/check.hpp>
#include <ridge/pairs/lists/count.hpp>
#include <ridge/pairs/lists/near_forces.hpp>

namespace ridge::pairs {

/// An interaction of bodies among themselves, within a cutoff.
template <class I, class P>
struct NearCall {
  Call<I, P> call;
  ListOptions options;
  /// A launch looks first whether the lists still serve, and builds them anew where they do not.
  bool looks = false;
  double unsure = 0; ///< a pair this near to the cutoff may be on either side of it, relatively

  [[nodiscard]] auto lists(Queue& queue, int share = 0) const {
    ListOptions with = options;
    with.share = share;
    const auto& at = call.sources;
    using Stored = typename P::Stored;
    return std::make_shared<Lists<Stored>>(queue, Positions<Stored>{at[0], at[1], at[2]}, with);
  }
};

/// Whether lists can serve an interaction: its first three components are positions.
template <class I>
inline constexpr bool takes_lists =
    positions_of<I>() == 3 && I::targets >= 3 && I::targets <= I::sources;

/// The menu of sums over near pairs.
[[nodiscard]] std::unique_ptr<Menu> near_menu(const ridge::Place& place);
template <class I, class P>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const NearCall<I, P>& /*call*/,
                                            const ridge::Place& place) {
  return near_menu(place);
}
template <class I, class P>
[[nodiscard]] Subject subject_of(const NearCall<I, P>& near, std::string kernel) {
  Subject subject = subject_of(near.call, std::move(kernel));
  subject.site = "within a cutoff"; // nothing that was found for all pairs
  return subject;
}

/// Costs of lists beside sums over them: times of building and of looking whether bodies moved;
/// and of a step of a melt, whose lists last seven steps at a skin of 0.12 of the cutoff.
void add_list_details(Record& record, const std::function<void()>& build,
                      const std::function<void()>& look, Queue& queue, double skin_of_cutoff);

} // namespace ridge::pairs

template <class I, class P>
class ridge::Reference<ridge::pairs::NearCall<I, P>> {
  using Call = pairs::NearCall<I, P>;

public:
  /// Of bodies that may move between launches: nothing is kept of them.
  Reference() = default;
  /// Of a benchmark.
  Reference(Queue& queue, const Call& call, RoofSource& roofs)
      : roofs_(&roofs), asked_(count_interactions(*call.lists(queue))) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& near) {
    return pairs::outputs_of(near.call.sums);
  }
  [[nodiscard]] Program bind(Queue& queue, const Call& near, const AskedSchedule& s,
                             const std::string& name) {
    const auto chosen = pairs::parse_list_schedule(s.text, queue.device());
    lists_.reset(); // its memory first
    lists_ = near.lists(queue, share_of(chosen.schedule));
    const auto sums = std::make_shared<const Program>(queue, pairs::within(*lists_, near.call),
                                                      chosen.schedule, name);
    const auto run = [lists = lists_, sums, looks = near.looks] {
      if (looks) (void)lists->update();
      sums->run();
    };
    return {queue, Bound(run), [lists = lists_, sums] { return sums->record(); }};
  }
  [[nodiscard]] static Check check(Queue& queue, const Call& near) {
    return pairs::check_near_sums(queue, near.call, pairs::bodies_on_host(queue, near.call.sources),
                                  near.options, near.unsure);
  }
  [[nodiscard]] Limit limit(Queue& queue, const Call& near) const {
    if (roofs_ == nullptr)
      return {"issue", "interactions/s",
              static_cast<double>(count_interactions(*near.lists(queue))), 0};
    Limit limit = pairs::limit_of(queue.device(), pairs::traits_of<I, P>(), {1, 1, false}, *roofs_);
    limit.amount = static_cast<double>(asked_);
    return limit;
  }
  void complete(Queue& queue, const Call& near, Record& record, const AskedSchedule& /*schedule*/) {
    if (roofs_ == nullptr) return;
    const pairs::ListOptions& options = near.options;
    record.work.items = asked_;
    record.work.flops = said_flops<I>() * static_cast<double>(asked_);
    record.details.push_back({"cutoff", options.cutoff, {}});
    record.details.push_back({"skin", options.skin, {}});
    record.details.push_back({"asked", static_cast<double>(asked_), {}});
    if (record.timing) {
      record.details.push_back(
          {"bodies_per_second",
           static_cast<double>(near.call.sources[0].size) / record.timing->median.value,
           {}});
    }
    pairs::add_list_details(
        record, [&] { lists_->rebuild(); }, [&] { (void)lists_->update(); }, queue,
        options.skin / options.cutoff);
  }

private:
  RoofSource* roofs_ = nullptr;                             ///< null: amounts have no ceiling
  Index asked_ = 0;                                         ///< interactions within the cutoff
  std::shared_ptr<pairs::Lists<typename P::Stored>> lists_; ///< of the launch bound last
};
