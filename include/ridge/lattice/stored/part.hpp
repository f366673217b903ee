// How stored fields are divided among ranks: the sites that a rank owns, the grid that it keeps, a
// layer of its neighbours' sites around them where the lattice is divided, and what it computes
// before and after these have come.
//
//   const StoredPart part(extents, {1, 1, 1, 2}, world.rank(), true);      // half lattices
//   StoredField<Spinor<double>, double> psi(device, part.grid(device, Sites::odd, 8), "psi");
//   psi.fill(queue, part.placed([](const int (&x)[4], int s) { ... }));    // x of the whole
//   lattice
//
// Values of neighbours' sites that fill gives need no exchange.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lattice/stored/field.hpp>

#include <vector>

namespace ridge::lattice {

class StoredPart {
public:
  /// `ranks`: how many along each dimension; rank = r_0 + R_0 (r_1 + R_1 (r_2 ...)). `halves`: for
  /// fields of one parity, whose sites are counted in pairs along x. Throws UsageError unless each
  /// rank owns a stored site along each dimension, and for other than four.
  StoredPart(const Extents& whole, const Extents& ranks, int rank, bool halves);
  /// All of a lattice.
  StoredPart(const Extents& whole, bool halves) : StoredPart(whole, {1, 1, 1, 1}, 0, halves) {}

  [[nodiscard]] const Extents& whole() const { return whole_; }
  [[nodiscard]] const Extents& ranks() const { return ranks_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] bool halves() const { return halves_; }
  [[nodiscard]] bool divided(int d) const { return ranks_[d] > 1; }
  /// The rank `by` further along a dimension, around the lattice.
  [[nodiscard]] int neighbour(int d, int by) const;

  /// The grid of the sites that this rank keeps, as site_grid says. With halves even or odd ones
  /// are asked for, else all.
  [[nodiscard]] SiteGrid grid(const Device& device, Sites sites, int real_bytes,
                              int inner = 1) const;
  /// Stored sites that it owns; of these, those whose neighbours it owns, and the others, in boxes.
  [[nodiscard]] SiteWindow owned() const { return owned_; }
  [[nodiscard]] SiteWindow inner() const;
  [[nodiscard]] std::vector<SiteWindow> outer() const;

  /// Coordinates of the whole lattice of what a grid of this rank has at `x`.
  void to_whole(const int (&x)[grid_dimensions], int (&y)[grid_dimensions]) const {
    for (int d = 0; d < grid_dimensions; ++d) {
      const int n = static_cast<int>(whole_[d]);
      y[d] = (x[d] + origin_[d] + n) % n;
    }
  }
  /// Whether it owns a site, given by its grid's coordinates of all sites.
  [[nodiscard]] bool owns(const int (&x)[grid_dimensions]) const {
    const int stored[grid_dimensions] = {halves_ ? x[0] / 2 : x[0], x[1], x[2], x[3]};
    return owned_.holds(stored);
  }
  /// The rows along x that it owns: calls row(first, sites) with the number of the first site in
  /// the whole lattice, x fastest, and how many they are.
  template <class Row>
  void each_row(const Row& row) const {
    const int pairs = halves_ ? 2 : 1;
    int begin[grid_dimensions], n[grid_dimensions];
    for (int d = 0; d < grid_dimensions; ++d) {
      const int times = d == 0 ? pairs : 1;
      begin[d] = origin_[d] + owned_.begin[d] * times;
      n[d] = (owned_.end[d] - owned_.begin[d]) * times;
    }
    for (int t = 0; t < n[3]; ++t) {
      for (int z = 0; z < n[2]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
          const Index at = begin[3] + t;
          row(begin[0] + whole_[0] * (begin[1] + y + whole_[1] * (begin[2] + z + whole_[2] * at)),
              n[0]);
        }
      }
    }
  }
  /// A function that makes values of coordinates of the whole lattice, as fields of this part call
  /// it.
  template <class Make>
  [[nodiscard]] auto placed(const Make& make) const {
    return [this, make](const int(&x)[grid_dimensions], int s) {
      int y[grid_dimensions];
      to_whole(x, y);
      return make(y, s);
    };
  }

private:
  Extents whole_, ranks_;
  int rank_;
  bool halves_;
  int place_[grid_dimensions], origin_[grid_dimensions]; ///< in ranks; of the first site kept
  SiteWindow owned_;
};

/// The grid of so many ranks that sends least of stored fields, as choose_ranks.
[[nodiscard]] Extents choose_stored_ranks(int ranks, const Extents& whole, bool halves);

/// `all` has a value of `site_bytes` for each site of the whole lattice, x fastest, of which those
/// that this rank owns are right. Brings the others' to rank 0. Collective.
void gather_stored(comm::Communicator& ranks, const StoredPart& part, void* all, Index site_bytes);

} // namespace ridge::lattice
