// Systems among the kernels of the lab: by name, and on random arrays for benchmarks.
#pragma once

#include <ridge/chain/bench.hpp>
#include <ridge/chain/check.hpp>
#include <ridge/chain/menu.hpp>
#include <ridge/chain/source.hpp>
#include <ridge/chain/stored.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/made.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/kernels/chain_system_entry.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>
#include <ridge/pattern/storage.hpp>
#include <ridge/record/numbers.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ridge::lab {

/// Values of a benchmark's arrays: a centre and an amplitude for each. A system may say them.
template <class C>
[[nodiscard]] std::vector<std::array<double, 2>> random_ranges() {
  std::vector<std::array<double, 2>> all;
  for (std::size_t a = 0; a < static_cast<std::size_t>(chain::numbered_arrays<C>()); ++a) {
    double centre = 0;
    double amplitude = 1;
    if constexpr (requires { C::defaults; }) {
      if (C::defaults[a] == 1) centre = 1, amplitude = 0.3;
    }
    if constexpr (requires { C::amplitude; }) amplitude = C::amplitude;
    if constexpr (requires { C::amplitudes; }) centre = C::centres[a], amplitude = C::amplitudes[a];
    all.push_back({centre, amplitude});
  }
  return all;
}

/// Numbers of an array in memory, points beyond its faces included.
class RandomNumbers {
public:
  RandomNumbers(double centre, double amplitude, int array);
  /// These numbers, so many elements further.
  [[nodiscard]] RandomNumbers moved(Index elements) const;
  [[nodiscard]] double at(Index element) const {
    return centre_ + amplitude_ * numbers()[static_cast<std::size_t>((element + first_) % period)];
  }
  /// A system of float, double, Fp16 or Bf16.
  template <class T>
  void fill(Queue& queue, T* memory, Index elements) const;
  /// With the high or the low halves of fp32 numbers.
  template <class T>
  void fill_halves(Queue& queue, T* memory, Index elements, bool high) const;

private:
  template <class T, class F>
  void fill_by(Queue& queue, T* memory, Index elements, const F& element) const;
  static constexpr Index period = 262139; ///< a prime
  [[nodiscard]] static const std::vector<double>& numbers();
  double centre_, amplitude_;
  Index first_;
};

/// One step of a chain with given ends, on random arrays.
template <class C, class T>
class RandomSystem final : public Case {
  using Number = std::conditional_t<is_stored<T>, float, T>;

public:
  RandomSystem(std::string name, const C& chain, const BenchRequest& request)
      : name_(std::move(name)), queue_(request.device), request_{chain, request.size.xyz(), {}} {
    const auto ranges = random_ranges<C>();
    for (int a = 0; a < arrays; ++a) {
      const auto i = static_cast<std::size_t>(a);
      layouts_.push_back(chain::layout_of(description_, a, request_.extents));
      if (a < own) {
        numbers_.emplace_back(ranges[i][0], ranges[i][1], a);
      } else { // low halves of numbers whose high ones lie elsewhere in their memory
        const auto of = static_cast<std::size_t>(wide_of_low(a));
        numbers_.push_back(numbers_[of].moved(layouts_[of].before - layouts_[i].before));
      }
      memories_.emplace_back();
      if (C::arrays[i].role == chain::Role::temporary) continue;
      memories_.back() = Memory(queue_.device(), Bytes{layouts_[i].elements * Index{sizeof(T)}},
                                C::arrays[i].name);
      fill(a);
    }
    [&]<int... A>(std::integer_sequence<int, A...>) {
      (request_.views.set(chain::Slot<A>{}, view(A)), ...);
    }
    (std::make_integer_sequence<int, arrays>{});
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return chain::subject_of(request_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return chain::menu_of(request_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, request_, held<chain::Schedule>(s), name_};
  }
  /// Arrays that are updated begin anew.
  void poison() override {
    for (int a = 0; a < arrays; ++a) {
      const chain::Role role = C::arrays[static_cast<std::size_t>(a)].role;
      if (role == chain::Role::update) fill(a);
      if (role == chain::Role::output) {
        fill_bytes(queue_, memory(a), poison_of_outputs,
                   Bytes{layouts_[static_cast<std::size_t>(a)].elements * Index{sizeof(T)}});
      }
    }
  }
  /// A large range is checked in two of its corners.
  [[nodiscard]] Check check() override {
    const Index3 n = request_.extents;
    const auto part = [](Index extent) { return std::min<Index>(extent, most_checked); };
    const Index3 box{part(n.x), part(n.y), part(n.z)};
    Deviation found;
    compare({}, box, found);
    if (box != n) compare({n.x - box.x, n.y - box.y, n.z - box.z}, box, found);
    return judge(found, bounded_unit<Number>);
  }
  [[nodiscard]] Limit limit() const override {
    const Work work = chain::work_of(description_, request_.extents);
    const Bytes bytes{layouts_[0].elements * static_cast<Index>(sizeof(T)) / 128 * 128};
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            roof_memory(memory(written()), memory(0), bytes)};
  }
  void complete(Record& record, const AskedSchedule& /*schedule*/) override {
    if (wide != 0) record.details.push_back({"storage", 0, storage()});
    if (!record.timing) return;
    const Index3 n = request_.extents;
    const auto sites = static_cast<double>(n.x * n.y * n.z);
    record.details.push_back({"site_updates_per_second", sites / record.timing->median.value, {}});
  }

private:
  static constexpr int arrays = chain::arrays_of<C>;
  static constexpr int own = chain::numbered_arrays<C>(); ///< behind them low halves of numbers
  static constexpr unsigned wide = chain::wide_arrays<C>();
  static constexpr Index most_checked = 48;

  static constexpr bool is_wide(int a) { return a < 32 && (wide >> a & 1U) != 0; }
  static constexpr int wide_of_low(int low) {
    int a = 0;
    while (!is_wide(a) || chain::low_halves(wide, own, a) != low)
      ++a;
    return a;
  }
  /// How the arrays are stored that have numbers of their own.
  static std::string storage() {
    std::string all;
    for (int a = 0; a < own; ++a) {
      const chain::Array& array = C::arrays[static_cast<std::size_t>(a)];
      if (array.role == chain::Role::temporary) continue;
      all += (all.empty() ? "" : ",") + std::string(array.name) + "=" +
             (is_wide(a) ? "fp32" : precision_name<T>());
    }
    return all;
  }

  [[nodiscard]] T* memory(int a) const {
    return static_cast<T*>(memories_[static_cast<std::size_t>(a)].data());
  }
  [[nodiscard]] View<T> view(int a) const {
    const chain::ArrayLayout& l = layouts_[static_cast<std::size_t>(a)];
    return memory(a) == nullptr ? View<T>{}
                                : View<T>(memory(a) + l.before, l.points, l.row, l.plane);
  }
  void fill(int a) {
    const auto i = static_cast<std::size_t>(a);
    if constexpr (wide != 0) {
      if (is_wide(a) || a >= own)
        return numbers_[i].fill_halves(queue_, memory(a), layouts_[i].elements, is_wide(a));
    }
    numbers_[i].fill(queue_, memory(a), layouts_[i].elements);
  }
  [[nodiscard]] static int written() {
    for (int a = arrays - 1; a > 0; --a) {
      const chain::Role role = C::arrays[static_cast<std::size_t>(a)].role;
      if (role == chain::Role::update || role == chain::Role::output) return a;
    }
    return 0;
  }

  /// Calls f(at, element) for the points of an array within so many of a box's faces.
  template <class F>
  void for_points(int a, const Index3& begin, const Index3& box, int scale, const F& f) const {
    const chain::ArrayLayout& l = layouts_[static_cast<std::size_t>(a)];
    const chain::Offset extra = C::arrays[static_cast<std::size_t>(a)].extra;
    const auto beyond = [&](int d) { return Index{scale * chain::beyond_of<C>(a, d)}; };
    for (Index z = -beyond(2); z < box.z + extra.z + beyond(2); ++z) {
      for (Index y = -beyond(1); y < box.y + extra.y + beyond(1); ++y) {
        for (Index x = -beyond(0); x < box.x + extra.x + beyond(0); ++x) {
          f(Index3{x, y, z},
            l.before + begin.x + x + (begin.y + y) * l.row + (begin.z + z) * l.plane);
        }
      }
    }
  }

  /// Compares the items from `begin` on. Those at faces of the box within the range are left out:
  /// there the reference lacks what operations write beyond it.
  void compare(const Index3& begin, const Index3& box, Deviation& found) {
    using Bounded = BoundedPack<Number>;
    std::array<std::vector<Bounded>, arrays> right;
    for (int a = 0; a < arrays; ++a) {
      const chain::Role role = C::arrays[static_cast<std::size_t>(a)].role;
      if (role != chain::Role::input && role != chain::Role::update) continue;
      if (a >= own) continue; // the reference reads whole numbers
      for_points(a, begin, box, 1, [&](Index3, Index element) {
        const auto number = static_cast<Number>(numbers_[static_cast<std::size_t>(a)].at(element));
        right[static_cast<std::size_t>(a)].emplace_back(
            static_cast<double>(is_wide(a) ? number : as_stored<T>(number)), 0.0);
      });
    }
    chain::apply_reference(chain::Placed<C>{{request_.chain}, begin, request_.extents}, box, right);
    for (int a = 0; a < arrays; ++a) {
      const chain::Role role = C::arrays[static_cast<std::size_t>(a)].role;
      if (role == chain::Role::output || role == chain::Role::update)
        compare_array(a, begin, box, right[static_cast<std::size_t>(a)], found);
    }
  }
  void compare_array(int a, const Index3& begin, const Index3& box,
                     const std::vector<BoundedPack<Number>>& right, Deviation& found) {
    const chain::ArrayLayout& l = layouts_[static_cast<std::size_t>(a)];
    const chain::Offset extra = C::arrays[static_cast<std::size_t>(a)].extra;
    const Index3 n = request_.extents;
    const auto away = [&](int d) {
      return Index{chain::beyond_of<C>(a, d)} * (chain::operations_of<C> - 1);
    };
    const auto low = [&](Index from, int d) { return from > 0 ? away(d) : 0; };
    const auto high = [&](Index from, Index size, Index whole, int d) {
      return from + size < whole ? size - away(d) : size + extra.along(d);
    };
    const auto held = [&](Index size, int d) {
      return size + extra.along(d) + 2 * chain::beyond_of<C>(a, d);
    };
    const T poison = poisoned<T>(poison_of_outputs);
    const Index first = low(begin.x, 0);
    const Index count = high(begin.x, box.x, n.x, 0) - first;
    std::vector<T> row(static_cast<std::size_t>(std::max<Index>(count, 0)));
    for (Index z = low(begin.z, 2); z < high(begin.z, box.z, n.z, 2); ++z) {
      for (Index y = low(begin.y, 1); y < high(begin.y, box.y, n.y, 1) && count > 0; ++y) {
        const Index element =
            l.before + begin.x + first + (begin.y + y) * l.row + (begin.z + z) * l.plane;
        copy_to_host(queue_, row.data(), static_cast<const T*>(memory(a) + element), count);
        queue_.wait();
        const Index at = first + chain::beyond_of<C>(a, 0) +
                         held(box.x, 0) * (y + chain::beyond_of<C>(a, 1) +
                                           held(box.y, 1) * (z + chain::beyond_of<C>(a, 2)));
        for (Index x = 0; x < count; ++x) {
          const BoundedPack<Number>& one = right[static_cast<std::size_t>(at + x)];
          found.compare(number_of(row[static_cast<std::size_t>(x)]), one[0], number_of(poison),
                        {begin.x + first + x, begin.y + y, begin.z + z},
                        [&] { return one.bound + rounding_of<Number>(one[0]); });
        }
      }
    }
  }

  std::string name_;
  Queue queue_;
  chain::Description description_ = chain::describe<C, T>();
  std::vector<chain::ArrayLayout> layouts_;
  std::vector<RandomNumbers> numbers_;
  std::vector<Memory> memories_;
  chain::Request<C, T> request_;
};

/// A system's arrays, but those of next values.
template <class C>
[[nodiscard]] std::vector<SystemArray> array_names() {
  std::vector<SystemArray> made;
  for (std::size_t a = 0; a < C::arrays.size(); ++a) {
    bool changes = C::arrays[a].role == chain::Role::update;
    if constexpr (requires { C::swaps; }) {
      for (const auto& swap : C::swaps)
        changes = changes || swap[0] == static_cast<int>(a);
    }
    if (changes || C::arrays[a].role == chain::Role::input)
      made.push_back({C::arrays[a].name, static_cast<int>(a), changes});
  }
  return made;
}

/// The case of a chain on random arrays of 16 bits, by "fp16" or "bf16": what describes it is
/// compiled. `call` is that of the chain in fp32, `functor` its bytes.
[[nodiscard]] std::unique_ptr<Case> stored_system(const std::type_info& call,
                                                  std::span<const std::byte> functor,
                                                  const std::string& name,
                                                  const BenchRequest& request);

template <class C>
[[nodiscard]] BenchKernel system_bench(const std::string& name, const std::string& meaning,
                                       const C& chain) {
  constexpr int dimensions = static_cast<int>(C::dimensions.size());
  BenchKernel made = chain::chain_entry<C>(name, meaning);
  made.default_precision = "fp32";
  made.stored = true;
  made.arrays = array_names<C>();
  made.make_case = [=](const BenchRequest& request, RoofSource&) -> std::unique_ptr<Case> {
    const bool stored = is_storage(request.precision);
    chain::require_chain(name, dimensions, request.size, stored ? "fp32" : request.precision);
    if (stored) {
      return stored_system(typeid(chain::Call<C, float>), std::as_bytes(std::span(&chain, 1)), name,
                           request);
    }
    if (request.precision == "fp32")
      return made_as<RandomSystem<C, float>, Case>(name, chain, request);
    return made_as<RandomSystem<C, double>, Case>(name, chain, request);
  };
  made.make_menu = [=](const BenchRequest& r, const Place& place) {
    chain::require_chain(name, dimensions, r.size, r.precision);
    return chain::menu(r.precision == "fp32" ? chain::describe<C, float>()
                                             : chain::describe<C, double>(),
                       r.size.xyz(), place);
  };
  return made;
}

/// A built-in system, its numbers set by name. Throws UsageError for one that it does not have, or
/// that cannot be.
template <class C>
[[nodiscard]] chain::SystemKernel system_with(const std::string& name, C chain,
                                              const chain::NumberValues& numbers) {
  require_numbers(chain::system_kernel(name, chain), numbers);
  chain::detail::set_numbers(chain, numbers);
  return chain::system_kernel(name, chain);
}

} // namespace ridge::lab
