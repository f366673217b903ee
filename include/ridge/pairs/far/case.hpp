// Cases of interactions whose far part is summed by proxies.
#pragma once

#include <ridge/pairs/case.hpp>
#include <ridge/pairs/far/reach.hpp>

#include <optional>

namespace ridge::pairs {

/// An interaction of bodies among themselves, by a far field.
template <class I, class P>
struct FarCall {
  Call<I, P> call;
  FarOptions options;               ///< where no error is asked for
  std::optional<double> asked = {}; ///< error
  int degree = 0;                   ///< that goes with it; 0: any
};

/// The menu of sums by a far field.
[[nodiscard]] std::unique_ptr<Menu> far_menu(const ridge::Place& place);
template <class I, class P>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const FarCall<I, P>& /*call*/,
                                            const ridge::Place& place) {
  return far_menu(place);
}
template <class I, class P>
[[nodiscard]] Subject subject_of(const FarCall<I, P>& far, std::string kernel) {
  Subject subject = subject_of(far.call, std::move(kernel));
  subject.site = "by a far field"; // nothing that was found for all pairs
  return subject;
}

/// A check of sums that were to be off by no more than `asked`, rms.
[[nodiscard]] Check with_far_error(Check check, double rms, double asked);
/// A check where no error was asked for: `most` is what degree and theta may be off, rms.
[[nodiscard]] Check with_far_rms(Check check, double rms, std::optional<double> most);

/// Targets of `count` whose errors are looked at: a thousand at most.
[[nodiscard]] std::vector<Index> far_sample(Index count);

} // namespace ridge::pairs

/// A launch finds the proxies, too.
template <class I, class P>
class ridge::Reference<ridge::pairs::FarCall<I, P>> {
  using Call = pairs::FarCall<I, P>;

public:
  /// `host` has the bodies.
  Reference(pairs::HostBodies<I::sources> host)
      : host_(std::move(host)), sample_(pairs::far_sample(static_cast<Index>(host_[0].size()))) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& far) {
    return pairs::outputs_of(far.call.sums);
  }
  [[nodiscard]] Program bind(Queue& queue, const Call& far, const AskedSchedule& s,
                             const std::string& name) {
    const auto chosen = pairs::parse_far_schedule(s.text, queue.device());
    options_ = far.asked ? pairs::far_choice(*far.asked, far.degree, P::name) : far.options;
    options_.leaf = leaf_of(chosen.schedule);
    if (far.asked)
      options_ =
          reach_far_error(queue, far.call, host_, sample_, *far.asked, options_, chosen.schedule);
    const auto field =
        std::make_shared<pairs::FarField<typename P::Stored>>(queue, far.call.sources, options_);
    field->update();
    const auto sums = std::make_shared<const Program>(queue, pairs::afar(*field, far.call),
                                                      chosen.schedule, name);
    const auto run = [field, sums] {
      field->update();
      sums->run();
    };
    return {queue, Bound(run), [field, sums] { return sums->record(); }};
  }
  [[nodiscard]] Check check(Queue& queue, const Call& far) {
    Check check = pairs::check_sums(queue, far.call, pairs::bodies_on_host(queue, far.call.targets),
                                    host_, far_error_at(options_));
    rms_ = far_error(queue, far.call, host_, sample_);
    return far.asked ? pairs::with_far_error(std::move(check), rms_, *far.asked)
                     : pairs::with_far_rms(std::move(check), rms_, far_rms_at(options_));
  }
  [[nodiscard]] static Limit limit(Queue& /*queue*/, const Call& far) {
    const auto n = static_cast<double>(far.call.sources[0].size);
    return {"issue", "interactions/s", n * (n - 1), 0};
  }
  void complete(Queue& /*queue*/, const Call& far, Record& record,
                const AskedSchedule& /*schedule*/) const {
    if (far.asked) record.details.push_back({"error_asked", *far.asked, {}});
    record.details.push_back({"error_rms", rms_, {}});
    record.details.push_back({"error_sample", static_cast<double>(sample_.size()), {}});
  }

private:
  pairs::HostBodies<I::sources> host_;
  std::vector<Index> sample_;
  pairs::FarOptions options_; ///< of the launch bound last
  double rms_ = 0;            ///< error in the last check
};
