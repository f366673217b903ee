// Compiled once per kind of GPU that ranks send messages between without the host.
#include <ridge/core/config.hpp>

#if defined(RIDGE_TARGET_SIMT) || defined(RIDGE_TARGET_CUDA)

#include <ridge/device/offer.hpp>
#include <ridge/pairs/apart.hpp>
#include <ridge/pairs/gpu/encounter.hpp>
#include <ridge/pairs/interactions/gravity.hpp>

namespace ridge::pairs {

namespace {

using Law = Gravity<>;

const Offer fp32(kind_of<Here>, typeid(Encounter<Law, Fp32>*), &gpu::bind_encounter_of<Law, Fp32>);
const Offer fp64(kind_of<Here>, typeid(Encounter<Law, Fp64>*), &gpu::bind_encounter_of<Law, Fp64>);
const Offer mixed(kind_of<Here>, typeid(Encounter<Law, Mixed>*),
                  &gpu::bind_encounter_of<Law, Mixed>);
const Offer apart(kind_of<Here>, typeid(Encounter<Apart<Law>, Mixed>*),
                  &gpu::bind_encounter_of<Apart<Law>, Mixed>);

} // namespace

} // namespace ridge::pairs

#endif
