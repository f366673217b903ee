// Interactions within a cutoff of bodies in arrays that came from another language.
#pragma once

#include <ridge/lab/arrays.hpp>
#include <ridge/lab/near_case.hpp>

namespace ridge::lab {

/// Where a call gives numbers of the lists, after those of the interaction.
inline constexpr std::size_t numbers_of_lists = 5; // cutoff, skin, three lengths

/// The numbers of the lists in a call: an axis of length 0 is open, others are periodic from 0.
[[nodiscard]] inline auto list_options_of(std::span<const double> numbers) {
  using namespace pairs;
  ListOptions options;
  options.cutoff = numbers[0];
  options.skin = numbers[1];
  for (std::size_t a = 0; a < 3; ++a) {
    options.box.length[a] = numbers[2 + a];
    options.box.periodic[a] = numbers[2 + a] != 0;
  }
  return options;
}

/// An interaction within a cutoff of bodies that somebody else owns. A launch looks first whether
/// the lists still serve, and builds them anew where they do not.
template <class I, class P>
class NearOnSpans final : public Case {
  using Stored = typename P::Stored;
  using Call = decltype(pairs::among_themselves<I, P>(I{}, {}, {}));
  using Lists = std::remove_cvref_t<decltype(pairs::Lists<Stored>(
      std::declval<Queue&>(), std::declval<const std::array<Span<const Stored>, 3>&>(), {}))>;
  using Options = std::remove_cvref_t<decltype(std::declval<Lists&>().options())>;

public:
  NearOnSpans(std::string name, Queue& queue, const Call& call, const Options& options)
      : name_(std::move(name)), queue_(queue), call_(call), options_(options) {}

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    Subject subject = subject_of(call_, name_);
    subject.site = "within a cutoff"; // nothing that was found for all pairs
    return subject;
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return near_menu(place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    using namespace pairs;
    const auto chosen = parse_list_schedule(s.text, queue_.device());
    Options options = options_;
    options.share = share_of(chosen.schedule);
    const auto lists = std::make_shared<Lists>(queue_, positions(), options);
    const auto sums =
        std::make_shared<const Program>(queue_, within(*lists, call_), chosen.schedule, name_);
    const auto run = [lists, sums] {
      (void)lists->update();
      sums->run();
    };
    return {queue_, Bound(run), [lists, sums] { return sums->record(); }};
  }
  void poison() override {
    for (const auto& sum : call_.sums)
      fill_bytes(queue_, sum.data, 0xff, Bytes{sum.size * static_cast<Index>(sizeof(*sum.data))});
  }
  [[nodiscard]] Check check() override {
    // A pair this near to the cutoff may be on either side of it, as positions are rounded.
    const double unsure = std::is_same_v<Stored, float> ? 1e-5 : 1e-13;
    return check_near_sums(queue_, call_, on_host<I::sources>(queue_, call_.sources), options_,
                           unsure);
  }
  [[nodiscard]] Limit limit() const override {
    const Lists lists(queue_, positions(), options_);
    return {"issue", "interactions/s", static_cast<double>(count_interactions(lists)), 0};
  }

private:
  [[nodiscard]] std::array<Span<const Stored>, 3> positions() const {
    return {call_.sources[0], call_.sources[1], call_.sources[2]};
  }

  std::string name_;
  Queue& queue_;
  Call call_;
  Options options_;
};

/// `arrays` are bodies and sums, each of components by bodies; the last numbers are those of the
/// lists.
template <class I, class P>
[[nodiscard]] std::unique_ptr<Case> near_on(Queue& queue, const I& interaction,
                                            const Arguments& arguments) {
  check_count(arguments, 2);
  const Array& bodies = arguments.arrays[0];
  const Array& sums = arguments.arrays[1];
  check_components(arguments, bodies, I::sources, "bodies");
  check_components(arguments, sums, I::sums, "sums");
  std::array<Span<const typename P::Stored>, I::sources> sources;
  std::array<Span<typename P::Summed>, I::sums> to;
  for (int c = 0; c < I::sources; ++c)
    sources[c] = row_of<const typename P::Stored>(bodies, c);
  for (int c = 0; c < I::sums; ++c)
    to[c] = row_of<typename P::Summed>(sums, c);
  return std::make_unique<NearOnSpans<I, P>>(
      arguments.kernel, queue, pairs::among_themselves<I, P>(interaction, sources, to),
      list_options_of(arguments.numbers.last(numbers_of_lists)));
}

} // namespace ridge::lab
