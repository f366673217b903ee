// Cases of norm2(b - adj(u) x), the reduction of an expression, on fields of their own.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/pattern/case.hpp>

#include <memory>
#include <string>

namespace ridge::lattice {

/// Of random fields of float or double; with the same bits on every device where `exact`.
[[nodiscard]] std::unique_ptr<Case> residual_case(const std::string& name, bool exact,
                                                  int real_bytes, const Device& device,
                                                  const Lattice& on);
/// The reproducible one over ranks.
[[nodiscard]] std::unique_ptr<Case> residual_case(const std::string& name, int real_bytes,
                                                  const Device& device, comm::Communicator& ranks,
                                                  const RankLattice& part);
[[nodiscard]] std::unique_ptr<Menu> residual_menu(bool exact, const Extents& size, int real_bytes,
                                                  const ridge::Place& place);

} // namespace ridge::lattice
