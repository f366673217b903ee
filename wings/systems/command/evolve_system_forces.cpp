// Forces on bodies in a fluid: sums of populations on the links that walls cross, found once.
#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/chain_boltzmann_walls.hpp>

#include "evolve_system_command.hpp"

#include <fmt/format.h>

#include <tuple>

namespace ridge::app {

namespace {

/// Shares by array and place, of one body along one axis.
struct Shares {
  std::map<std::tuple<int, Index, Index, Index>, double> of;
  double add = 0;
};

double factor_of_walls(const SystemKernel& kernel) {
  for (const chain::SystemNumber& number : kernel.numbers) {
    if (number.name == "walls") return number.value;
  }
  return 1;
}

} // namespace

void SystemCommand::find_forces() {
  if (run_["forces"].empty()) return;
  if (!kernel_.has_bodies)
    throw UsageError(fmt::format("--forces: {} has no bodies; lbm-walls has", kernel_.name));
  for (const chain::StepTable& table : setup_.by_step) {
    if (table.number == "walls")
      throw UsageError("--forces: walls must move alike in all steps; leave --by-step walls out");
  }
  const auto all = static_cast<std::size_t>(arrays());
  std::map<int, std::array<Shares, 3>> bodies;
  Planes around;
  Planes begun;
  Index3 at;
  const auto place = [&](const chain::Offset& by) {
    return Index3{plane_beside(at.x, 0, by.x), plane_beside(at.y, 1, by.y),
                  plane_beside(at.z, 2, by.z)};
  };
  const auto beside = [&](const chain::Offset& by) {
    const Index3 to = place(by);
    return begun.at(to.z).data() + static_cast<std::size_t>(to.x + extents_.x * to.y) * all;
  };
  const auto add = [&](int body, const chain::Offset& along, int array, const chain::Offset& by,
                       double weight) {
    const Index3 from = place(by);
    for (int d = 0; d < dimensions_; ++d) {
      Shares& shares = bodies[body][static_cast<std::size_t>(d)];
      const double part = weight * along.along(d);
      if (array < 0) {
        shares.add += part;
      } else if (part != 0) {
        shares.of[{array, from.z, from.y, from.x}] += part;
      }
    }
  };
  for (at.z = 0; at.z < extents_.z; ++at.z) {
    Planes kept;
    for (const int by : {-1, 0, 1}) {
      const Index z = plane_beside(at.z, 2, by);
      if (kept.contains(z)) continue;
      kept.emplace(z, begun.contains(z) ? std::move(begun.at(z)) : begun_plane(z, around));
    }
    begun = std::move(kept);
    for (at.y = 0; at.y < extents_.y; ++at.y) {
      for (at.x = 0; at.x < extents_.x; ++at.x)
        lab::boltzmann_system::for_each_force(beside, factor_of_walls(kernel_), add);
    }
  }
  for (const auto& [body, axes] : bodies) {
    bodies_.push_back(body);
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) {
      chain::SystemSum sum{{}, axes[d].add};
      for (const auto& [from, weight] : axes[d].of) {
        const auto& [array, z, y, x] = from;
        if (weight != 0) sum.shares.push_back({array, {x, y, z}, weight});
      }
      setup_.sums.push_back(std::move(sum));
    }
  }
  if (bodies_.empty())
    throw UsageError("--forces: no point of the start's `solid` is 1 or more beside a fluid");
}

void SystemCommand::require_codes(const std::vector<StartField>& populations) const {
  const auto points = static_cast<std::size_t>(extents_.x * extents_.y);
  std::vector<double> rest(points);
  std::vector<double> first(points);
  for (Index z = own_.begin.z; z < own_.end.z; ++z) {
    read_plane(populations[0], z, rest);
    read_plane(populations[1], z, first);
    for (std::size_t p = 0; p < points; ++p) {
      if (!lab::boltzmann_system::is_old_solid(rest[p], first[p])) continue;
      throw UsageError(fmt::format("{} is of an earlier ridge, which kept solids otherwise; start "
                                   "anew from its rho, ux, uy and uz, with `solid`",
                                   populations[0].data->name().file.string()));
    }
  }
}

Forces SystemCommand::all_forces() const {
  Forces made{bodies_, static_cast<std::size_t>(dimensions_), forces_before_};
  if (bodies_.empty()) return made;
  made.rows.resize(setup_.sums.size());
  for (std::size_t s = 0; s < made.rows.size(); ++s) {
    for (const double mine : system_->sums()[s])
      made.rows[s].push_back(ranks_.sum(mine));
  }
  return made;
}

} // namespace ridge::app
