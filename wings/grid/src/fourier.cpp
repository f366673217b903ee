#include "fourier.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/kind.hpp>

#include "core/refuse.hpp"
#include "fourier_library.hpp"
#include "spectrum.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace ridge::solve::detail {

namespace {

std::array<Continued, 3> axes_of(const GridProblem& problem) {
  return {Continued(problem, 0), Continued(problem, 1), Continued(problem, 2)};
}

int largest_prime_of(int n) {
  int largest = 1;
  for (int p = 2; n > 1; ++p) {
    for (; n % p == 0; n /= p)
      largest = p;
  }
  return largest;
}

} // namespace

/// Tables of three axes on a device.
template <class V>
class FourierTables {
public:
  FourierTables(Queue& queue, const std::array<std::vector<V>, 3>& values) {
    for (std::size_t d = 0; d < 3; ++d)
      memory_[d] = on_device(queue, values[d]);
  }
  [[nodiscard]] std::array<Span<const V>, 3> spans() const {
    return {span_of<V>(memory_[0]), span_of<V>(memory_[1]), span_of<V>(memory_[2])};
  }

private:
  Memory memory_[3];
};

template <class T>
class Fourier<T>::Way : public std::enable_shared_from_this<Way> {
public:
  Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;
  virtual ~Way() = default;
  virtual void solve(Span<const T> b, Span<T> u, T number) = 0;
  [[nodiscard]] virtual bool is_packed() const { return false; }
  double bytes = 0;
};

/// On the host: real transforms of the points themselves, in double. An axis with mirror at one
/// face and another condition at the other is reflected at the mirror.
template <class T>
class Fourier<T>::Real final : public Way {
public:
  Real(Equations<T>& equations, const std::array<Continued, 3>& axes)
      : equations_(equations), n_{axes[0].points(), axes[1].points(), axes[2].points()},
        data_(equations.queue().device(), extents_of(axes), "a spectrum") {
    std::array<int, 3> forward{};
    std::array<int, 3> backward{};
    std::array<std::vector<double>, 3> eigenvalues;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto t = axes[d].real_transform();
      forward[d] = t.forward;
      backward[d] = t.backward;
      number_ /= t.scale;
      for (const double m : t.frequencies)
        eigenvalues[d].push_back(axes[d].eigenvalue(m));
      first_[d] = t.first;
      for (std::size_t i = 0; i < t.frequencies.size(); ++i)
        point_[d].push_back(axes[d].at(t.first + static_cast<int>(i)).point);
    }
    eigenvalues_.emplace(equations.queue(), eigenvalues);
    transform_ = real_transform(data_.extents().xyz(), forward, backward, data_.data());
    this->bytes = 6.0 * 8 * static_cast<double>(data_.count());
  }
  void solve(Span<const T> b, Span<T> u, T number) override {
    equations_.queue().wait();
    const Index3 n = data_.extents().xyz();
    const auto at = [](Index i) { return static_cast<std::size_t>(i); };
    each_row(n, [&](Index y, Index z, double* to) {
      const T* const from = b.data + n_.x * (point_[1][at(y)] + n_.y * point_[2][at(z)]);
      for (Index x = 0; x < n.x; ++x)
        to[x] = static_cast<double>(from[point_[0][at(x)]]);
    });
    transform_->forward(this->shared_from_this());
    equations_.give(Divided<double>{data_.elements(), n, 1, eigenvalues_->spans(),
                                    equations_.problem().shift,
                                    number_ * static_cast<double>(number)});
    equations_.queue().wait();
    transform_->backward(this->shared_from_this());
    each_row(n_, [&](Index y, Index z, double*) {
      const double* const from =
          data_.data() - first_[0] + n.x * (y - first_[1] + n.y * (z - first_[2]));
      std::transform(from, from + n_.x, u.data + n_.x * (y + n_.y * z),
                     [](double v) { return static_cast<T>(v); });
    });
  }

private:
  static Extents extents_of(const std::array<Continued, 3>& axes) {
    const auto size = [&](std::size_t d) {
      return static_cast<Index>(axes[d].real_transform().frequencies.size());
    };
    return {size(0), size(1), size(2)};
  }
  /// Calls `use(y, z, row)` with rows of the spectrum as they follow each other.
  template <class Use>
  void each_row(const Index3& n, const Use& use) {
    constexpr Index few = 32768; // numbers: waking threads takes longer
    const int team = n.x * n.y * n.z < few ? 1 : cpu::default_threads();
    cpu::run(team, [&](int thread, int threads) {
      const auto mine = cpu::share_of(n.y * n.z, thread, threads);
      cpu::in_pieces(mine, std::max<Index>(1, few / n.x), [&](const cpu::Range& piece) {
        for (Index row = piece.begin; row < piece.end; ++row)
          use(row % n.y, row / n.y, data_.data() + n.x * row);
      });
    });
  }

  Equations<T>& equations_;
  Index3 n_;
  std::array<std::vector<Index>, 3> point_; ///< of each number of an axis
  std::array<Index, 3> first_{};            ///< the first number is of this place
  Field<double> data_;
  std::optional<FourierTables<double>> eigenvalues_;
  double number_ = 1;
  std::unique_ptr<Transform> transform_;
};

/// On GPUs: complex transforms of the points and their reflections, a whole period.
template <class T>
class Fourier<T>::Extended final : public Way {
public:
  Extended(Equations<T>& equations, const std::array<Continued, 3>& axes)
      : equations_(equations), n_{axes[0].points(), axes[1].points(), axes[2].points()},
        whole_{axes[0].period(), axes[1].period(), axes[2].period()}, row_(2 * (whole_.x / 2 + 1)),
        data_(equations.queue().device(), Extents{row_, whole_.y, whole_.z}, "a spectrum") {
    std::array<std::vector<int>, 3> place, same;
    std::array<std::vector<T>, 3> sign, one, eigenvalues;
    for (std::size_t d = 0; d < 3; ++d) {
      for (int i = 0; i < axes[d].period(); ++i) {
        const Place p = axes[d].at(i);
        place[d].push_back(p.point);
        sign[d].push_back(static_cast<T>(p.sign));
        eigenvalues[d].push_back(static_cast<T>(axes[d].eigenvalue(i)));
      }
      for (int i = 0; i < axes[d].points(); ++i) {
        same[d].push_back(i);
        one[d].push_back(1);
      }
    }
    Queue& queue = equations.queue();
    place_.emplace(queue, place);
    same_.emplace(queue, same);
    sign_.emplace(queue, sign);
    one_.emplace(queue, one);
    eigenvalues_.emplace(queue, eigenvalues);
    transform_ = complex_transform(queue, whole_, data_.data());
    this->bytes = 6.0 * sizeof(T) * static_cast<double>(data_.count());
  }
  [[nodiscard]] bool is_packed() const override { return n_ == whole_; } // periodic axes alone
  void solve(Span<const T> b, Span<T> u, T number) override {
    const bool reads_there = is_packed() && transform_->takes_packed();
    if (reads_there) {
      transform_->forward_from(b.data);
    } else {
      equations_.give(
          Picked<T>{whole_, place_->spans(), sign_->spans(), b, n_, data_.elements(), row_});
      wait_for_host();
      transform_->forward(this->shared_from_this());
    }
    const auto all = static_cast<double>(whole_.x) * static_cast<double>(whole_.y) *
                     static_cast<double>(whole_.z);
    equations_.give(Divided<T>{data_.elements(),
                               {row_ / 2, whole_.y, whole_.z},
                               2,
                               eigenvalues_->spans(),
                               static_cast<T>(equations_.problem().shift),
                               static_cast<T>(static_cast<double>(number) / all)});
    wait_for_host();
    if (reads_there) return transform_->backward_to(u.data);
    transform_->backward(this->shared_from_this());
    equations_.give(Picked<T>{
        n_, same_->spans(), one_->spans(), data_.elements(), {row_, whole_.y, whole_.z}, u, n_.x});
  }

private:
  void wait_for_host() {
    if (!equations_.queue().device().is_gpu()) equations_.queue().wait();
  }
  Equations<T>& equations_;
  Index3 n_, whole_;
  Index row_;
  Field<T> data_;
  std::optional<FourierTables<int>> place_, same_;
  std::optional<FourierTables<T>> sign_, one_, eigenvalues_;
  std::unique_ptr<Transform> transform_;
};

template <class T>
std::string Fourier<T>::problem(const Device& device) {
  return missing_fourier_library(device);
}

template <class T>
bool Fourier<T>::is_small(const Device& device, const GridProblem& problem) {
  if (!device.is_gpu()) return !facts_of(device).is_emulated;
  double times = 1;
  double period = 1;
  bool is_quick = true;
  for (const Continued& axis : axes_of(problem)) {
    times *= static_cast<double>(axis.period()) / axis.points();
    period *= axis.period();
    is_quick = is_quick && largest_prime_of(axis.period()) <= 7;
  }
  bool is_alike = true;
  for (int d = 0; d < 3; ++d) {
    const Axis axis = finest_axis(problem, d);
    is_alike = is_alike && (axis.points() == 1 || weighs_alike(axis, coarsened(axis)));
  }
  // To 1e-10 in fp64 on an H100, all axes doubled, beside cycles: 0.97 ms and 3.8 at 129^3, 7.0 and
  // 10.3 at 257^3, 38.5 and 24.0 at 385^3, 55.6 and 50.9 at 513^3. Fourfold takes half of that,
  // 64-fold 6.7 and 3.4 at 129^3. On an H200 beside cycles in fp32: 0.70 and 1.49 at 129^3, 5.05
  // and 4.49 at 257^3, between neumann faces 4.91 and 4.75, other mirrors 5.04 and 5.69; with a
  // period of 2 127 or 2 3 5 17 3.1 and 1.5 at 128^3, 13.7 and 4.7 at 256^3.
  constexpr double doubled = 9;
  constexpr double most_slow = 4e6;
  // In fp32, to 1e-5: 1.68 and 1.35 at 193^3, 3.02 and 1.55 at 225^3.
  constexpr double most_alike = sizeof(T) == 4 ? 4e7 : 1e8;
  const double most = !is_quick ? most_slow : is_alike ? most_alike : 3e8;
  constexpr double most_of_larger = 6e7;
  if (times < doubled / 2) return true;
  return times < doubled ? problem.order > 2 || period < most : period < most_of_larger;
}

template <class T>
Fourier<T>::Fourier(Equations<T>& equations) : equations_(equations) {
  begin();
}
template <class T>
void Fourier<T>::begin() {
  const Device& device = equations_.queue().device();
  const std::string why_not = problem(device);
  if (!why_not.empty()) throw UsageError("the FFT method cannot be taken: " + why_not);
  const std::array<Continued, 3> axes = axes_of(equations_.problem());
  if (facts_of(device).takes_gpu_schedules) {
    way_ = std::make_shared<Extended>(equations_, axes);
  } else {
    way_ = std::make_shared<Real>(equations_, axes);
  }
}
template <class T>
Fourier<T>::~Fourier() = default;
template <class T>
bool Fourier<T>::is_packed() const {
  return way_ && way_->is_packed();
}
template <class T>
void Fourier<T>::solve(Span<const T> b, Span<T> u, T number) {
  if (!way_) begin();
  try {
    way_->solve(b, u, number);
  } catch (...) {
    way_.reset(); // a transform that was given up may still compute there
    throw;
  }
}
template <class T>
double Fourier<T>::bytes() const {
  return way_ ? way_->bytes : 0;
}

template <class T>
GridMethod method_for(const Equations<T>& equations, const GridOptions& options) {
  const GridProblem& problem = equations.problem();
  const bool varies = equations.finest().a.k.size != 0;
  const bool cycles_alone = !varies && problem.order == 2;
  const bool is_shared = equations.cycle().shared() != nullptr;
  const bool is_mixed = options.precision == CyclePrecision::mixed;
  const bool asks_for_cycles = options.cycle || options.smoother || is_mixed;
  refuse_if(options.cycle == CycleShape::full,
            "a solve's cycle is v, w or f; full is for measurements");
  if (options.method == GridMethod::automatic) {
    const Device& device = equations.queue().device();
    if (options.full && !asks_for_cycles && !varies && !is_shared && !options.reproducible &&
        Fourier<T>::problem(device).empty() && Fourier<T>::is_small(device, problem))
      return GridMethod::fourier;
    if (cycles_alone) return GridMethod::multigrid;
  }
  const bool is_conjugate =
      options.method == GridMethod::automatic || options.method == GridMethod::conjugate_gradients;
  refuse_if(is_conjugate && options.cycle == CycleShape::f,
            "conjugate gradients take cycle v or w: f is not symmetric");
  if (is_conjugate) return GridMethod::conjugate_gradients;
  refuse_if(options.method == GridMethod::multigrid && problem.order > 2,
            "cycles alone solve to order 2; order {} takes conjugate "
            "gradients or Fourier transforms",
            problem.order);
  refuse_if(options.method == GridMethod::fourier && asks_for_cycles,
            "Fourier transforms take no cycle and no smoother, and are in one precision");
  refuse_if(options.method == GridMethod::fourier && varies,
            "Fourier transforms take no coefficient; conjugate gradients do");
  refuse_if(options.method == GridMethod::fourier && (is_shared || options.reproducible),
            "Fourier transforms are for one rank; multigrid and conjugate gradients give "
            "the same bits on any number");
  return options.method;
}

template GridMethod method_for(const Equations<float>&, const GridOptions&);
template GridMethod method_for(const Equations<double>&, const GridOptions&);

template class Fourier<float>;
template class Fourier<double>;

} // namespace ridge::solve::detail
