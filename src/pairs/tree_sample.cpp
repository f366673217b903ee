// How far a tree's sums are off those over all pairs, on a sample of the targets.
#include <ridge/pairs/tree.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::pairs {

/// Targets, of all ranks one after the other.
template <class P>
struct Tree<P>::Sample {
  std::vector<std::uint32_t> places; ///< along the curve of each own target
  std::size_t first_own = 0;         ///< target of all
  std::vector<Stored> at;            ///< 4 a target
  std::vector<double> exact;         ///< 4 a target
  double mass = 0;                   ///< of all bodies
};

namespace {

/// Errors of accelerations that cancel to less than this part of potential squared over all mass,
/// which pairs alone have at least, are relative to that part: rounding leaves no direction in the
/// middle of a lattice.
constexpr double least_of_pairs = 1e-3;

/// `mine` of each rank, all of one size, rank after rank.
template <class T>
std::vector<T> all_of(comm::Communicator& ranks, const std::vector<T>& mine) {
  std::vector<T> all(mine.size() * static_cast<std::size_t>(ranks.ranks()));
  ranks.all_gather(mine.data(), mine.size() * sizeof(T), all.data());
  return all;
}

} // namespace

template <class P>
typename Tree<P>::Sample Tree<P>::own_sample(Index count) {
  const Index n = octree_.count();
  Index least = n;
  if (essential_) {
    comm::Communicator& ranks = essential_->ranks();
    for (const Index other : ranks.gather(n))
      least = std::min(least, other);
    count = ceil_div(count, Index{ranks.ranks()});
  }
  Sample sample;
  sample.places.resize(static_cast<std::size_t>(std::clamp<Index>(count, 1, least)));
  std::vector<Stored> sorted(static_cast<std::size_t>(4 * n));
  copy_to_host(queue_, sorted.data(), octree_.bodies().data, 4 * n);
  queue_.wait();
  for (std::size_t m = 3; m < sorted.size(); m += 4)
    sample.mass += static_cast<double>(sorted[m] / walk_.tree.mass_unit);
  for (std::size_t s = 0; s < sample.places.size(); ++s) {
    const Index place = static_cast<Index>(s) * n / static_cast<Index>(sample.places.size());
    sample.places[s] = static_cast<std::uint32_t>(place);
    const auto body = sorted.begin() + 4 * place;
    sample.at.insert(sample.at.end(), body, body + 4);
  }
  if (essential_) {
    sample.first_own = static_cast<std::size_t>(essential_->ranks().rank()) * sample.places.size();
    sample.at = all_of(essential_->ranks(), sample.at);
    const std::vector<double> masses =
        all_of(essential_->ranks(), std::vector<double>{sample.mass});
    sample.mass = std::accumulate(masses.begin(), masses.end(), 0.0);
  }
  return sample;
}

template <class P>
void Tree<P>::sum_sample(Sample& sample) {
  const Device& device = queue_.device();
  const std::size_t targets = sample.at.size() / 4;
  const auto count = static_cast<Index>(targets);
  std::vector<std::uint32_t> places(targets, no_place);
  std::copy(sample.places.begin(), sample.places.end(),
            places.begin() + static_cast<std::ptrdiff_t>(sample.first_own));
  const Field<std::uint32_t> chosen(device, Extents{count}, "sample of bodies");
  const Field<Stored> at(device, Extents{4 * count}, "sample of bodies");
  const Field<double> exact(device, Extents{4 * exact_parts * count}, "exact sums");
  copy_to_device(queue_, chosen.data(), places.data(), count);
  copy_to_device(queue_, at.data(), sample.at.data(), 4 * count);
  TreeWalk<P> walk = walk_;
  walk.sample = chosen.elements();
  walk.sample_at = at.elements();
  walk.exact = exact.elements();
  step_(queue_, TreeStep::exact, walk);
  std::vector<double> parts(static_cast<std::size_t>(exact.count()));
  copy_to_host(queue_, parts.data(), exact.data(), exact.count());
  queue_.wait();
  sample.exact.assign(4 * targets, 0);
  for (std::size_t s = 0; s < targets; ++s) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(exact_parts); ++p) {
      for (std::size_t c = 0; c < 4; ++c)
        sample.exact[4 * s + c] += parts[4 * (s * exact_parts + p) + c];
    }
  }
  if (!essential_) return;
  const std::vector<double> of_all = all_of(essential_->ranks(), sample.exact);
  std::fill(sample.exact.begin(), sample.exact.end(), 0.0);
  for (std::size_t k = 0; k < of_all.size(); ++k)
    sample.exact[k % sample.exact.size()] += of_all[k];
}

template <class P>
TreeError Tree<P>::error(Index count) {
  Sample sample = own_sample(count);
  sum_sample(sample);
  const Index n = octree_.count();
  std::vector<std::uint32_t> order(static_cast<std::size_t>(n));
  copy_to_host(queue_, order.data(), octree_.order().data, n);
  std::array<std::vector<Summed>, 4> sums;
  for (std::size_t c = 0; c < 4; ++c) {
    sums[c].resize(static_cast<std::size_t>(n));
    copy_to_host(queue_, sums[c].data(), walk_.sums[c].data, n);
  }
  queue_.wait();
  std::vector<double> errors; // of accelerations
  std::vector<double> potentials;
  std::vector<double> lacks{0, 0}; // of masses, and of their potentials, each times mass
  for (std::size_t s = 0; s < sample.places.size(); ++s) {
    const double* const right = sample.exact.data() + 4 * (sample.first_own + s);
    std::array<double, 4> off{};
    for (std::size_t c = 0; c < 4; ++c)
      off[c] = static_cast<double>(sums[c][order[sample.places[s]]]) - right[c];
    const double of_pairs = right[3] == 0 ? 0 : right[3] * (right[3] / sample.mass);
    const double length =
        std::max(std::hypot(right[0], right[1], right[2]), least_of_pairs * of_pairs);
    const double wrong = std::hypot(off[0], off[1], off[2]);
    errors.push_back(wrong == 0 ? 0 : wrong / length);
    potentials.push_back(off[3] == 0 ? 0 : off[3] / right[3]);
    const auto mass = static_cast<double>(sample.at[4 * (sample.first_own + s) + 3]);
    lacks[0] += mass;
    lacks[1] -= mass * off[3];
  }
  if (essential_) {
    errors = all_of(essential_->ranks(), errors);
    potentials = all_of(essential_->ranks(), potentials);
    lacks = all_of(essential_->ranks(), lacks);
  }
  const auto rms = [](const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values)
      squares += value * value;
    return std::sqrt(squares / static_cast<double>(values.size()));
  };
  TreeError error;
  error.sample = static_cast<Index>(errors.size());
  error.rms = rms(errors);
  error.potential = rms(potentials);
  std::array<double, 2> lack{};
  for (std::size_t k = 0; k < lacks.size(); ++k)
    lack[k % 2] += lacks[k];
  if (lack[0] > 0) error.lack = lack[1] / lack[0];
  std::sort(errors.begin(), errors.end());
  error.p99 = errors[(errors.size() - 1) * 99 / 100];
  error.worst = errors.back();
  return error;
}

template TreeError Tree<Fp32>::error(Index);
template TreeError Tree<Fp64>::error(Index);
template TreeError Tree<Mixed>::error(Index);

} // namespace ridge::pairs
