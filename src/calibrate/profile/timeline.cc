#include "calibrate/profile/timeline.h"

#include "base/error_codes.h"
#include "calibrate/profile/profile_readers.h"
#include "demand/read/byte_blocks.h"

namespace loadfactor::calibrate {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostEvents = 8'000'000;
constexpr std::size_t kMostNameBytes = std::size_t{256} << 20U;
constexpr auto kSqlite = "SQLite format 3\0"sv;
constexpr std::size_t kLooked = std::size_t{1} << 16U;

// Whether JSON begins as a trace in Chrome's format does: an object that holds `traceEvents`, or a
// bare list of events with phases.
bool is_trace_text(std::string_view text, bool is_whole) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (text[first] == '[') return text.substr(0, kLooked).find("\"ph\"") != std::string_view::npos;
  if (text[first] != '{') return false;
  // The other tools' files are small; a long one that begins with the profiler's own keys is one.
  return text.find("\"traceEvents\"") != std::string_view::npos ||
         (!is_whole && text.find("\"deviceProperties\"") != std::string_view::npos);
}

}  // namespace

std::uint32_t Names::id_of(const std::string& text) {
  const auto [found, added] = ids_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (added) {
    texts_.push_back(text);
    bytes_ += text.size() + sizeof(text);
  }
  return found->second;
}

bool Timeline::is_full() const {
  return spans.size() > kMostEvents || launches.size() > 2 * kMostEvents ||
         ranges.size() > kMostEvents || names.bytes() > kMostNameBytes;
}

Error too_many_events(const std::string& file) {
  return Error{.code = lf::kTooLarge,
               .message = "more events than are kept of a profile: 8 million kernels",
               .hint = "profile fewer steps",
               .where = {.file = file}};
}

bool is_profile(std::string_view bytes) {
  if (bytes.starts_with(kSqlite)) return true;
  if (!demand::is_gzip(bytes)) return is_trace_text(bytes, true);
  demand::ByteBlocks blocks("", bytes);
  const auto first = blocks.next(0);
  return first && is_trace_text(*first, blocks.is_last());
}

Result<Timeline> read_profile(const std::string& file, std::string_view bytes) {
  if (bytes.starts_with(kSqlite)) return read_nsys_export(file, bytes);
  return read_chrome_trace(file, bytes);
}

}  // namespace loadfactor::calibrate
