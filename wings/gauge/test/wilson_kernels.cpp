// The operators and the example's kernels, compiled once per device kind.
#include "../../../examples/gauge/gauge.cpp" // NOLINT(bugprone-suspicious-include)

template struct ridge::lattice::SiteLooper<ridge::lattice::Spinor<double>,
                                           ridge::gauge::Wilson<double>, ridge::Here>;
