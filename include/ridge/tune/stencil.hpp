// Tuning of stencils.
#pragma once

#include <ridge/launch/type_text.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/tune/automatic.hpp>
#include <ridge/tune/stencil_cost.hpp>

template <class K, class T>
struct ridge::tune::Space<ridge::stencil::Call<K, T>> {
  using Call = stencil::Call<K, T>;
  using Schedule = stencil::Schedule;
  static constexpr std::string_view pattern = "stencil";

  [[nodiscard]] static Subject subject(const Call& call, std::string kernel) {
    const Index3 n = call.out.extents;
    return {&typeid(Call), kernel.empty() ? launch::type_text<K>() : std::move(kernel),
            sizeof(T) == 4 ? "fp32" : "fp64", Extents{n.x, n.y, n.z}};
  }
  [[nodiscard]] static std::vector<Schedule> all(const Device& device, const Call& /*call*/) {
    return stencil::schedule_space(device, stencil::traits_of<K, T>());
  }
  [[nodiscard]] static Schedule parse(const std::string& text, const Device& device,
                                      const Call& call) {
    return stencil::parse_schedule(text, device, stencil::traits_of<K, T>(), call.out.extents,
                                   stencil::Strides::of(call.out))
        .schedule;
  }
  [[nodiscard]] static std::optional<double> cost(const Device& device, const Call& /*call*/,
                                                  const std::string& schedule,
                                                  const Extents& size) {
    return stencil_cost(device, stencil::traits_of<K, T>(), schedule, size);
  }
};
