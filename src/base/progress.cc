#include "base/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/display_width.h"

namespace loadfactor {
namespace {

using namespace loadfactor::literals;  // NOLINT(google-build-using-namespace): literals only.

constexpr Seconds kRedrawEvery = 100_ms;
constexpr Seconds kLogEvery = 10_s;
constexpr double kLeastForForecast = 0.01;
constexpr std::string_view kClearLine = "\r\x1b[K";
constexpr std::array<std::string_view, 10> kSpinner{"⠋", "⠙", "⠹", "⠸", "⠼",
                                                    "⠴", "⠦", "⠧", "⠇", "⠏"};

double held(double fraction) {
  return std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
}

// The first `columns` columns of a text.
std::string cut(std::string_view text, int columns) {
  std::string result;
  int used = 0;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    used += code_point_width(c.value);
    if (used > columns) break;
    result += visible(c);
    i += c.size;
  }
  return result;
}

}  // namespace

std::string clock_text(Seconds duration) {
  const double seconds = std::clamp(duration / 1_s, 0.0, 1e9);
  const auto whole = static_cast<long long>(std::isfinite(seconds) ? std::ceil(seconds) : 0.0);
  const long long hours = whole / 3600;
  const long long minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string progress_line(const ProgressState& state, Seconds elapsed) {
  const double fraction = held(state.fraction);
  // Rounded down: 100 % means done.
  std::string line = fmt::format("{}  {:.0f} %", state.label, std::floor(100.0 * fraction));
  std::string rest = state.detail;
  if (fraction >= kLeastForForecast && fraction < 1.0) {
    const Seconds left = elapsed * ((1.0 - fraction) / fraction);
    if (!rest.empty()) rest += " · ";
    rest += clock_text(left) + " left";
  }
  if (!rest.empty()) line += "  " + rest;
  return line;
}

Progress::Progress(Surroundings surroundings)
    : surroundings_(std::move(surroundings)), start_(surroundings_.now()) {}

std::string Progress::drawn(const ProgressState& state, Seconds elapsed) {
  const std::string line = progress_line(state, elapsed);
  if (!surroundings_.is_terminal) return visible(line) + "\n";
  const std::string spinner(kSpinner[frame_++ % kSpinner.size()]);
  // The last column stays free, for some terminals begin a new line there.
  return std::string(kClearLine) + cut(spinner + " " + line, surroundings_.width - 1);
}

void Progress::update(const ProgressState& state) {
  const Seconds now = surroundings_.now();
  // A terminal shows the first state at once; a log waits, for short work needs no line.
  const Seconds since = now - last_drawn_.value_or(start_);
  const bool first = !last_drawn_ && surroundings_.is_terminal;
  const bool due = since >= (surroundings_.is_terminal ? kRedrawEvery : kLogEvery);
  if (!first && !due) return;
  last_drawn_ = now;
  surroundings_.write(drawn(state, now - start_));
}

void Progress::finish() {
  if (surroundings_.is_terminal && last_drawn_) surroundings_.write(kClearLine);
  last_drawn_.reset();
}

}  // namespace loadfactor
