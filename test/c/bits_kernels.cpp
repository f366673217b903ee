// The chain of the tests, compiled ahead as in a program of C++.
#include <ridge/chain/executor.hpp>

#include "kernels.hpp"

template struct ridge::chain::Executor<c_test::Heat, double, ridge::Here>;
