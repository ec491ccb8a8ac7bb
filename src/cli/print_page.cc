#include "cli/print_page.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "cli/outside/on_path.h"
#include "cli/session/files.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

// Runs a program without a word of its own; its exit status, or -1.
int run_silently(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return -1;
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) ::dup2(nowhere, stream);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

Error cannot_print(std::string message) {
  return Error{.code = lf::kCannotWrite,
               .message = std::move(message),
               .hint = "write report.html and print it from a browser"};
}

}  // namespace

std::optional<std::string> find_browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (auto found = find_on_path(name)) return found;
  return std::nullopt;
}

Result<bool> print_page(const std::string& page, const std::string& path) {
  const auto browser = find_browser();
  if (!browser)
    return cannot_print("a PDF is printed by Chromium or Chrome, and none is installed here");
  std::string folder = (fs::temp_directory_path() / "loadfactor-print-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return cannot_print("no temporary folder can be made");
  const std::string html = (fs::path(folder) / "page.html").string();
  auto written = write_file(html, page);
  std::error_code unread;
  fs::remove(path, unread);
  const int status =
      written
          ? run_silently({*browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                          "--no-pdf-header-footer", "--user-data-dir=" + folder + "/profile",
                          "--print-to-pdf=" + fs::absolute(path).string(), "file://" + html})
          : -1;
  fs::remove_all(folder, unread);
  if (!written) return written.error();
  if (status != 0 || !fs::exists(path))
    return cannot_print(fmt::format("{} did not print {}", *browser, path));
  return true;
}

}  // namespace loadfactor::cli
