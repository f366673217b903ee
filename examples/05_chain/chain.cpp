#include "chain.hpp"

template struct ridge::chain::Executor<conduction::Chain, double, ridge::Here>;
