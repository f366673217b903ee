// What every function of the C interface does: nothing is thrown out of it, and a thread can ask
// what went wrong.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/lab/calls.hpp>

#include <ridge.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace ridge::c {

/// A failure with a code of its own.
class Refused : public Error {
public:
  Refused(int code, const std::string& message)
      : Error(code == RIDGE_CHECK_FAILED ? ExitCode::failure : ExitCode::usage, message),
        c_code_(code) {}
  [[nodiscard]] int c_code() const { return c_code_; }

private:
  int c_code_;
};

/// Keeps the message of a failure for ridge_last_error; returns the code.
int failed(int code, const char* function, const char* message) noexcept;

/// Calls `work` for the function of that name; returns its code.
template <class Work>
int call(const char* function, const Work& work) noexcept {
  try {
    const lab::InCall in_call;
    work();
    return RIDGE_OK;
  } catch (const Refused& e) {
    return failed(e.c_code(), function, e.what());
  } catch (const Error& e) {
    return failed(e.code() == ExitCode::usage ? RIDGE_USAGE : RIDGE_FAILURE, function, e.what());
  } catch (const std::bad_alloc&) {
    return failed(RIDGE_NO_MEMORY, function, "the host has too little memory");
  } catch (const std::exception& e) {
    return failed(RIDGE_FAILURE, function, e.what());
  } catch (...) {
    return failed(RIDGE_FAILURE, function, "an unknown exception; please report this");
  }
}

/// Throws Refused where a pointer that is needed is null; `what` is the argument's name.
void require(const void* pointer, const char* what);

/// A text that the caller has memory for, see ridge.h.
struct TextOut {
  char* text;
  std::size_t size;
  std::size_t* length;
  void give(std::string_view all) const;
};

} // namespace ridge::c
