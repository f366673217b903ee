// The lab's site kernel: the hopping term of Wilson fermions.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/reference.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/lattice_check.hpp>
#include <ridge/lattice/menu.hpp>
#include <ridge/lattice/random.hpp>
#include <ridge/lattice/width.hpp>

#include "lattice_bench.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <mutex>

namespace ridge::lab {

namespace {

using lattice::Coordinates;
using lattice::Geometry;
using C = std::complex<double>;

/// The fields of a case on the host.
template <class T>
struct HostFields {
  std::array<const T*, gauge::dimensions> links;
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
gauge::Expected expected_at(const HostFields<T>& f, const Geometry& g, const Coordinates& x) {
  return gauge::reference_hopping(
      {g.extent(0), g.extent(1), g.extent(2), g.extent(3)}, x, false,
      [&](int mu, const Coordinates& at) {
        gauge::HostLink link;
        for (int c = 0; c < 9; ++c)
          link[static_cast<std::size_t>(c)] =
              number_at(f.links[static_cast<std::size_t>(mu)], g, g.place(at), 9, c);
        return link;
      },
      [&](const Coordinates& at) {
        gauge::HostSpinor psi;
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
        const gauge::Expected right = expected_at(f, g, x);
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
class HoppingCase final : public Case {
public:
  using Kernel = gauge::Hopping<T>;
  using Call = lattice::SiteLoopCall<typename Kernel::Fermion, Kernel>;

  HoppingCase(std::string name, const BenchRequest& request)
      : name_(std::move(name)), queue_(request.device), lattice_(lattice_of(request)),
        psi_(queue_.device(), lattice_, "psi"), out_(queue_.device(), lattice_, "out") {
    for (std::uint64_t mu = 0; mu < gauge::dimensions; ++mu) {
      links_.emplace_back(queue_.device(), lattice_, fmt::format("links {}", mu));
      lattice::fill_random(queue_, links_.back(), mu + 1);
    }
    lattice::fill_random(queue_, psi_, gauge::dimensions + 1);
    call_.like = out_.view();
    for (std::size_t mu = 0; mu < gauge::dimensions; ++mu)
      call_.kernel.links[mu] = links_[mu].view();
    call_.kernel.psi = psi_.view();
    call_.kernel.out = out_.view();
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return subject_of(call_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, call_, held<lattice::Schedule>(s), name_};
  }
  void poison() override { fill_bytes(queue_, out_.reals().data, 0xff, out_.bytes()); }
  /// Against whole gamma matrices in double, relative to the magnitudes of what a number adds up.
  [[nodiscard]] Check check() override {
    const Index links = links_[0].reals().size;
    const Index spinors = out_.reals().size;
    detail::HostPart<T> parts[] = {part(links_[0]), part(links_[1]), part(links_[2]),
                                   part(links_[3]), part(psi_),      part(out_)};
    HostFields<T> f{};
    queue_.wait();
    for (std::size_t mu = 0; mu < gauge::dimensions; ++mu)
      f.links[mu] = parts[mu].fetch(queue_, 0, links);
    f.psi = parts[4].fetch(queue_, 0, spinors);
    f.out = parts[5].fetch(queue_, 0, spinors);
    queue_.wait();
    const Worst worst = compare(f, out_.geometry());
    Check check;
    check.max_error = worst.error;
    check.ok = worst.error <= (sizeof(T) == 8 ? 4e-15 : 2e-6);
    if (!check.ok) {
      const Coordinates& x = worst.at;
      check.message = fmt::format("component {} of the site {},{},{},{} differs by {:.1e}, "
                                  "relative to the magnitudes of what it adds up",
                                  worst.component, x[0], x[1], x[2], x[3], worst.error);
    }
    return check;
  }
  [[nodiscard]] Limit limit() const override {
    const Bytes all = links_[0].bytes() + links_[1].bytes() + links_[2].bytes() +
                      links_[3].bytes() + psi_.bytes() + out_.bytes();
    return {"copy", "B/s", static_cast<double>(all.value), std::nullopt,
            roof_memory(out_.reals().data, psi_.reals().data, out_.bytes())};
  }

private:
  static lattice::Lattice lattice_of(const BenchRequest& request) {
    if (request.size.rank() != gauge::dimensions) {
      throw UsageError(fmt::format("the hopping term is of four dimensions, such as 16x16x16x32; "
                                   "{} has {}",
                                   to_text(request.size), request.size.rank()));
    }
    constexpr int number_bytes = 2 * sizeof(T);
    return lattice::Lattice(request.size,
                            request.width != 0
                                ? request.width
                                : lattice::width_for(request.device, request.size, number_bytes));
  }
  template <class Site>
  detail::HostPart<T> part(const lattice::Field<Site>& field) {
    return {queue_, field.reals(), field.reals().size};
  }
  std::string name_;
  Queue queue_;
  lattice::Lattice lattice_;
  std::vector<lattice::Field<typename Kernel::Link>> links_;
  lattice::Field<typename Kernel::Fermion> psi_, out_;
  Call call_;
};

} // namespace

void add_hopping(std::vector<BenchKernel>& kernels) {
  const std::string name = "hopping";
  const auto make = [=](const BenchRequest& request, RoofSource&) -> std::unique_ptr<Case> {
    if (request.precision == "fp64") return std::make_unique<HoppingCase<double>>(name, request);
    if (request.precision == "fp32") return std::make_unique<HoppingCase<float>>(name, request);
    throw UsageError(
        fmt::format("unknown precision '{}'; {} has fp32 and fp64", request.precision, name));
  };
  BenchKernel kernel{name, "lattice",
                     "the hopping term of Wilson fermions: a site kernel that reads all neighbours",
                     Extents{32, 32, 32, 32}, make};
  kernel.in_lab = true;
  kernels.push_back(kernel);
}

} // namespace ridge::lab
