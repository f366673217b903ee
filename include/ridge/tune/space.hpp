// What tuning must know of a pattern's calls, one specialisation for each type of call:
//
//   using Schedule; static constexpr std::string_view pattern;
//   static Subject subject(const Call&, std::string kernel);       empty: named by its type
//   static std::vector<Schedule> all(const Device&, const Call&);  the space
//   static Schedule parse(const std::string&, const Device&, const Call&);
//   static std::optional<double> cost(const Device&, const Call&, const std::string& schedule,
//                                     const Extents& size);        of patterns that have a model
//
// Include the header of the pattern: ridge/tune/stencil.hpp, pairs.hpp, lattice.hpp, chain.hpp.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/tune/key.hpp>

namespace ridge::tune {

template <class Call>
struct Space;

} // namespace ridge::tune
