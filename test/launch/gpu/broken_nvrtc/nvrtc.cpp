// An NVRTC that was installed without its builtins: it opens, and compiles nothing.
#include <cstddef>
#include <cstring>

namespace {
constexpr char report[] = "nvrtc: error: failed to open libnvrtc-builtins.so.13.0.\n"
                          "  Make sure that libnvrtc-builtins.so.13.0 is installed correctly.";
}

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
int nvrtcCreateProgram(void** program, const char*, const char*, int, const char* const*,
                       const char* const*) {
  *program = program;
  return 0;
}
int nvrtcDestroyProgram(void**) {
  return 0;
}
int nvrtcCompileProgram(void*, int, const char* const*) {
  return 7; // NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
}
int nvrtcGetProgramLogSize(void*, std::size_t* size) {
  *size = sizeof report;
  return 0;
}
int nvrtcGetProgramLog(void*, char* log) {
  std::memcpy(log, report, sizeof report);
  return 0;
}
int nvrtcGetCUBINSize(void*, std::size_t* size) {
  *size = 0;
  return 0;
}
int nvrtcGetCUBIN(void*, char*) {
  return 0;
}

} // extern "C"
