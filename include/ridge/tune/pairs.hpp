// Tuning of interactions of pairs.
#pragma once

#include <ridge/pairs/launch.hpp>
#include <ridge/tune/automatic.hpp>

template <class I, class P>
struct ridge::tune::Space<ridge::pairs::Call<I, P>> {
  using Call = pairs::Call<I, P>;
  using Schedule = pairs::Schedule;
  static constexpr std::string_view pattern = "pairs";

  /// The size is the number of bodies; where targets are not the sources, of both.
  [[nodiscard]] static Subject subject(const Call& call, std::string kernel) {
    const pairs::Bodies bodies = pairs::bodies_of(call);
    return {&typeid(Call), kernel.empty() ? launch::type_text<I>() : std::move(kernel),
            pairs::traits_of<I, P>().precision,
            bodies.same ? Extents{bodies.targets} : Extents{bodies.targets, bodies.sources}};
  }
  [[nodiscard]] static std::vector<Schedule> all(const Device& device, const Call& call) {
    return pairs::schedule_space(device, pairs::traits_of<I, P>(), pairs::bodies_of(call));
  }
  [[nodiscard]] static Schedule parse(const std::string& text, const Device& device,
                                      const Call& call) {
    return pairs::parse_schedule(text, device, pairs::traits_of<I, P>(), pairs::bodies_of(call))
        .schedule;
  }
};
