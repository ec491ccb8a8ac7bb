#include "cli/session/environment.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace loadfactor::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread.
  return value == nullptr ? std::string() : std::string(value);
}

int terminal_width() {
  constexpr int kDefault = 80;
  const std::string columns = variable("COLUMNS");
  int width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (width > 0) return width;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kDefault;
}

std::string date_of_today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

std::string find_config_folder() {
  if (const std::string given = variable("XDG_CONFIG_HOME"); !given.empty())
    return given + "/loadfactor";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.config/loadfactor";
  return {};
}

// A pipe that is open and says nothing is not waited for.
bool input_waits() {
  constexpr int kMilliseconds = 300;
  pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return poll(&in, 1, kMilliseconds) > 0;
}

}  // namespace

Environment system_environment() {
  Environment environment;
  environment.in = &std::cin;
  environment.out = &std::cout;
  environment.err = &std::cerr;
  environment.in_is_terminal = isatty(STDIN_FILENO) == 1;
  environment.has_input = input_waits;
  environment.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  environment.err_is_terminal = isatty(STDERR_FILENO) == 1;
  environment.colour =
      environment.out_is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  environment.width = terminal_width();
  environment.config_folder = find_config_folder();
  environment.today = date_of_today();
  return environment;
}

}  // namespace loadfactor::cli
