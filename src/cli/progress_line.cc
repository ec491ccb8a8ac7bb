#include "cli/progress_line.h"

#include <ostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace loadfactor::cli {
namespace {

constexpr std::string_view kErase = "\r\x1b[K";  // To the start of the line, and the rest of it.
constexpr auto kPause = std::chrono::milliseconds(250);

}  // namespace

ProgressLine::ProgressLine(Session& session, std::string what, std::string hint, Duration patience)
    : session_(session), what_(std::move(what)), hint_(std::move(hint)), patience_(patience) {
  if (!session.environment().err_is_terminal || session.options().quiet) return;
  try {
    thread_ = std::thread([this] { show(); });
  } catch (const std::system_error&) {  // No thread is left: the work goes on without the line.
  }
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  thread_.join();
  if (is_shown_) *session_.environment().err << kErase << std::flush;
}

void ProgressLine::show() {
  const auto began = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  auto pause = patience_;
  while (!over_.wait_for(lock, pause, [this] { return is_over_; })) {
    const auto taken = std::chrono::steady_clock::now() - began;
    write_line(static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(taken).count()));
    pause = kPause;
  }
}

void ProgressLine::write_line(int seconds) {
  std::string line = fmt::format("{}, {} s", what_, seconds);
  if (const double share = share_; share >= 0) line += fmt::format(", {:.0f} %", 100 * share);
  line += hint_;
  const auto width = static_cast<std::size_t>(session_.environment().width);
  if (width > 1 && line.size() >= width) line.resize(width - 1);
  *session_.environment().err << kErase << line << std::flush;
  is_shown_ = true;
}

}  // namespace loadfactor::cli
