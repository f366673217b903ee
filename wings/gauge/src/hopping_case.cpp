#include <ridge/device/generate.hpp>
#include <ridge/gauge/reference.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/lattice/check.hpp>
#include <ridge/lattice/menu.hpp>
#include <ridge/lattice/random.hpp>
#include <ridge/lattice/width.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/pattern/call_case.hpp>
#include <ridge/pattern/precision.hpp>

#include "core/refuse.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <mutex>

namespace ridge::gauge {

namespace {

using lattice::Coordinates;
using lattice::Geometry;
using C = std::complex<double>;

/// The fields of a case on the host.
template <class T>
struct HostFields {
  std::array<const T*, dimensions> links;
  const T* psi;
  const T* out;
};

/// Component c of a tensor of `components` complex numbers.
template <class T>
C number_at(const T* field, const Geometry& g, const lattice::Place& p, int components, int c) {
  const T* const at = field + ((p.group * components + c) * g.nsimd + p.lane) * 2;
  return {at[0], at[1]};
}

template <class T>
Expected expected_at(const HostFields<T>& f, const Geometry& g, const Coordinates& x) {
  return reference_hopping(
      {g.extent(0), g.extent(1), g.extent(2), g.extent(3)}, x, false,
      [&](int mu, const Coordinates& at) {
        HostLink link;
        for (int c = 0; c < 9; ++c)
          link[static_cast<std::size_t>(c)] =
              number_at(f.links[static_cast<std::size_t>(mu)], g, g.place(at), 9, c);
        return link;
      },
      [&](const Coordinates& at) {
        HostSpinor psi;
        for (int c = 0; c < 12; ++c)
          psi[static_cast<std::size_t>(c)] = number_at(f.psi, g, g.place(at), 12, c);
        return psi;
      });
}

/// The largest error of a site of `out`, relative to the magnitudes of what its component adds up,
/// and where it is.
struct Worst {
  double error = 0;
  Coordinates at;
  int component = 0;

  void take(double found, const Coordinates& x, int c) {
    if (found <= error) return;
    error = found;
    at = x;
    component = c;
  }
};

template <class T>
Worst compare(const HostFields<T>& f, const Geometry& g) {
  Worst worst;
  std::mutex guard;
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    Worst mine;
    const auto share = cpu::share_of(g.groups, thread, threads);
    for (Index group = share.begin; group < share.end; ++group) {
      for (int lane = 0; lane < g.nsimd; ++lane) {
        const lattice::Place place{group, lane};
        const Coordinates x = g.coordinates(place);
        const Expected right = expected_at(f, g, x);
        for (int c = 0; c < 12; ++c) {
          const auto i = static_cast<std::size_t>(c);
          const double error = gauge::size_of(number_at(f.out, g, place, 12, c) - right.value[i]);
          mine.take(std::isnan(error) ? HUGE_VAL : error / right.scale[i], x, c);
        }
      }
    }
    const std::lock_guard lock(guard);
    worst.take(mine.error, mine.at, mine.component);
  });
  return worst;
}

template <class T>
using HoppingCall = lattice::SiteLoopCall<typename Hopping<T>::Fermion, Hopping<T>>;

/// Random fields and a call on them.
template <class T>
struct OwnHopping {
  using Kernel = Hopping<T>;

  OwnHopping(const Device& device, const lattice::Lattice& on)
      : queue(device), lattice(on), psi(queue.device(), lattice, "psi"),
        out(queue.device(), lattice, "out") {
    for (std::uint64_t mu = 0; mu < dimensions; ++mu) {
      links.emplace_back(queue.device(), lattice, fmt::format("links {}", mu));
      lattice::fill_random(queue, links.back(), mu + 1);
    }
    lattice::fill_random(queue, psi, dimensions + 1);
    call.like = out.view();
    for (std::size_t mu = 0; mu < dimensions; ++mu)
      call.kernel.links[mu] = links[mu].view();
    call.kernel.psi = psi.view();
    call.kernel.out = out.view();
  }

  Queue queue;
  lattice::Lattice lattice;
  std::vector<lattice::Field<typename Kernel::Link>> links;
  lattice::Field<typename Kernel::Fermion> psi, out;
  HoppingCall<T> call;
};

} // namespace

} // namespace ridge::gauge

template <class T>
class ridge::Reference<ridge::gauge::HoppingCall<T>> {
  using Call = gauge::HoppingCall<T>;

public:
  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    return {{call.kernel.out.reals.data, bytes_of(call.kernel.out)}};
  }
  /// Against whole gamma matrices in double, relative to the magnitudes of what a number adds up.
  [[nodiscard]] static Check check(Queue& queue, const Call& call) {
    const auto& k = call.kernel;
    const auto part = [&](const auto& view) {
      return lattice::detail::HostPart<T>(queue, Span<const T>(view.reals), view.reals.size);
    };
    lattice::detail::HostPart<T> links[] = {part(k.links[0]), part(k.links[1]), part(k.links[2]),
                                            part(k.links[3])};
    auto psi = part(k.psi);
    auto out = part(k.out);
    gauge::HostFields<T> f{};
    queue.wait();
    for (std::size_t mu = 0; mu < gauge::dimensions; ++mu)
      f.links[mu] = links[mu].fetch(queue, 0, k.links[mu].reals.size);
    f.psi = psi.fetch(queue, 0, k.psi.reals.size);
    f.out = out.fetch(queue, 0, k.out.reals.size);
    queue.wait();
    const gauge::Worst worst = gauge::compare(f, k.out.geometry);
    Check check;
    check.max_error = worst.error;
    check.ok = worst.error <= (sizeof(T) == 8 ? 4e-15 : 2e-6);
    if (!check.ok) {
      const lattice::Coordinates& x = worst.at;
      check.message = fmt::format("component {} of the site {},{},{},{} differs by {:.1e}, "
                                  "relative to the magnitudes of what it adds up",
                                  worst.component, x[0], x[1], x[2], x[3], worst.error);
    }
    return check;
  }
  [[nodiscard]] static Limit limit(Queue& /*queue*/, const Call& call) {
    const auto& k = call.kernel;
    Bytes all = bytes_of(k.psi) + bytes_of(k.out);
    for (const auto& links : k.links)
      all = all + bytes_of(links);
    return {"copy", "B/s", static_cast<double>(all.value), std::nullopt,
            roof_memory(k.out.reals.data, k.psi.reals.data, bytes_of(k.out))};
  }

private:
  [[nodiscard]] static Bytes bytes_of(const auto& view) {
    return {view.reals.size * static_cast<Index>(sizeof(T))};
  }
};

namespace ridge::gauge {

namespace {

constexpr const char* hopping_name = "hopping";

std::unique_ptr<Case> hopping_case(const BenchRequest& request, RoofSource& /*roofs*/) {
  const Extents& size = request.size;
  return in_precision(request.precision, hopping_name, [&]<class T>(T /*number*/) {
    refuse_if(size.rank() != dimensions,
              "the hopping term is of four dimensions, such as 16x16x16x32; {} has {}",
              to_text(size), size.rank());
    const auto asked = request.options.find<int>("width");
    const lattice::Lattice on(
        size, asked ? *asked : lattice::width_for(request.device, size, 2 * int{sizeof(T)}));
    const auto own = std::make_shared<OwnHopping<T>>(request.device, on);
    return case_of(hopping_name, own->queue, own->call, {}, own);
  });
}

const KernelsAnnounced hopping_kernels(2, [] {
  BenchKernel kernel{hopping_name, "lattice",
                     "the hopping term of Wilson fermions: a site kernel that reads all neighbours",
                     Extents{32, 32, 32, 32}, &hopping_case};
  kernel.in_lab = true;
  return std::vector{kernel};
});

} // namespace

} // namespace ridge::gauge
