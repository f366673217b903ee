// Why Wilson's operator is not solved: a mode on which it is singular, or whose eigenvalue is
// negative.
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/wilson.hpp>

#include "../io/hdf5/propagator_file.hpp"

#include <functional>
#include <string>

namespace ridge::app {

/// A sentence's part that says that kappa is exceptional or beyond critical on this configuration,
/// from what a solver reached of D x = b; nothing where neither is seen. `links` are with their
/// boundary. It is looked for until go_on() says no.
[[nodiscard]] std::string singular_text(const Extents& extents, const gauge::HostLinks& links,
                                        const gauge::WilsonNumbers& numbers, const io::Column& x,
                                        const io::Column& b, const std::function<bool()>& go_on);

} // namespace ridge::app
