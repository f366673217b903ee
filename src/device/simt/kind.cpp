// The emulated GPU.
#include <ridge/device/simt/backend.hpp>

#include "../kinds.hpp"

namespace ridge {

constinit const KindFacts rows::simt{
    .kind = DeviceKind::simt,
    .name = "simt",
    .numbering = Numbering::given,
    .numbers =
        [] {
          return std::vector{32, 64};
        },
    .open = open_simt,
    .is_emulated = true,
    .asynchronous_copies_from = "",
    .bulk_copies_from = "",
};

} // namespace ridge
