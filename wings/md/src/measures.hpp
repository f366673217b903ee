// Sums over all bodies as they move, on their device and over ranks.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/lists/launch.hpp>

#include "shells.hpp"
#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ridge::md {

/// Bodies at one step. Over ranks, those that this one moves.
template <class T>
struct BodiesAt {
  std::array<Span<const T>, 3> position, velocity;
  std::array<Span<const int>, 3> images;
  Some which;
};

/// Calls are collective. The bits of what they give depend on no order.
template <class T>
class Measures {
public:
  Measures(Queue& queue, comm::Communicator& ranks, const pairs::Lists<T>& lists,
           const Parameters& parameters, const pairs::ListSchedule& schedule)
      : queue_(queue), ranks_(ranks), lists_(lists), parameters_(parameters), schedule_(schedule),
        bodies_(lists.data().bodies) {}

  /// The sum of v . v, where that of a body is about `mean`.
  [[nodiscard]] double squares(const BodiesAt<T>& at, double mean) {
    BodySums<T> sums = base(at);
    sums.scale[0] = scale_for(mean);
    return static_cast<double>(add_up(sums)[0]) / sums.scale[0];
  }

  /// Adds what there is at a step, since the origin that `samples` has, relative to the mean of all
  /// bodies: a motion as a whole is no diffusion.
  void add_displacement(const BodiesAt<T>& at, Index step, Samples& samples) {
    if (origin_ != samples.origin) bring(samples);
    BodySums<T> sums = base(at);
    for (std::size_t c = 0; c < 3; ++c) {
      sums.origin_position[c] = origin_position_[c].elements();
      sums.origin_velocity[c] = origin_velocity_[c].elements();
    }
    const double cutoff = parameters_.cutoff;
    sums.scale = {0, scale_for(mean_square_), scale_for(16 * cutoff * cutoff),
                  scale_for(4 * cutoff), scale_for(std::sqrt(mean_square_))};
    const std::vector<Index> found = add_up(sums);
    const auto mean = [&](std::size_t k) {
      const double scale = sums.scale[k < 3 ? k : k / 3 + 2];
      return static_cast<double>(found[k]) / scale / static_cast<double>(bodies_);
    };
    double square = mean(2);
    double product = mean(1);
    for (std::size_t c = 0; c < 3; ++c) {
      square -= mean(3 + c) * mean(3 + c);
      product -= mean(6 + c) * mean_velocity_[c];
    }
    const Index since = step - samples.origin;
    samples.add(static_cast<std::size_t>(since / parameters_.sampling.every),
                static_cast<double>(since) * parameters_.dt, square, product);
  }

  /// Adds how many bodies are in shells around each.
  void add_shells(const Some& which, Samples& samples) {
    const auto shells = static_cast<std::size_t>(parameters_.sampling.shells);
    if (passes_.empty()) bind_shells();
    samples.near.resize(shells);
    ++samples.radial;
    Index before = 0; // nearer than the shell
    for (std::size_t pass = 0; pass < passes_.size(); ++pass) {
      passes_[pass].run();
      CountSums<T> sums{{}, which, parts_of(shells_together)};
      for (std::size_t k = 0; k < counts_.size(); ++k)
        sums.counts[k] = counts_[k].elements();
      sum_counts_(queue_, sums);
      const std::vector<Index> found = total(shells_together);
      for (std::size_t k = 0; k < found.size() && pass * found.size() + k < shells; ++k) {
        samples.near[pass * found.size() + k] += static_cast<double>(found[k] - before);
        before = found[k];
      }
    }
  }

private:
  /// No sum of all bodies' numbers is beyond 2^62, and a body may have 2^20 times the usual.
  [[nodiscard]] double most() const { return 0x1p62 / static_cast<double>(bodies_); }
  [[nodiscard]] double scale_for(double usual) const {
    return most() / 0x1p20 / (usual > 0 ? usual : 1);
  }

  [[nodiscard]] BodySums<T> base(const BodiesAt<T>& at) {
    BodySums<T> sums;
    sums.position = at.position;
    sums.velocity = at.velocity;
    sums.images = at.images;
    sums.period = parameters_.box;
    sums.most = most();
    sums.bodies = at.which;
    return sums;
  }
  [[nodiscard]] std::vector<Index> add_up(BodySums<T>& sums) {
    sums.sums = parts_of(sums.count);
    sum_bodies_(queue_, sums);
    return total(sums.count);
  }

  [[nodiscard]] Span<Index> parts_of(Index width) {
    constexpr Index of_cpu = 64;
    const Index parts =
        queue_.device().is_gpu() ? std::clamp<Index>(bodies_ / 16, 1, 8192) : of_cpu;
    if (sums_.count() < width * parts)
      sums_ = Field<Index>(queue_.device(), Extents{width * parts}, "sums over bodies");
    used_ = width * parts;
    return {sums_.data(), used_};
  }
  /// The sum over all parts and all ranks.
  [[nodiscard]] std::vector<Index> total(Index width) {
    std::vector<Index> parts(static_cast<std::size_t>(used_));
    copy_to_host(queue_, parts.data(), static_cast<const Index*>(sums_.data()), used_);
    queue_.wait();
    const auto wide = static_cast<std::size_t>(width);
    std::vector<Index> own(wide), sum(wide);
    for (std::size_t i = 0; i < parts.size(); ++i)
      own[i % wide] += parts[i];
    std::vector<Index> all(wide * static_cast<std::size_t>(ranks_.ranks()));
    ranks_.all_gather(own.data(), wide * sizeof(Index), all.data());
    for (std::size_t i = 0; i < all.size(); ++i)
      sum[i % wide] += all[i];
    return sum;
  }

  void bring(const Samples& samples) {
    origin_ = samples.origin;
    const auto load = [&](const std::vector<double>& from, Field<double>& to) {
      if (to.count() == 0)
        to = Field<double>(queue_.device(), Extents{bodies_}, "bodies of the origin");
      copy_to_device(queue_, to.data(), from.data(), bodies_);
    };
    mean_square_ = 0;
    mean_velocity_ = {};
    for (std::size_t c = 0; c < 3; ++c) {
      load(samples.position[c], origin_position_[c]);
      load(samples.velocity[c], origin_velocity_[c]);
      for (const double v : samples.velocity[c]) {
        mean_square_ += v * v / static_cast<double>(bodies_);
        mean_velocity_[c] += v / static_cast<double>(bodies_);
      }
    }
    queue_.wait();
  }

  void bind_shells() {
    for (Field<T>& counts : counts_)
      counts = Field<T>(queue_.device(), Extents{bodies_}, "counts of near bodies");
    const Index shells = parameters_.sampling.shells;
    const double width = parameters_.cutoff / static_cast<double>(shells);
    for (Index first = 0; first < shells; first += shells_together) {
      CountShells shell;
      shell.cutoff_squared = parameters_.cutoff * parameters_.cutoff;
      for (Index k = 0; k < std::min<Index>(shells_together, shells - first); ++k) {
        const double edge = width * static_cast<double>(first + k + 1);
        shell.squared[k] = first + k + 1 == shells ? shell.cutoff_squared : edge * edge;
      }
      if constexpr (std::is_same_v<T, float>) {
        bind_pass<pairs::Fp32>(shell);
      } else if (parameters_.precision == spatial::Precision::mixed) {
        bind_pass<pairs::Mixed>(shell);
      } else {
        bind_pass<pairs::Fp64>(shell);
      }
    }
  }
  template <class P>
  void bind_pass(const CountShells& shell) {
    std::array<Span<T>, shells_together> counts;
    for (std::size_t k = 0; k < counts.size(); ++k)
      counts[k] = counts_[k].elements();
    const auto call = pairs::among_themselves<CountShells, P>(shell, lists_.positions(), counts);
    passes_.emplace_back(queue_, pairs::within(lists_, call), schedule_, "shells");
  }

  Queue& queue_;
  comm::Communicator& ranks_;
  const pairs::Lists<T>& lists_;
  const Parameters& parameters_;
  pairs::ListSchedule schedule_;
  Index bodies_;
  SumBodies<T>* sum_bodies_ = offered<SumBodies<T>>(queue_.device().kind(), typeid(BodySums<T>));
  SumCounts<T>* sum_counts_ = offered<SumCounts<T>>(queue_.device().kind(), typeid(CountSums<T>));
  Field<Index> sums_;
  Index used_ = 0;
  std::array<Field<double>, 3> origin_position_, origin_velocity_;
  Index origin_ = -1;      ///< step that these are of
  double mean_square_ = 0; ///< of those velocities
  std::array<double, 3> mean_velocity_{};
  std::array<Field<T>, shells_together> counts_;
  std::vector<Program> passes_;
};

} // namespace ridge::md
