#include "spawn.hpp"

#include <ridge/core/error.hpp>
#include <ridge/launch/process.hpp>

#include "../interrupt.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace ridge::app {

namespace {

[[noreturn]] void become(const std::string& file, const std::vector<char*>& arguments, Shown shown,
                         const Environment& more) {
  for (const int caught : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ})
    std::signal(caught, SIG_DFL);
  if (shown == Shown::on_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
  if (shown == Shown::nowhere) {
    const int nothing = open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      dup2(nothing, stream);
  }
  for (const auto& [name, value] : more)
    setenv(name.c_str(), value.c_str(), 1);
  execv(file.c_str(), arguments.data());
  _exit(127);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

} // namespace

Ended run_program(const std::vector<std::string>& words, Shown shown, const Environment& more) {
  using Clock = std::chrono::steady_clock;
  const std::string file = launch::find_program(words.front());
  if (file.empty())
    throw UsageError(
        fmt::format("{}: there is no such program; give its path, or one in PATH", words.front()));
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(stdout);
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child == 0) become(file, arguments, shown, more);
  if (child < 0) throw Failure(fmt::format("no process can be started: {}", std::strerror(errno)));
  int status = 0;
  rusage used{};
  bool told = false;
  // Asked every millisecond: a wish to stop must reach the program.
  while (wait4(child, &status, WNOHANG, &used) == 0) {
    if (interrupt_seen() && !told) {
      kill(child, SIGTERM);
      told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Ended ended;
  ended.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + ended.signal;
  ended.user = seconds_of(used.ru_utime);
  ended.system = seconds_of(used.ru_stime);
  ended.faults = static_cast<double>(used.ru_minflt + used.ru_majflt);
  ended.switches = static_cast<double>(used.ru_nvcsw + used.ru_nivcsw);
  ended.involuntary = static_cast<double>(used.ru_nivcsw);
  ended.most_bytes = 1024.0 * static_cast<double>(used.ru_maxrss);
  check_interrupt();
  return ended;
}

std::string to_text(const Ended& ended) {
  if (ended.signal != 0)
    return fmt::format("signal {} ({})", ended.signal, strsignal(ended.signal));
  return fmt::format("exit code {}", ended.status);
}

} // namespace ridge::app
