// Systems: chains whose arrays change in time, with their types put away.
//
// A chain of `update` arrays, or of outputs that are the next values of inputs, is a system when
// its dimensions have given ends (chain::given): what lies beyond the faces is set before each
// launch that reads it. Beside what a chain has, its type may say
//
//   static constexpr std::array<Placement, N> placements;      where the points of arrays lie
//   static constexpr std::array<std::array<int, 2>, M> swaps;  output [1] becomes input [0]
//   static constexpr std::array<double, N> defaults;           of arrays nobody gives; NaN: needed
//   static constexpr bool absorbs;                             layers may draw its arrays to 0
//   static constexpr bool only_periodic;                       its arrays know no other walls
//   static constexpr FreeFaces free_faces;                     what a face without traction takes
//   void set_step(double dt, const std::array<double, 3>& spacing);
//   double speed(const double* values) const;                  of the fastest wave at a point
//   double stable_step(const std::array<double, 3>& spacing, double speed) const;
//   static constexpr std::array<double, W> weights;            of the difference between points,
//   and WaveMedium medium(const double* values) const;             what waves run in, at a point
//   FlowHeights heights(const double* values) const;           of a flow at a point, and the speed
//   double falling(double height) const;                       that it may gain by falling so far
//   void for_each_number(const Each& each);                    numbers by --set (number.hpp), those
//                                                              that are a ByStep also by --by-step
//   static constexpr std::array by_step{"drive"};              others with a value for each step
//   void set_numbers(const StepNumbers&);                      (by_step.hpp), set by this
//
// and, where users give and see other fields than its arrays,
//
//   static constexpr std::array<SystemField, G> given;
//   void start(const double* given, double* arrays) const;     at a point; of state arrays
//   void start_beside(const StartedBeside& at, double* arrays) const;   then, from those beside it
//   static constexpr std::array<const char*, L> looks;
//   void look(const double* arrays, double* values) const;     at a point
//
// It may refuse what users give at a point, with the numbers that `start` takes, or all arrays:
//
//   FieldProblem problem_at(const double* given) const;        (problem.hpp)
#pragma once

#include <ridge/chain/launch.hpp>
#include <ridge/chain/placed.hpp>
#include <ridge/chain/system/by_step.hpp>
#include <ridge/chain/system/conditions.hpp>
#include <ridge/chain/system/number.hpp>
#include <ridge/chain/system/places.hpp>
#include <ridge/chain/system/problem.hpp>
#include <ridge/chain/system/waves.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ridge::chain {

/// Where an array lies: `data` is its first item.
struct ArrayAt {
  void* data = nullptr;
  Index row = 0, plane = 0;
};

/// Tables that a run has for numbers, by name.
struct StepNumbers {
  std::vector<std::pair<std::string, ByStep>> tables;
  /// Leaves a number as it is that has no table.
  void set(std::string_view name, ByStep& number) const {
    for (const auto& [known, table] : tables) {
      if (known == name) number = table;
    }
  }
};

/// One step to bind.
struct SystemStep {
  double dt = 1;
  std::array<double, 3> spacing{1, 1, 1};
  Index3 extents;
  std::vector<ArrayAt> arrays; ///< one an array of the chain
  Schedule schedule;
  std::function<void(int first)> before_launch;
  std::shared_ptr<const RowsDone> rows_done = {};
  StepNumbers numbers = {};
  int first = -1; ///< the launch that begins with this operation alone; -1: all
  /// Where the first item is in the whole range, and its extents, for operations that ask for their
  /// places over ranks. None: the items are all of it.
  Index3 begin = {}, whole = {};
};

/// Arrays as `start` made them at the point that lies so far aside, at most one point along each
/// axis. Beyond walls it is the nearest point, beyond periodic faces the other end.
using StartedBeside = std::function<const double*(const Offset& aside)>;

/// Makes values of arrays at a point from those that users give there, and back.
struct PointFunctions {
  std::function<void(const double* given, double* arrays)> start;
  std::function<void(const double* arrays, double* values)> look;
};

struct SystemKernel {
  std::string name;
  Description of_float, of_double;
  std::vector<Placement> placements;
  std::vector<std::array<int, 2>> swaps;
  std::vector<SystemField> given; ///< by name those of users: arrays, where there is no `start`
  std::vector<std::string> looks;
  std::vector<std::string> by_step;  ///< numbers that may have a value for each step
  std::vector<SystemNumber> numbers; ///< those that it says what is right for
  bool absorbs = false;
  bool only_periodic = false; ///< its arrays have no other walls
  std::optional<FreeFaces> free_faces;
  bool has_bodies = false;   ///< points that are no fluid, which have codes
  bool asks_places = false;  ///< its operations ask where items are in the range
  bool tells_places = false; ///< steps on a part of the range tell them
  bool knows_step = false;   ///< set_step is there: else a step counts as 1

  std::function<Program(Queue&, int element_bytes, const SystemStep&)> bind;
  /// fp16 or bf16 where it has been stored so (system/stored.hpp): `of_float` and programs of 4
  /// bytes are of such arrays then. Empty: arrays hold what operations compute with.
  std::string storage;
  /// Bits of arrays that stay fp32 then: each holds the high halves of its numbers, and the arrays
  /// from `own_arrays` on hold the low ones, in turn.
  unsigned wide = 0;
  int own_arrays = -1;                  ///< without those of low halves; -1: all
  const std::type_info* call = nullptr; ///< of its chain in fp32
  std::vector<std::byte> functor;       ///< the chain's bytes, where these are all of it
  /// Empty where the chain does not say it.
  std::function<double(const double* arrays)> speed;
  std::function<double(const std::array<double, 3>& spacing, double speed)> stable_step;
  std::vector<double> weights; ///< of the difference along an axis that `medium` goes with
  std::function<WaveMedium(const double* arrays)> medium;
  std::function<FlowHeights(const double* arrays)> heights;
  std::function<double(double height)> falling;
  std::function<FieldProblem(const double* given)> problem_at; ///< all arrays without `start`
  std::function<void(const double* given, double* arrays)> start;
  std::function<void(const StartedBeside& at, double* arrays)> start_beside;
  std::function<void(const double* arrays, double* values)> look;
  /// `start` and `look` with other values of its numbers, such as those of a step.
  std::function<PointFunctions(const NumberValues& numbers)> at_points;

  [[nodiscard]] const Description& description(int element_bytes) const {
    return element_bytes == 4 ? of_float : of_double;
  }
  [[nodiscard]] int dimensions() const { return of_double.rank; }
  /// How many arrays have numbers of their own.
  [[nodiscard]] int arrays() const {
    return own_arrays < 0 ? static_cast<int>(of_double.arrays.size()) : own_arrays;
  }
  [[nodiscard]] bool is_wide(int array) const { return array < 32 && (wide >> array & 1U) != 0; }
  /// True if an array holds halves of numbers.
  [[nodiscard]] bool has_halves(int array) const { return is_wide(array) || array >= arrays(); }
  /// The array with the low halves of one that is wide.
  [[nodiscard]] int low_of(int array) const;
  /// Arrays that steps change: updates, and inputs that are swapped for outputs.
  [[nodiscard]] bool is_state(int array) const;
  /// Outputs that become inputs: memory, of no interest between steps.
  [[nodiscard]] bool is_next(int array) const;
};

/// Throws UsageError for a chain that cannot be a system: without given ends, with an output that
/// nothing is swapped for, swaps of arrays that are not alike, or lists of another length than its
/// arrays.
void check(const SystemKernel& kernel);

namespace detail {

/// Calls f(name, number, rule, meaning) for the numbers that a chain lists.
template <class C, class F>
void for_numbers(C& chain, const F& f) {
  const auto any = [](const char*, auto&, const NumberRule&, const char*) {};
  if constexpr (requires { chain.for_each_number(any); }) chain.for_each_number(f);
}
template <class C>
void set_numbers(C& chain, const NumberValues& values) {
  for_numbers(chain, [&](const char* name, auto& number, const NumberRule&, const char*) {
    for (const auto& [known, value] : values) {
      if (known == name) number = value;
    }
  });
}
template <class C>
[[nodiscard]] PointFunctions point_functions(const C& chain) {
  PointFunctions made;
  if constexpr (requires { C::given; })
    made.start = [chain](const double* from, double* to) { chain.start(from, to); };
  if constexpr (requires { C::looks; })
    made.look = [chain](const double* from, double* to) { chain.look(from, to); };
  return made;
}

/// A step of `kept`, which runs on arrays of T.
template <class T, class Kept>
[[nodiscard]] Program bind_kept(Queue& queue, const Kept& kept, const SystemStep& step,
                                std::string_view name) {
  Request<Kept, T> request{kept, step.extents, {}, step.before_launch, step.rows_done};
  const auto set = [&]<int A>(std::integral_constant<int, A>) {
    constexpr Array array = Kept::arrays[A];
    if constexpr (array.role != Role::temporary) {
      const ArrayAt& at = step.arrays[A];
      const Index3 n = step.extents;
      const Index3 points{array.profile ? 1 : n.x + array.extra.x, n.y + array.extra.y,
                          n.z + array.extra.z};
      request.views.set(Slot<A>{}, View<T>(static_cast<T*>(at.data), points, at.row, at.plane));
    }
  };
  [&]<int... A>(std::integer_sequence<int, A...>) {
    (set(std::integral_constant<int, A>{}), ...);
  }
  (std::make_integer_sequence<int, arrays_of<Kept>>{});
  return Program(queue, LaunchOf<Kept, T>{request, step.first}, step.schedule, name);
}

/// `Kept` is the chain that runs: C, or Stored<C, T>. With Places its operations see places in the
/// whole range where the step says it.
template <class C, class T, class Kept = C, bool Places = false>
[[nodiscard]] Program bind_step(Queue& queue, C chain, const SystemStep& step,
                                std::string_view name) {
  if constexpr (requires { chain.set_step(step.dt, step.spacing); })
    chain.set_step(step.dt, step.spacing);
  if constexpr (requires { chain.set_numbers(step.numbers); }) chain.set_numbers(step.numbers);
  for_numbers(chain, [&](const char* number, auto& value, const NumberRule&, const char*) {
    if constexpr (std::is_same_v<decltype(value), ByStep&>) step.numbers.set(number, value);
  });
  if constexpr (Places) {
    if (step.whole.x > 0)
      return bind_kept<T>(queue, Placed<Kept>{{Kept(chain)}, step.begin, step.whole}, step, name);
  }
  return bind_kept<T>(queue, Kept(chain), step, name);
}

} // namespace detail

/// The system of a chain, with its numbers set. With Places it runs over ranks although operations
/// ask for places: executors of Placed<C> must be there or be compiled when asked for. Throws what
/// `describe` and `check` throw.
template <class C, bool Places = false>
[[nodiscard]] SystemKernel system_kernel(const std::string& name, const C& chain) {
  SystemKernel made;
  made.name = name;
  made.of_float = describe<C, float>();
  made.of_double = describe<C, double>();
  for (const Array& array : C::arrays)
    made.placements.push_back(usual_placement(array));
  if constexpr (requires { C::placements; })
    made.placements.assign(C::placements.begin(), C::placements.end());
  if constexpr (requires { C::swaps; }) made.swaps.assign(C::swaps.begin(), C::swaps.end());
  if constexpr (requires { C::by_step; }) made.by_step.assign(C::by_step.begin(), C::by_step.end());
  C listed = chain;
  detail::for_numbers(
      listed, [&](const char* number, auto& value, const NumberRule& rule, const char* meaning) {
        made.numbers.push_back({number, meaning, now(value), rule});
        if constexpr (std::is_same_v<decltype(value), ByStep&>) made.by_step.emplace_back(number);
      });
  made.at_points = [chain](const NumberValues& numbers) {
    C set = chain;
    detail::set_numbers(set, numbers);
    return detail::point_functions(set);
  };
  PointFunctions points = detail::point_functions(chain);
  made.start = std::move(points.start);
  made.look = std::move(points.look);
  if constexpr (requires { C::absorbs; }) made.absorbs = C::absorbs;
  if constexpr (requires { C::only_periodic; }) made.only_periodic = C::only_periodic;
  if constexpr (requires { C::free_faces; }) made.free_faces = C::free_faces;
  if constexpr (requires { C::has_bodies; }) made.has_bodies = C::has_bodies;
  made.knows_step = requires(C c) {
    c.set_step(1.0, std::array<double, 3>{});
  };
  made.bind = [name, chain](Queue& queue, int element_bytes, const SystemStep& step) {
    return element_bytes == 4 ? detail::bind_step<C, float, C, Places>(queue, chain, step, name)
                              : detail::bind_step<C, double, C, Places>(queue, chain, step, name);
  };
  made.asks_places = asks_places<C>();
  made.tells_places = Places;
  made.call = &typeid(Call<C, float>);
  if constexpr (std::is_trivially_copy_constructible_v<C>) {
    made.functor.resize(sizeof(C));
    std::memcpy(made.functor.data(), static_cast<const void*>(&chain), sizeof(C));
  }
  if constexpr (requires(const double* v) { chain.speed(v); })
    made.speed = [chain](const double* values) { return chain.speed(values); };
  if constexpr (requires(const double* v) { chain.problem_at(v); })
    made.problem_at = [chain](const double* given) { return chain.problem_at(given); };
  if constexpr (requires { chain.stable_step(std::array<double, 3>{}, 1.0); }) {
    made.stable_step = [chain](const std::array<double, 3>& spacing, double speed) {
      return chain.stable_step(spacing, speed);
    };
  }
  if constexpr (requires(const double* v) { chain.medium(v); }) {
    made.weights.assign(C::weights.begin(), C::weights.end());
    made.medium = [chain](const double* values) { return chain.medium(values); };
  }
  if constexpr (requires(const double* v) { chain.heights(v); }) {
    made.heights = [chain](const double* values) { return chain.heights(values); };
    made.falling = [chain](double height) { return chain.falling(height); };
  }
  if constexpr (requires(const StartedBeside& at, double* v) { chain.start_beside(at, v); }) {
    made.start_beside = [chain](const StartedBeside& at, double* arrays) {
      chain.start_beside(at, arrays);
    };
  }
  if constexpr (requires { C::given; }) {
    made.given.assign(C::given.begin(), C::given.end());
  } else {
    for (std::size_t a = 0; a < C::arrays.size(); ++a) {
      const Array& array = C::arrays[a];
      SystemField field{array.name};
      if (array.role == Role::update) field.value = 0;
      if constexpr (requires { C::defaults; }) field.value = C::defaults[a];
      const bool used = array.role == Role::input || array.role == Role::update;
      if (used && !array.profile) made.given.push_back(field);
    }
  }
  if constexpr (requires { C::looks; }) made.looks.assign(C::looks.begin(), C::looks.end());
  check(made);
  return made;
}

} // namespace ridge::chain
