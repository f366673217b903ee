#include "residual.hpp"

#include <ridge/lattice/site_executor.hpp>

template struct ridge::lattice::Assigner<ridge::lattice::ColourVector<double>, Residual,
                                         ridge::Here>;
