#include <ridge/core/error.hpp>
#include <ridge/grid/in_double.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/tune/choose.hpp>

#include "core/refuse.hpp"
#include "fourier.hpp"
#include "fourier_library.hpp"
#include "mixed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <type_traits>

namespace ridge::solve {

template <class T>
class Multigrid<T>::Body {
public:
  Body(Queue& queue, const GridProblem& problem, comm::Communicator* ranks)
      : equations_(queue, problem, ranks), iteration_(equations_), ranks_(ranks) {}

  void set_coefficient(const View<const T>& k) {
    equations_.set_coefficient(k);
    keep(copy_of_mask_, {});
    keep(copy_of_k_, k);
  }

  void set_mask(const View<const T>& mask, const View<const T>* k) {
    equations_.set_mask(mask, k);
    keep(copy_of_mask_, mask);
    keep(copy_of_k_, k == nullptr ? View<const T>() : *k);
  }

  GridSolution solve(const View<const T>& f, const View<T>& u, const GridOptions& options) {
    equations_.require_extents(f.extents, "the right-hand side");
    equations_.require_extents(u.extents, "the solution");
    GridSolution solution;
    solution.levels = equations_.cycle().levels();
    const GridMethod method = with_memory(detail::method_for(equations_, options), options);
    solution.conjugate = method == GridMethod::conjugate_gradients;
    solution.cycle = options.cycle.value_or(CycleShape::v);
    solution.smoother =
        options.smoother.value_or(equations_.cycle().usual_smoother(solution.conjugate));
    equations_.cycle().set(solution.cycle, solution.smoother);
    mixes_ = mixes(method, options);
    solution.cycle_bytes = iteration_.bytes(solution.conjugate);
    solution.tiles = tiles();
    if (mixes_) {
      mixed_->cycle().set(solution.cycle, solution.smoother);
      solution.tiles = mixed_->cycle().tiles();
    }
    if (method == GridMethod::fourier) {
      solution.transform = detail::fourier_library_name(equations_.queue().device());
      solution.cycle_bytes = fourier_->bytes();
      solution.levels = 1;
      solution.tiles.clear();
    }
    if (method == GridMethod::fourier && transform_there(f, u, options, solution)) return solution;
    attempt(f, View<const T>(u), options, method, solution);
    judge(solution, options.tolerance);
    if constexpr (sizeof(T) == 4) {
      if (solution.end == GridSolution::End::stalled && in_double(f, u, options, solution))
        return solution;
    }
    if (const std::optional<int> best = detail::best_of_failed(solution)) {
      // The same steps again, as far as they were good.
      GridOptions until = options;
      until.most_cycles = *best;
      until.progress = {};
      const auto end = solution.end;
      const double before = solution.seconds.value;
      attempt(f, View<const T>(u), until, method, solution);
      solution.end = end;
      judge(solution, options.tolerance);
      solution.seconds = Seconds{before + solution.seconds.value};
    }
    equations_.scatter(u, equations_.mean_of_u());
    equations_.queue().wait();
    equations_.set_unit(1);
    return solution;
  }

  [[nodiscard]] std::vector<Index3> levels() const {
    std::vector<Index3> all;
    for (int l = 0; l < equations_.cycle().levels(); ++l)
      all.push_back(equations_.cycle().points(l));
    return all;
  }
  [[nodiscard]] std::vector<LevelWork> level_work() const {
    std::vector<LevelWork> all;
    for (int l = 0; l < equations_.cycle().levels(); ++l)
      all.push_back(equations_.cycle().work(l));
    return all;
  }
  [[nodiscard]] std::string tiles() const { return equations_.cycle().tiles(); }
  std::string lay(const std::string& asked) {
    std::string schedule = asked;
    std::string source;
    if (asked == "auto") {
      const tune::Choice choice = wisdom(equations_.cycle());
      source = tune::source_text(choice);
      schedule = choice.schedule == "auto" ? "" : choice.schedule;
    }
    equations_.cycle().lay(parsed(schedule, equations_.cycle()));
    laid_ = asked;
    if (mixed_) lay_mixed();
    return source;
  }
  void begin(const View<const T>& f) {
    equations_.require_extents(f.extents, "the right-hand side");
    equations_.gather(f, T(-1), true, equations_.finest().b);
    size_ = equations_.balance(true).norm;
    equations_.set_zero(equations_.finest().u);
  }
  void give_cycle(const CycleSchedule& schedule, bool with_messages) {
    require_level(schedule);
    detail::SharedLevels<T>* const shared = equations_.cycle().shared();
    if (shared != nullptr) shared->set_silent(!with_messages);
    equations_.cycle().give_cycle(schedule);
    if (shared != nullptr) shared->set_silent(false);
  }
  void give_messages() {
    if (equations_.cycle().shared() != nullptr) equations_.cycle().shared()->exchange_all();
  }
  [[nodiscard]] CycleMessages messages() {
    const detail::SharedLevels<T>* const shared = equations_.cycle().shared();
    return shared == nullptr ? CycleMessages{} : shared->messages();
  }
  [[nodiscard]] double least_bytes(const CycleSchedule& schedule) const {
    require_level(schedule);
    return equations_.cycle().least_bytes(schedule);
  }
  [[nodiscard]] double relative_residual() { return equations_.norm(false).first / size_; }

private:
  using Clock = std::chrono::steady_clock;

  /// Passes of a solve's cycle, which shape and level are not said by.
  template <class V>
  [[nodiscard]] static MarchSchedule parsed(const std::string& schedule,
                                            const detail::Cycle<V>& of) {
    const auto cycle = text::parse<CycleSchedule>(schedule);
    refuse_if(cycle.cycle != CycleShape::v || cycle.level != 0,
              "schedule '{}': of a solve it says down, up and march_from; cycle and level are for "
              "measurements",
              schedule);
    require_laid(cycle.march(), of);
    return cycle.march();
  }
  template <class V>
  static void require_laid(const MarchSchedule& schedule, const detail::Cycle<V>& of) {
    const std::string why = of.problem(schedule);
    if (!why.empty()) throw UsageError("schedule " + why);
  }
  /// For cycles without a coefficient, which were tuned, on devices with tiles.
  template <class V>
  [[nodiscard]] tune::Choice wisdom(const detail::Cycle<V>& cycle) const {
    tune::Choice choice;
    const DeviceKind kind = equations_.queue().device().kind();
    if (cycle.finest().a.k.size != 0 || find_offer(kind, typeid(detail::WayDown<V>)) == nullptr)
      return choice;
    const Index3& n = equations_.problem().extents;
    const Subject subject{&typeid(Multigrid<V>), "multigrid", sizeof(V) == 4 ? "fp32" : "fp64",
                          Extents{n.x, n.y, n.z}};
    const auto require = [&](const std::string& schedule) { (void)parsed(schedule, cycle); };
    choice = tune::choose({tune::key_of(equations_.queue().device(), subject), {}, require});
    if (const auto* const shared = equations_.cycle().shared(); shared != nullptr)
      choice.schedule = shared->ranks().gather_text(choice.schedule).front();
    if (!choice.note.empty()) tune::say_once(choice.note);
    return choice;
  }

  /// What a solve in double needs of the user's.
  void keep(Field<float>& copy, const View<const T>& field) {
    copy = {};
    if constexpr (sizeof(T) == 4) {
      if (field.data == nullptr) return;
      const Index3 n = field.extents;
      copy = Field<float>(equations_.queue().device(), Extents{n.x, n.y, n.z}, "a copy for fp64");
      const Index rows = field.row == n.x ? n.y : 1; // that lie together
      for (Index z = 0; z < n.z; ++z) {
        for (Index y = 0; y < n.y; y += rows)
          copy_bytes_on_device(equations_.queue(), copy.data() + n.x * (y + n.y * z),
                               field.data + field.at(0, y, z),
                               Bytes{n.x * rows * static_cast<Index>(sizeof(float))});
      }
      equations_.queue().wait();
    }
  }

  /// Solves in double what floats could not. False where that is no better, or memory is too small
  /// for it; u is as it was.
  bool in_double(const View<const float>& f, const View<float>& u, const GridOptions& options,
                 GridSolution& solution) {
    Queue& queue = equations_.queue();
    const GridProblem& problem = equations_.problem();
    try {
      const auto body = ranks_ == nullptr
                            ? std::make_unique<Multigrid<double>>(queue, problem)
                            : std::make_unique<Multigrid<double>>(queue, problem, *ranks_);
      const auto wide = [&](const Field<float>& from) {
        return from.count() == 0 ? Field<double>()
                                 : detail::widened(queue, View<const float>(from.view()));
      };
      const Field<double> k = wide(copy_of_k_), mask = wide(copy_of_mask_),
                          right = detail::widened(queue, f);
      const Field<double> found(queue.device(), right.extents(), "the solution in double");
      const View<const double> k_view(k.view());
      if (mask.count() != 0) {
        body->set_mask(View<const double>(mask.view()), k.count() != 0 ? &k_view : nullptr);
      } else if (k.count() != 0) {
        body->set_coefficient(k_view);
      }
      GridSolution then = body->solve(View<const double>(right.view()), found.view(),
                                      detail::rest_of(options, solution));
      const double least = *std::min_element(solution.residuals.begin(), solution.residuals.end());
      if (then.end != GridSolution::End::converged && !(then.residual() < least)) {
        if (then.end == GridSolution::End::stopped) solution.end = then.end;
        return false;
      }
      solution = detail::joined(solution, std::move(then));
      detail::narrow(queue, found, u);
      equations_.set_unit(1);
      return true;
    } catch (const Failure&) {
      if (ranks_ != nullptr && ranks_->ranks() > 1) throw; // others have gone on
      return false;
    }
  }

  void judge(GridSolution& solution, double tolerance) {
    if (solution.end != GridSolution::End::stalled) return;
    const double size = equations_.norm(true).first;
    iteration_.judge(solution, size > 0 ? size : 1, tolerance);
  }

  /// Leaves u of the finest level.
  void attempt(const View<const T>& f, const View<const T>& guess, const GridOptions& options,
               GridMethod method, GridSolution& solution) {
    detail::Level<T>& finest = equations_.finest();
    solution.cycles = 0;
    equations_.set_unit(1);
    const auto begin_with = [&](double unit) {
      equations_.gather(f, T(-1), true, finest.b);
      const auto [removed, norm] = equations_.balance(options.project, options.project_option);
      if (options.project) solution.removed_mean = removed / unit;
      return norm;
    };
    double size = begin_with(1);
    if (equations_.choose_unit(f, size)) size = begin_with(equations_.unit());
    equations_.require_measurable(size, finest.b);
    detail::Progressing progress(options, solution);
    if (!options.full) {
      equations_.gather(guess, T(1), false, finest.u);
    } else if (size == 0 || progress.most() == 0 || options.tolerance >= 1) {
      equations_.set_zero(finest.u);
    }
    if (size == 0 && options.full) { // u = 0
      solution.residuals = {0};
      solution.end = GridSolution::End::converged;
      return;
    }
    const double relative_to = size > 0 ? size : 1;
    const auto begin = Clock::now();
    if (progress.most() == 0) {
      (void)progress.begin(options.full ? 1 : equations_.norm(false).first / relative_to);
    } else if (method == GridMethod::fourier) {
      transform(progress, relative_to);
    } else if (solution.conjugate) {
      iteration_.conjugate_gradients(progress, relative_to);
    } else {
      cycles(progress, relative_to);
    }
    solution.seconds = Seconds{std::chrono::duration<double>(Clock::now() - begin).count()};
  }

  /// In fp32 as long as that gains, where solve() chose so; in fp64 from there.
  void cycles(detail::Progressing& progress, double size) {
    GridSolution& solution = progress.solution;
    solution.narrow_cycles = 0;
    if (!mixes_) return iteration_.cycles(progress, size);
    using End = detail::MixedCycles::End;
    const double bytes = solution.cycle_bytes;
    const End end = mixed_->run(progress, size);
    if (end == End::begins_anew) return iteration_.cycles(progress, size);
    solution.narrow_cycles = solution.cycles;
    solution.cycle_bytes = mixed_->bytes();
    if (end == End::done) return;
    iteration_.cycles(progress, size, true);
    const double narrow = static_cast<double>(solution.narrow_cycles) / solution.cycles;
    solution.cycle_bytes = narrow * solution.cycle_bytes + (1 - narrow) * bytes;
  }

  /// Whether cycles are in fp32 for residuals in fp64, which have their memory then.
  [[nodiscard]] bool mixes(GridMethod method, const GridOptions& options) {
    if (options.precision == CyclePrecision::fp64) return false;
    const bool is_asked = options.precision == CyclePrecision::mixed;
    const std::string why_not = why_not_mixed(method, options);
    if (is_asked && !why_not.empty()) throw UsageError("precision mixed: " + why_not);
    constexpr double few = 1e6;  // points
    constexpr double most = 0.1; // of a residual: more takes more cycles
    const bool gains = // over ranks not yet (docs/design/solvers.md)
        equations_.cycle().shared() == nullptr && equations_.points() >= few &&
        detail::MixedCycles::rounding_of(equations_.problem()) < most;
    if (!why_not.empty() || (!is_asked && !gains)) return false;
    if constexpr (std::is_same_v<T, double>) {
      try {
        if (!mixed_) mixed_ = std::make_unique<detail::MixedCycles>(equations_, ranks_);
        lay_mixed();
      } catch (const Failure&) { // too little memory
        if (is_asked) throw;
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] std::string why_not_mixed(GridMethod method, const GridOptions& options) const {
    if (sizeof(T) != 8) return "fields in fp32 have cycles in fp32";
    if (method == GridMethod::fourier) return "it is for cycles";
    if (method != GridMethod::multigrid) return "it is for cycles alone, not conjugate gradients";
    if (equations_.finest().a.k.size != 0) return "it is for no coefficient and no mask";
    if (options.reproducible)
      return "its sums come in another order on several ranks, and reproducible asks for one";
    if (!detail::MixedCycles::has_numbers_for(equations_.problem()))
      return "spacings of 1e-10 to 1e10 and shifts of at most 1e20 are in fp32's range";
    return {};
  }
  void lay_mixed() {
    detail::Cycle<float>& cycle = mixed_->cycle();
    MarchSchedule march;
    if (laid_ == "auto") {
      const std::string schedule = wisdom(cycle).schedule;
      if (schedule != "auto") march = parsed(schedule, cycle);
    } else {
      march = text::parse<CycleSchedule>(laid_).march();
    }
    if (cycle.problem(march).empty()) cycle.lay(march);
  }

  /// Makes what transforms need. `automatic` takes cycles where memory does not suffice for it.
  [[nodiscard]] GridMethod with_memory(GridMethod method, const GridOptions& options) {
    if (method != GridMethod::fourier || fourier_) return method;
    try {
      fourier_ = std::make_unique<detail::Fourier<T>>(equations_);
    } catch (const Failure&) {
      if (options.method != GridMethod::automatic) throw;
      return equations_.problem().order == 2 ? GridMethod::multigrid
                                             : GridMethod::conjugate_gradients;
    }
    return method;
  }

  /// Between periodic faces u of an ordinary f, without copies of either. False where it does not
  /// converge at once, or must go the usual way.
  bool transform_there(const View<const T>& f, const View<T>& u, const GridOptions& options,
                       GridSolution& solution) {
    if constexpr (sizeof(T) == 8) {
      const auto lies_packed = [](const auto& view) {
        const Index3& n = view.extents;
        const auto at = reinterpret_cast<std::uintptr_t>(view.data); // transforms read pairs
        return view.row == n.x && view.plane == n.x * n.y && at % (2 * sizeof(T)) == 0;
      };
      const bool are_apart = f.data + f.span() <= u.data || u.data + u.span() <= f.data;
      detail::Progressing progress(options, solution);
      if (!fourier_->is_packed() || !lies_packed(f) || !lies_packed(u) || !are_apart ||
          equations_.problem().order > 2 || !options.full || progress.most() == 0 ||
          options.tolerance >= 1)
        return false;
      const std::optional<double> size = equations_.ordinary_norm(f.elements());
      if (!size) return false;
      const auto begin = Clock::now();
      fourier_->solve(f.elements(), u.elements(), -1);
      const Span<const T> found(View<const T>(u).elements());
      const double residual = equations_.residual_norm(found, f.elements(), -1) / *size;
      if (!(residual <= options.tolerance) || !progress.begin(1)) return false;
      (void)progress.next(residual);
      if (options.project) solution.removed_mean = 0;
      solution.seconds = Seconds{std::chrono::duration<double>(Clock::now() - begin).count()};
      return true;
    }
    return false;
  }
  /// Solves for the residual again where rounding left more than is asked.
  void transform(detail::Progressing& progress, double size) {
    detail::Level<T>& level = equations_.finest();
    if (!progress.begin(progress.options.full ? 1 : equations_.residual_norm() / size)) return;
    fourier_->solve(level.b, level.u);
    while (progress.next(equations_.residual_norm() / size)) {
      if (correction_.count() == 0)
        correction_ = Field<T>(equations_.queue().device(), level.u.extents(), "a correction");
      equations_.residual(level.u, level.b, level.other);
      fourier_->solve(level.other, correction_);
      equations_.combine(level.u, correction_, 1, 1);
    }
  }

  void require_level(const CycleSchedule& s) const {
    const int levels = equations_.cycle().levels();
    refuse_if(s.level >= levels, "level={}: there are {} levels, from 0 on", s.level, levels);
    refuse_if(s.level > 0 && s.cycle != CycleShape::v,
              "level= is for V cycles; w, f and full begin on level 0");
    require_laid(s.march(), equations_.cycle());
  }

  detail::Equations<T> equations_;
  detail::Iteration<T> iteration_;
  comm::Communicator* ranks_;
  std::unique_ptr<detail::Fourier<T>> fourier_; ///< once it was asked for
  Field<T> correction_;
  std::unique_ptr<detail::MixedCycles> mixed_; ///< once it was taken
  bool mixes_ = false;                         ///< in this solve
  std::string laid_;                           ///< as `lay` was asked
  Field<float> copy_of_k_, copy_of_mask_;      ///< the user's, of floats
  double size_ = 1; ///< the norm of the right-hand side that was begun with
};

template <class T>
Multigrid<T>::Multigrid(Queue& queue, const GridProblem& problem)
    : body_(std::make_unique<Body>(queue, problem, nullptr)) {}
template <class T>
Multigrid<T>::Multigrid(Queue& queue, const GridProblem& problem, comm::Communicator& ranks)
    : body_(std::make_unique<Body>(queue, problem, &ranks)) {}
template <class T>
Multigrid<T>::~Multigrid() = default;
template <class T>
void Multigrid<T>::set_coefficient(const View<const T>& k) {
  body_->set_coefficient(k);
}
template <class T>
void Multigrid<T>::set_mask(const View<const T>& mask, const View<const T>* k) {
  body_->set_mask(mask, k);
}
template <class T>
std::vector<Index3> Multigrid<T>::levels() const {
  return body_->levels();
}
template <class T>
std::vector<LevelWork> Multigrid<T>::level_work() const {
  return body_->level_work();
}
template <class T>
std::string Multigrid<T>::tiles() const {
  return body_->tiles();
}
template <class T>
std::string Multigrid<T>::lay(const std::string& schedule) {
  return body_->lay(schedule);
}
template <class T>
void Multigrid<T>::begin(const View<const T>& f) {
  body_->begin(f);
}
template <class T>
void Multigrid<T>::give_cycle(const CycleSchedule& schedule, bool with_messages) {
  body_->give_cycle(schedule, with_messages);
}
template <class T>
void Multigrid<T>::give_messages() {
  body_->give_messages();
}
template <class T>
CycleMessages Multigrid<T>::messages() const {
  return body_->messages();
}
template <class T>
double Multigrid<T>::least_bytes(const CycleSchedule& schedule) const {
  return body_->least_bytes(schedule);
}
template <class T>
double Multigrid<T>::relative_residual() {
  return body_->relative_residual();
}
template <class T>
GridSolution Multigrid<T>::solve(const View<const T>& f, const View<T>& u,
                                 const GridOptions& options) {
  return body_->solve(f, u, options);
}

template class Multigrid<float>;
template class Multigrid<double>;

} // namespace ridge::solve
