// Where the source of a chain is, for what is compiled on demand.
#pragma once

#include <ridge/chain/call.hpp>
#include <ridge/device/offer.hpp>

#include <string>

namespace ridge::chain {

template <class C>
void know_chain_source(const std::string& file, const std::string& flags = {}) {
  know_source(typeid(Call<C, float>), file, flags);
  know_source(typeid(Call<C, double>), file, flags);
}

} // namespace ridge::chain
