// Benchmarks of reductions and maps of lattice fields, built in or the user's.
#pragma once

#include <ridge/lab/lattice_case.hpp>
#include <ridge/lab/on_arrays/lattice.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lab/rank_sums.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace ridge::lab {

/// Throws UsageError for a precision that is neither fp32 nor fp64.
void require_lattice_precision(const std::string& name, const std::string& precision);

/// How ranks run a kernel together: not at all, each on a share of the sites, or so that what is
/// added up are results of slices.
enum class Sharing { none, sites, slices };

/// A kernel of both precisions; `make(T{}, request, roofs)` gives its case in either.
template <class Make>
[[nodiscard]] BenchKernel lattice_kernel(const std::string& name, const std::string& meaning,
                                         const lattice::FieldUse& use, Sharing sharing,
                                         const Make& make) {
  const auto either = [=](const BenchRequest& request, RoofSource& roofs) -> std::unique_ptr<Case> {
    require_lattice_precision(name, request.precision);
    if (request.precision == "fp32") return make(float{}, request, roofs);
    return make(double{}, request, roofs);
  };
  BenchKernel kernel{name, "lattice", meaning, Extents{32, 32, 32, 32}, either};
  kernel.make_menu = [=](const BenchRequest& r, const Place& place) {
    require_lattice_precision(name, r.precision);
    const lattice::SiteShape shape = find_site(r.site, r.precision == "fp32" ? 4 : 8);
    return lattice::menu({use, shape, lattice_for(r).geometry(shape.number_bytes())}, place);
  };
  if (sharing != Sharing::none) {
    kernel.add_ranks([=](const BenchRequest& request, RoofSource& roofs) {
      return share_case(name, either, request, roofs, sharing == Sharing::slices);
    });
  }
  return kernel;
}

/// x, y and z: the arrays that are read, and then the one that is written, where there is one.
[[nodiscard]] std::vector<std::string> field_names(std::size_t read, std::size_t written);

/// `make(T{})` is the reduction.
template <class Make>
[[nodiscard]] BenchKernel reduction_kernel(const std::string& name, const std::string& meaning,
                                           const Make& make, bool slices = false,
                                           bool reproducible = false) {
  using R = std::remove_const_t<decltype(make(double{}))>;
  const lattice::FieldUse use = lattice::use_of<R>(reproducible, slices);
  // Sums of ranks are added up; the bits of reproducible ones would not stay.
  const Sharing sharing = !lattice::adds_up<R> || reproducible ? Sharing::none
                          : slices                             ? Sharing::slices
                                                               : Sharing::sites;
  BenchKernel kernel =
      lattice_kernel(name, meaning, use, sharing,
                     [=]<class T>(T number, const BenchRequest& request, RoofSource& roofs) {
                       const auto functor = make(number);
                       using F = std::remove_const_t<decltype(functor)>;
                       return std::make_unique<ReduceCase<F, T>>(name, functor, request, roofs,
                                                                 slices, reproducible);
                     });
  constexpr std::size_t stored = R::stores ? 1 : 0;
  kernel.on_arrays = {[=](Queue& queue, RoofSource&, const Arguments& arguments) {
                        return reduction_on_arrays(queue, make, arguments, slices, reproducible);
                      },
                      field_names(R::inputs, stored), R::inputs};
  if (reproducible && summed_by<R>) {
    kernel.add_ranks([=](const BenchRequest& request, RoofSource&) {
      return rank_sums_case({name, use, *summed_by<R>, slices}, request);
    });
  }
  return kernel;
}

/// `make(T{})` is the map.
template <class Make>
[[nodiscard]] BenchKernel map_kernel(const std::string& name, const std::string& meaning,
                                     const Make& make) {
  using M = std::remove_const_t<decltype(make(double{}))>;
  const lattice::FieldUse use{lattice::Task::map, M::inputs, 1, M::flops};
  BenchKernel kernel =
      lattice_kernel(name, meaning, use, Sharing::sites,
                     [=]<class T>(T number, const BenchRequest& request, RoofSource&) {
                       const auto functor = make(number);
                       using F = std::remove_const_t<decltype(functor)>;
                       return std::make_unique<MapCase<F, T>>(name, functor, request);
                     });
  kernel.on_arrays = {[=](Queue& queue, RoofSource&, const Arguments& arguments) {
                        return map_on_arrays(queue, make, arguments);
                      },
                      field_names(M::inputs, 1), M::inputs};
  return kernel;
}

} // namespace ridge::lab
