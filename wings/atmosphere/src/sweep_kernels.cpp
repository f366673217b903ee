// Compiled once per device kind.
#include <ridge/atmosphere/implicit.hpp>
#include <ridge/atmosphere/viscous.hpp>
#include <ridge/chain/executor.hpp>

template struct ridge::chain::Executor<ridge::atmosphere::SweepX, double, ridge::Here>;
template struct ridge::chain::Executor<ridge::atmosphere::SweepZ, double, ridge::Here>;
template struct ridge::chain::Executor<ridge::atmosphere::ImplicitStage, double, ridge::Here>;
template struct ridge::chain::Executor<ridge::atmosphere::ViscousStep, double, ridge::Here>;
