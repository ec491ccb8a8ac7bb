// Requests from JSON lines: Mooncake and its relatives, with the blocks of their prompts.
#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "demand/read/cell_text.h"
#include "demand/read/json_line.h"
#include "demand/read/readers.h"
#include "demand/read/request_values.h"
#include "demand/read/stamp_reader.h"
#include "demand/read/trace_builder.h"

namespace loadfactor::demand {
namespace {

// `[0, 1, 2]` onto the end of `ids`; false if it is no list of whole numbers. Ids may be 64-bit
// hashes, so they are numbered in order of appearance.
class BlockIds {
 public:
  bool read(std::string_view list, std::vector<std::uint32_t>& ids) {
    if (list.size() < 2 || list.front() != '[' || list.back() != ']') return false;
    const char* at = list.data() + 1;
    const char* const last = list.data() + list.size() - 1;
    while (at < last) {
      if (*at == ' ' || *at == ',') {
        ++at;
        continue;
      }
      std::int64_t id = 0;
      const auto [end, failed] = std::from_chars(at, last, id);
      if (failed != std::errc()) return false;
      ids.push_back(
          numbers_.try_emplace(id, static_cast<std::uint32_t>(numbers_.size())).first->second);
      at = end;
    }
    return true;
  }

 private:
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;
};

class RequestLines {
 public:
  RequestLines(ImportReport& report, const ReadOptions& options)
      : options_(options), builder_(report) {
    builder_.trace().prefixes.block_tokens = options.block_tokens;
  }

  void add(std::string_view text, std::int64_t line) {
    ImportReport& report = builder_.report();
    ++report.rows_read;
    const auto values = find_request_values(text);
    if (!values) return report.drop(DropReason::kBadCells, line);
    if (!stamps_)
      stamps_.emplace(std::string(values->time_name), options_.stamps, TimeUnit::kMilliseconds);
    const auto at = stamps_->read(unquoted(values->time));
    if (time_name_.empty()) time_name_ = values->time_name;
    // Times of other names count from other zeros, unless they are moments of the calendar.
    const bool is_other = values->time_name != time_name_ && !stamps_->has_calendar();
    if (!at || is_other)
      return builder_.drop_stamp(stamps_->has_mixed_kinds() || (at && is_other), line);
    const auto input = values->input_tokens();
    const auto output = count_of(values->output);
    if (!input || !output) return report.drop(DropReason::kBadTokens, line);
    if (!builder_.add(*at, *input, *output, line)) return;
    add_optional(*values);
  }

  Result<Import> finish(const std::string& file) && {
    Trace& trace = builder_.trace();
    if (trace.prefixes.ids.empty()) trace.prefixes.first.clear();
    if (!trace.prefixes.first.empty())
      trace.prefixes.first.push_back(static_cast<std::uint32_t>(trace.prefixes.ids.size()));
    if (options_.block_tokens == ReadOptions().block_tokens) correct_block(trace);
    if (!has_sessions_) trace.sessions.clear();
    if (stamps_) {
      trace.has_calendar = stamps_->has_calendar();
      stamps_->report_into(builder_.report());
    }
    return std::move(builder_).finish(file);
  }

 private:
  // A prompt of so many blocks is longer than all but the last: Mooncake's blocks have 512 tokens,
  // others' fewer.
  void correct_block(Trace& trace) {
    PrefixBlocks& prefixes = trace.prefixes;
    std::int64_t longest = prefixes.block_tokens;
    std::int64_t told = 0;       // Prompts of several blocks.
    std::int64_t too_short = 0;  // Prompts that are too short for blocks of this size.
    for (std::size_t i = 0; i + 1 < prefixes.first.size(); ++i) {
      const std::int64_t full = std::int64_t{prefixes.first[i + 1]} - prefixes.first[i] - 1;
      if (full <= 0) continue;
      const std::int64_t most = (trace.requests[i].input - 1) / full;
      ++told;
      too_short += most < prefixes.block_tokens ? 1 : 0;
      longest = std::min(longest, most);
    }
    if (2 * too_short <= told) return;
    prefixes.block_tokens =
        static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max<std::int64_t>(1, longest))));
    builder_.report().remarks.push_back(
        fmt::format("prefix blocks of {} tokens: prompts are too short for larger ones; --block "
                    "declares another size",
                    prefixes.block_tokens));
  }

  void add_optional(const RequestValues& values) {
    Trace& trace = builder_.trace();
    has_sessions_ = has_sessions_ || !values.session.empty();
    trace.sessions.push_back(session_numbers_.number(unquoted(values.session)));
    auto& prefixes = trace.prefixes;
    prefixes.first.push_back(static_cast<std::uint32_t>(prefixes.ids.size()));
    const std::size_t before = prefixes.ids.size();
    if (!values.prefix.empty() && !blocks_.read(values.prefix, prefixes.ids))
      prefixes.ids.resize(before);
  }

  ReadOptions options_;
  TraceBuilder builder_;
  std::optional<StampReader> stamps_;
  std::string time_name_;
  BlockIds blocks_;
  NameNumbers session_numbers_;
  bool has_sessions_ = false;
};

}  // namespace

Result<Import> read_request_lines(const std::string& file, ByteBlocks& blocks,
                                  std::string_view block, const ReadOptions& options) {
  ImportReport report{.format = "JSON lines of requests", .was_packed = blocks.is_packed()};
  RequestLines lines(report, options);
  TRY(const bool read, each_line(blocks, block, [&](std::string_view text, std::int64_t line) {
        lines.add(text, line);
      }));
  static_cast<void>(read);
  return std::move(lines).finish(file);
}

}  // namespace loadfactor::demand
