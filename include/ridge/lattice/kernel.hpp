// Kernels of lattice fields by their names: reductions and maps, built in or the user's.
#pragma once

#include <ridge/core/made.hpp>
#include <ridge/lattice/on_arrays.hpp>
#include <ridge/lattice/rank_sums.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/pattern/rank_shares.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace ridge::lattice {

/// A site type by its name: `spinor`, ... Throws UsageError that lists them; empty: a propagator.
[[nodiscard]] SiteShape find_site(const std::string& name, int real_bytes);

/// The lattice that a request asks for. Throws UsageError where its width is none.
[[nodiscard]] Lattice lattice_for(const BenchRequest& request);

/// Random fields for a request.
template <class T>
[[nodiscard]] OwnFields<T> fields_for(const std::string& name, const BenchRequest& request,
                                      int read, int written, const Lattice& on) {
  const SiteShape shape = find_site(request.options.get("site", ""), sizeof(T));
  return {request.device, name, shape, on.geometry(shape.number_bytes()), read, written};
}

/// Times the vendor's sum of `values` into `result`; `record` has all else. Nothing where the kind
/// has none.
template <class T>
[[nodiscard]] std::optional<Record> vendor_sum(Queue& queue, const Span<const T>& values,
                                               const Span<T>& result, const BenchRequest& request,
                                               RoofSource& roofs, Record record);

/// Fields of a call's own, and room for its result.
template <class Call, class T>
struct OwnCall {
  OwnFields<T> fields;
  Call call = {};
  Memory result = {};
};

/// A reduction of random fields; of the slices of the last dimension where `slices`.
template <class R, class T>
class ReduceCase final : public CallCase<ReduceCall<R, T>> {
  using Call = ReduceCall<R, T>;
  using Own = OwnCall<Call, T>;

public:
  ReduceCase(const std::string& name, const BenchRequest& request, RoofSource& roofs,
             const std::shared_ptr<Own>& own)
      : CallCase<Call>(name, own->fields.queue, own->call, {own->fields.roof(), true}, own),
        request_(request), roofs_(roofs) {}

  [[nodiscard]] static std::unique_ptr<Case> make(const std::string& name, const R& reduction,
                                                  const BenchRequest& request, RoofSource& roofs,
                                                  bool slices, bool reproducible) {
    const auto own = std::make_shared<Own>(
        Own{fields_for<T>(name, request, R::inputs, R::stores ? 1 : 0, lattice_for(request))});
    Call& call = own->call;
    call.reduction = reduction;
    call.reproducible = reproducible;
    own->fields.give_to(call);
    call.dimension = slices ? request.size.rank() - 1 : -1;
    own->result = Memory(request.device, Bytes{call.results() * 8}, "the result");
    call.result = {static_cast<double*>(own->result.data()), call.results()};
    return made_as<ReduceCase, Case>(name, request, roofs, own);
  }

  /// Beside all schedules on CUDA: the vendor's sum of as many bytes.
  [[nodiscard]] std::vector<Record> yardsticks() override {
    if (request_.schedule != "all") return {};
    const Call& call = this->call_;
    Queue& queue = this->queue_;
    const Memory number(queue.device(), Bytes{sizeof(T)}, "the yardstick");
    const Span<T> sum(static_cast<T*>(number.data()), 1);
    Record record =
        record_of(queue.device(), call.geometry, call.shape,
                  work_of(call.geometry, call.shape, 1, 0, 1), GpuSchedule{}, this->name_);
    const auto timed = vendor_sum<T>(queue, call.x, sum, request_, roofs_, std::move(record));
    if (!timed) return {};
    ReduceCall<Sum, T> all;
    all.shape = {1, false, static_cast<int>(sizeof(T))};
    all.geometry = call.geometry;
    all.geometry.nsimd *= call.shape.components * call.shape.parts();
    all.x = call.x;
    T value{};
    copy_to_host(queue, &value, static_cast<const T*>(sum.data), 1);
    queue.wait();
    Record checked = *timed;
    checked.check = check_results(expected_results(queue, all), {static_cast<double>(value)},
                                  sizeof(T) == 8 ? 1e-12 : 1e-4);
    return {checked};
  }

private:
  BenchRequest request_;
  RoofSource& roofs_;
};

/// A map of random fields.
template <class M, class T>
[[nodiscard]] std::unique_ptr<Case> map_case(const std::string& name, const M& map,
                                             const BenchRequest& request) {
  using Own = OwnCall<MapCall<M, T>, T>;
  const auto own =
      std::make_shared<Own>(Own{fields_for<T>(name, request, M::inputs, 1, lattice_for(request))});
  own->call.map = map;
  own->fields.give_to(own->call);
  return case_of(name, own->fields.queue, own->call, {own->fields.roof()}, own);
}

/// How ranks run a kernel together: not at all, each on a share of the sites, or so that what is
/// added up are results of slices.
enum class Sharing { none, sites, slices };

/// A kernel of both precisions; `make(T{}, request, roofs)` gives its case in either.
template <class Make>
[[nodiscard]] BenchKernel named_kernel(const std::string& name, const std::string& meaning,
                                       const FieldUse& use, Sharing sharing, const Make& make) {
  const auto either = [=](const BenchRequest& request, RoofSource& roofs) {
    return in_precision(request.precision, name,
                        [&](auto number) { return make(number, request, roofs); });
  };
  BenchKernel kernel{name, "lattice", meaning, Extents{32, 32, 32, 32}, either};
  kernel.make_menu = [=](const BenchRequest& r, const ridge::Place& place) {
    return in_precision(r.precision, name, [&](auto number) {
      const SiteShape shape = find_site(r.options.get("site", ""), sizeof number);
      return menu({use, shape, lattice_for(r).geometry(shape.number_bytes())}, place);
    });
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
  const FieldUse use = use_of<R>(reproducible, slices);
  // Sums of ranks are added up; the bits of reproducible ones would not stay.
  const Sharing sharing = !adds_up<R> || reproducible ? Sharing::none
                          : slices                    ? Sharing::slices
                                                      : Sharing::sites;
  BenchKernel kernel = named_kernel(
      name, meaning, use, sharing,
      [=]<class T>(T number, const BenchRequest& request, RoofSource& roofs) {
        const auto functor = make(number);
        using F = std::remove_const_t<decltype(functor)>;
        return ReduceCase<F, T>::make(name, functor, request, roofs, slices, reproducible);
      });
  constexpr std::size_t stored = R::stores ? 1 : 0;
  kernel.on_arrays = {[=](Queue& queue, RoofSource&, const Arguments& arguments) {
                        return reduction_on_arrays(queue, make, arguments, slices, reproducible);
                      },
                      field_names(R::inputs, stored), R::inputs};
  if constexpr (has_rank_sums<R>) {
    if (!reproducible) return kernel;
    kernel.add_ranks([=](const BenchRequest& request, RoofSource&) {
      return in_precision(request.precision, name, [&](auto number) {
        return rank_sums_case<R>({name, use, slices}, request.device,
                                 find_site(request.options.get("site", ""), sizeof number),
                                 *request.world.ranks,
                                 {request.size, shares_grid(request.world, request.size, name),
                                  request.world.ranks->rank(), 0, lattice_for(request).width()});
      });
    });
  }
  return kernel;
}

/// `make(T{})` is the map.
template <class Make>
[[nodiscard]] BenchKernel map_kernel(const std::string& name, const std::string& meaning,
                                     const Make& make) {
  using M = std::remove_const_t<decltype(make(double{}))>;
  const FieldUse use{Task::map, M::inputs, 1, M::flops};
  BenchKernel kernel =
      named_kernel(name, meaning, use, Sharing::sites,
                   [=]<class T>(T number, const BenchRequest& request, RoofSource&) {
                     const auto functor = make(number);
                     using F = std::remove_const_t<decltype(functor)>;
                     return map_case<F, T>(name, functor, request);
                   });
  kernel.on_arrays = {[=](Queue& queue, RoofSource&, const Arguments& arguments) {
                        return map_on_arrays(queue, make, arguments);
                      },
                      field_names(M::inputs, 1), M::inputs};
  return kernel;
}

} // namespace ridge::lattice
