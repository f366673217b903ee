#include <ridge/launch/process.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace ridge::launch {

namespace {

/// Never returns.
[[noreturn]] void become(const std::vector<char*>& arguments, const char* folder, int output) {
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (chdir(folder) == 0) {
    setenv("LC_ALL", "C", 1); // reports are read for "error:"
    execv(arguments[0], arguments.data());
  }
  _exit(127);
}

} // namespace

Finished run_command(const std::vector<std::string>& command, const std::string& folder) {
  Finished result;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return result;
  std::vector<char*> arguments;
  for (const std::string& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become(arguments, folder.c_str(), ends[1]);
  close(ends[1]);
  if (child > 0) {
    std::array<char, 4096> part;
    for (;;) {
      const ssize_t got = read(ends[0], part.data(), part.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      result.report.append(part.data(), static_cast<std::size_t>(got));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  close(ends[0]);
  return result;
}

std::string find_program(const std::string& name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string file = std::string(rest.substr(0, colon)) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return {};
}

} // namespace ridge::launch
