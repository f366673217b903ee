// D of Wilson fermions, with the clover term or without, and its Schur complement, on one rank or
// over several, as programs that solvers bind.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/gauge/one_parity.hpp>
#include <ridge/gauge/operators.hpp>
#include <ridge/solve/solver.hpp>
#include <ridge/solve/vector_call.hpp>

#include "clover_fields.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ridge::gauge::detail {

[[nodiscard]] inline bool all_even(const Extents& extents) {
  bool even = true;
  for (int d = 0; d < 4; ++d)
    even = even && extents[d] % 2 == 0;
  return even;
}

/// D, or where all extents are even its Schur complement on even sites, on spans that lie as
/// fermions of the links' lattice. Odd sites of the result, and those of other ranks, are left as
/// they are: 0 in a solver's vectors.
template <class T>
class Operators {
public:
  using Subset = lattice::Subset;
  /// out = diagonal here + hop H psi at a subset of the whole lattice's sites. With the clover term
  /// A a diagonal other than 0 is A, and where it is 0 out = hop A^-1 H psi.
  struct Step {
    Subset subset;
    Span<T> out;
    double diagonal;
    Span<const T> here;
    double hop;
    Span<const T> psi;
    bool dagger = false;
  };

  /// `clover`: of fp64 alone, with numbers of a diagonal of 1; none where it is null.
  Operators(const Placed& placed, const Links<T>& links, const WilsonNumbers& numbers,
            const CloverFields* clover = nullptr)
      : placed_(placed), links_(links), numbers_(numbers), clover_(clover),
        even_odd_(all_even(placed.part.whole())), odd_(placed.queue.device(), placed.held, "H psi"),
        between_(placed.queue.device(), placed.held, "D psi") {
    fill_bytes(placed.queue, odd_.reals().data, 0, odd_.bytes());
    fill_bytes(placed.queue, between_.reals().data, 0, between_.bytes());
  }
  [[nodiscard]] bool even_odd() const { return even_odd_; }

  /// out = A in, or A^+ in.
  void add(std::vector<Program>& programs, Span<T> out, Span<const T> in, bool dagger) const {
    const double d = numbers_.diagonal;
    const double h = numbers_.hop;
    if (!even_odd_) {
      whole(programs, out, in, dagger);
      return;
    }
    add(programs, {Subset::odd, odd_.reals(), 0, in, 1, in, dagger});
    add(programs, {Subset::even, out, d, in, -h * h / d, odd_.reals(), dagger});
  }
  /// out = D in, or D^+ in, at all sites.
  void whole(std::vector<Program>& programs, Span<T> out, Span<const T> in, bool dagger) const {
    add(programs, {Subset::all, out, numbers_.diagonal, in, numbers_.hop, in, dagger});
  }
  [[nodiscard]] std::vector<Program> apply(Span<T> out, Span<const T> in) const {
    std::vector<Program> programs;
    add(programs, out, in, false);
    return programs;
  }
  /// out = A^+ A in.
  [[nodiscard]] std::vector<Program> normal(Span<T> out, Span<const T> in) const {
    std::vector<Program> programs;
    add(programs, between_.reals(), in, false);
    add(programs, out, between_.reals(), true);
    return programs;
  }
  /// out = D^+ D in.
  [[nodiscard]] std::vector<Program> whole_normal(Span<T> out, Span<const T> in) const {
    std::vector<Program> programs;
    whole(programs, between_.reals(), in, false);
    whole(programs, out, between_.reals(), true);
    return programs;
  }
  /// out = (D^+ D + shift) in, as D^+ D in + diagonal (shift / diagonal in).
  [[nodiscard]] std::vector<Program> shifted_normal(Span<T> out, Span<const T> in, double shift) {
    if (!more_) more_.emplace(placed_.queue.device(), placed_.held, "D psi and its shift");
    std::vector<Program> programs;
    whole(programs, between_.reals(), in, false);
    const Span<T> more = more_->reals();
    const Span<const T> image = between_.reals();
    Queue& queue = placed_.queue;
    programs.emplace_back(
        queue,
        Bound([&queue, more, image,
               add = solve::bind(queue,
                                 solve::VectorCall<solve::AddShift>{
                                     {more, in, shift / numbers_.diagonal}, in.size, {}})] {
          copy_bytes_on_device(queue, more.data, image.data,
                               Bytes{image.size * static_cast<Index>(sizeof(T))});
          add.run();
        }),
        [] { return Record{}; });
    add(programs, {Subset::all, out, numbers_.diagonal, more, numbers_.hop, image, true});
    return programs;
  }
  /// Over ranks what it reads of other ranks is exchanged behind the sites that need none of it.
  void add(std::vector<Program>& programs, const Step& step) const {
    const lattice::RankLattice& part = placed_.part;
    if (placed_.ranks.ranks() == 1) {
      programs.push_back(program(step, part.owned(), {}));
      return;
    }
    lattice::FieldReach reads = all_around(odd_, false);
    reads.data = step.psi.data;
    struct Launch {
      Launch(const Placed& at, const lattice::FieldReach& field)
          : exchange(at.ranks, at.queue, at.part, {field}) {}
      lattice::HaloExchange exchange;
      std::optional<Program> inner, outer;
    };
    const auto launch = std::make_shared<Launch>(placed_, reads);
    const lattice::SiteBox inner = lattice::detail::inner_sites(part, {reads});
    if (inner.count() > 0) launch->inner = program(step, inner, {});
    if (inner.count() < part.owned().count()) launch->outer = program(step, part.owned(), inner);
    programs.emplace_back(placed_.queue, Bound([launch] {
                            launch->exchange.begin();
                            if (launch->inner) launch->inner->run();
                            launch->exchange.finish();
                            if (launch->outer) launch->outer->run();
                          }),
                          [launch] {
                            Record all = (launch->inner ? launch->inner : launch->outer)->record();
                            if (!launch->inner || !launch->outer) return all;
                            const Work more = launch->outer->record().work;
                            all.work.read.value += more.read.value;
                            all.work.written.value += more.written.value;
                            all.work.flops += more.flops;
                            return all;
                          });
  }

private:
  [[nodiscard]] Program program(const Step& step, const lattice::SiteBox& box,
                                const lattice::SiteBox& without) const {
    if constexpr (std::is_same_v<T, double>) {
      if (clover_ != nullptr) {
        CloverAtSites kernel;
        kernel.after = step.diagonal == 0;
        kernel.term = (kernel.after ? clover_->inverse : clover_->term).view();
        return bound(kernel, step, box, without);
      }
    }
    OneParity<T> kernel;
    kernel.diagonal = static_cast<T>(step.diagonal);
    return bound(kernel, step, box, without);
  }
  template <class Kernel>
  [[nodiscard]] Program bound(Kernel kernel, const Step& step, const lattice::SiteBox& box,
                              const lattice::SiteBox& without) const {
    const lattice::Geometry& like = odd_.geometry();
    for (std::size_t mu = 0; mu < 4; ++mu)
      kernel.links[mu] = links_[mu].view();
    kernel.psi = {step.psi, like};
    kernel.here = {step.here, like};
    kernel.out = {step.out, like};
    kernel.hop = static_cast<T>(step.hop);
    kernel.sign = step.dagger ? T(-1) : T(1);
    kernel.chosen = {box, without, step.subset, placed_.part.starts_odd()};
    return {placed_.queue,
            lattice::SiteLoopCall<Spinor<T>, Kernel>{kernel.out, kernel, Subset::all}};
  }

  const Placed& placed_;
  const Links<T>& links_;
  WilsonNumbers numbers_;
  const CloverFields* clover_;
  bool even_odd_;
  Fermion<T> odd_, between_;
  std::optional<Fermion<T>> more_;
};

template <class T>
solve::Operator<T> normal_of(const Operators<T>& operators) {
  return [&operators](Span<T> out, Span<const T> in) { return operators.normal(out, in); };
}

} // namespace ridge::gauge::detail
