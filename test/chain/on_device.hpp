// A chain of a test on a device, under every schedule.
#pragma once

#include <ridge/chain/launch.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace ridge::chain::test {

/// What `f` is refused with; empty where it is not.
template <class F>
std::string refusal_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A chain on a device with its arrays, and what it writes to the one array that is an output.
template <class C, class T>
class OnDevice {
public:
  using Numbers = std::array<std::vector<double>, arrays_of<C>>;

  OnDevice(const std::string& device, const Range& n, const Numbers& given)
      : device_(device), queue_(device_), n_(n) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (make<I>(given), ...);
    }
    (std::make_integer_sequence<int, arrays_of<C>>{});
  }

  std::vector<T> under(const Schedule& schedule) {
    fill_bytes(queue_, out().data(), 0xff, Bytes{out().count() * static_cast<Index>(sizeof(T))});
    Program(queue_, Request<C, T>{C{}, n_, views_}, schedule).run();
    std::vector<T> got(static_cast<std::size_t>(out().count()));
    copy_to_host(queue_, got.data(), out().data(), out().count());
    queue_.wait();
    return got;
  }
  /// The space, named schedules and the default, other blocks, and tiles of any size.
  [[nodiscard]] std::vector<Schedule> schedules() const {
    const Description d = describe<C, T>();
    std::vector<Schedule> all = schedule_space(device_, d, n_);
    for (const NamedSchedule& s : named_schedules(device_, d, n_))
      all.push_back(s.schedule);
    all.push_back(default_schedule(device_, d, n_));
    const bool gpu = device_.kind() != DeviceKind::cpu;
    for (const char* text :
         {"fuse=all block=32x1x1", "fuse=all block=3x5x1", "fuse=all tile=all"}) {
      if (gpu) all.push_back(parse_schedule(text, device_, d, n_).schedule);
    }
    for (const char* text : {"fuse=all tile=all threads=1", "fuse=1+2 tile=1x1xall threads=3"}) {
      if (!gpu) all.push_back(parse_schedule(text, device_, d, n_).schedule);
    }
    return all;
  }
  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] Schedule parsed(const char* text) const {
    return parse_schedule(text, device_, describe<C, T>(), n_).schedule;
  }

private:
  template <int I>
  void make(const Numbers& given) {
    constexpr Array a = C::arrays[I];
    if constexpr (a.role != Role::temporary) {
      auto& field = fields_[I] =
          Field<T>(device_, {a.profile ? 1 : n_.x, n_.y, n_.z, n_.instances()});
      if constexpr (a.role == Role::output) {
        out_ = I;
      } else {
        const std::vector<T> values(given[I].begin(), given[I].end());
        copy_to_device(queue_, field.data(), values.data(), field.count());
        queue_.wait();
      }
      views_.set(Slot<I, a.profile>{}, field.view(), n_.instances());
    }
  }
  [[nodiscard]] Field<T>& out() { return fields_[static_cast<std::size_t>(out_)]; }

  Device device_;
  Queue queue_;
  Range n_;
  std::array<Field<T>, arrays_of<C>> fields_;
  Views<C, T> views_;
  int out_ = 0;
};

/// Values of each input by `value(array, i)`, one after the other.
template <class C>
typename OnDevice<C, double>::Numbers inputs(const Range& n,
                                             const std::function<double(int, Index)>& value) {
  typename OnDevice<C, double>::Numbers all;
  for (int a = 0; a < arrays_of<C>; ++a) {
    const Array& array = C::arrays[static_cast<std::size_t>(a)];
    if (array.role != Role::input) continue;
    for (Index i = 0; i < (array.profile ? 1 : n.x) * n.y * n.z * n.instances(); ++i)
      all[static_cast<std::size_t>(a)].push_back(value(a, i));
  }
  return all;
}
inline double random_of(int array, Index i) {
  return random_value(static_cast<std::uint64_t>(array) + 1, i);
}

/// All schedules have the bits of fission, which `expect` looks at.
template <class C, class T>
void expect_everywhere(const Range& n, const typename OnDevice<C, double>::Numbers& given,
                       const std::function<void(const std::vector<T>&)>& expect) {
  for (const std::string& name : ridge::test::devices_here()) {
    OnDevice<C, T> chain(name, n, given);
    const std::vector<T> apart = chain.under(chain.parsed("fission"));
    SCOPED_TRACE(name + " " + to_text(Extents{n.x, n.y, n.z, n.outer[0], n.outer[1] * n.outer[2]}));
    expect(apart);
    if (::testing::Test::HasFailure()) return;
    for (const Schedule& s : chain.schedules())
      ASSERT_EQ(chain.under(s), apart) << to_text(s);
  }
}

} // namespace ridge::chain::test
