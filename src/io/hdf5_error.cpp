#include "hdf5_error.hpp"

#include "hdf5_handle.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <string_view>

namespace ridge::io {

namespace {

herr_t take_first(unsigned /*n*/, const H5E_error2_t* error, void* reason) {
  auto& text = *static_cast<std::string*>(reason);
  if (text.empty() && error->desc != nullptr) text = error->desc;
  return 0;
}

/// Why a file could not be locked, which the library does to each that it opens.
std::string why_not_locked(const std::string& reason) {
  if (reason.find(fmt::format("errno = {},", EWOULDBLOCK)) != std::string::npos) {
    return "another program has it open, and HDF5 locks it; wait until it is closed there, or set "
           "HDF5_USE_FILE_LOCKING=FALSE if nothing is being written";
  }
  return "its file system has no locks, which HDF5 wants; set HDF5_USE_FILE_LOCKING=FALSE";
}

/// What stands in `text` between `begin` and `end`; empty when it is not there.
std::string between(const std::string& text, std::string_view begin, char end) {
  const auto at = text.find(begin);
  if (at == std::string::npos) return {};
  const auto from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

} // namespace

void quiet_hdf5() {
  H5dont_atexit(); // fails when the library is open already: then it was quiet before
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
  if (reason.find("unable to lock file") != std::string::npos) return why_not_locked(reason);
  if (std::string system = between(reason, "error message = '", '\''); !system.empty())
    return system;
  for (char& c : reason)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return reason.empty() ? "the HDF5 library does not say why" : reason;
}

} // namespace ridge::io
