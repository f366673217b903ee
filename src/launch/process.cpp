#include <ridge/launch/process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace ridge::launch {

namespace {

constexpr std::chrono::milliseconds between_ticks{100};

/// Never returns. `apart`: in a process group of its own.
[[noreturn]] void become(const std::vector<char*>& arguments, const char* folder, int output,
                         bool apart) {
  if (apart) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // the terminal would not end it with this process
  }
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

/// The exit status of a child, which is waited for.
int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Waits until the processes of a group whose leader has ended have ended, too: `output` ends with
/// the last of them that holds it. A busy system takes its time to end what was killed.
void wait_for_group(pid_t leader, int output) {
  using Clock = std::chrono::steady_clock;
  const auto most = Clock::now() + std::chrono::seconds(10);
  std::array<char, 4096> rest;
  for (pollfd state{output, POLLIN, 0}; Clock::now() < most;) {
    if (poll(&state, 1, 100) > 0 && read(output, rest.data(), rest.size()) == 0) break;
  }
  // Those that nobody waits for stay as zombies, which are of the group, too.
  for (int i = 0; i < 20 && kill(-leader, 0) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

/// Ends the processes of a group. First in a way that lets compilers remove their temporary files.
void end_group(pid_t leader, int output) {
  kill(-leader, SIGTERM);
  siginfo_t ended{};
  for (int i = 0; i < 50 && ended.si_pid == 0; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    // The leader stays a zombie: its number, and so the group's, is nobody else's.
    if (waitid(P_PID, static_cast<id_t>(leader), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) break;
  }
  kill(-leader, SIGKILL);
  (void)status_of(leader);
  wait_for_group(leader, output);
}

/// Appends what comes through the pipe, up to its end.
void read_all(int from, std::string& report, const std::function<void()>& tick) {
  auto told = std::chrono::steady_clock::now();
  std::array<char, 4096> part;
  for (;;) {
    if (tick) {
      pollfd state{from, POLLIN, 0};
      (void)poll(&state, 1, static_cast<int>(between_ticks.count()));
      if (const auto now = std::chrono::steady_clock::now();
          state.revents == 0 || now - told >= between_ticks) {
        told = now;
        tick(); // also at once when a signal has come
      }
      if (state.revents == 0) continue;
    }
    const ssize_t got = read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    report.append(part.data(), static_cast<std::size_t>(got));
  }
}

} // namespace

Finished run_command(const std::vector<std::string>& command, const std::string& folder,
                     const std::function<void()>& tick) {
  Finished result;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return result;
  std::vector<char*> arguments;
  for (const std::string& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const bool apart = static_cast<bool>(tick);
  const pid_t child = fork();
  if (child == 0) become(arguments, folder.c_str(), ends[1], apart);
  close(ends[1]);
  if (child > 0) {
    if (apart) setpgid(child, child); // whichever of the two comes first
    try {
      read_all(ends[0], result.report, tick);
    } catch (...) {
      end_group(child, ends[0]);
      close(ends[0]);
      throw;
    }
    result.status = status_of(child);
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
