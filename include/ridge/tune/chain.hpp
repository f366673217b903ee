// Tuning of chains.
#pragma once

#include <ridge/chain/launch.hpp>
#include <ridge/tune/automatic.hpp>

template <class C, class T>
struct ridge::tune::Space<ridge::chain::Request<C, T>> {
  using Call = chain::Request<C, T>;
  using Schedule = chain::Schedule;
  static constexpr std::string_view pattern = "chain";

  [[nodiscard]] static Subject subject(const Call& call, std::string kernel) {
    const Index3 n = call.extents;
    return {&typeid(chain::Call<C, T>), kernel.empty() ? launch::type_text<C>() : std::move(kernel),
            sizeof(T) == 4 ? "fp32" : "fp64", Extents{n.x, n.y, n.z}};
  }
  [[nodiscard]] static std::vector<Schedule> all(const Device& device, const Call& call) {
    return chain::schedule_space(device, chain::describe<C, T>(), call.extents);
  }
  [[nodiscard]] static Schedule parse(const std::string& text, const Device& device,
                                      const Call& call) {
    return chain::parse_schedule(text, device, chain::describe<C, T>(), call.extents).schedule;
  }
};
