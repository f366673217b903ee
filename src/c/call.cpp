#include "call.hpp"

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ridge::c {

namespace {

std::string& last_error() {
  thread_local std::string message;
  return message;
}

} // namespace

int failed(int code, const char* function, const char* message) noexcept {
  try {
    last_error() = fmt::format("{}: {}", function, message);
  } catch (...) { // no memory for the message: the code says what it can
    last_error().clear();
  }
  return code;
}

void require(const void* pointer, const char* what) {
  if (pointer == nullptr)
    throw Refused(RIDGE_BAD_POINTER, fmt::format("{} is null; a valid address is right", what));
}

void TextOut::give(std::string_view all) const {
  if (length != nullptr) *length = all.size();
  if (text == nullptr) {
    require(length, "both text and length");
    return;
  }
  if (size > 0) {
    const std::size_t fits = std::min(all.size(), size - 1);
    std::memcpy(text, all.data(), fits);
    text[fits] = '\0';
  }
  refuse_if(all.size() + 1 > size, "the text has {} bytes and a closing zero; size={} is too small",
            all.size(), size);
}

extern "C" {

const char* ridge_last_error() {
  return last_error().c_str();
}

int ridge_exit_code(int code) {
  if (code == RIDGE_OK) return 0;
  return code == RIDGE_FAILURE || code == RIDGE_NO_MEMORY || code == RIDGE_CHECK_FAILED ? 1 : 2;
}

const char* ridge_version() {
  return RIDGE_VERSION;
}

int ridge_c_version() {
  return RIDGE_C_VERSION;
}

} // extern "C"

} // namespace ridge::c
