#include "demand/read/columns.h"

#include <array>
#include <cctype>
#include <unordered_map>

namespace loadfactor::demand {
namespace {

struct AliasRow {
  Meaning meaning;
  std::string_view spelling;
};
// In order of preference within a meaning.
constexpr std::array kAliases{
    AliasRow{Meaning::kTime, "timestamp"},
    AliasRow{Meaning::kTime, "arrived_at"},
    AliasRow{Meaning::kTime, "arrival_s"},
    AliasRow{Meaning::kTime, "arrival_ms"},
    AliasRow{Meaning::kTime, "arrival_time"},
    AliasRow{Meaning::kTime, "arrival_timestamp"},
    AliasRow{Meaning::kTime, "arrival"},
    AliasRow{Meaning::kTime, "timestamp_ms"},
    AliasRow{Meaning::kTime, "timestamp_s"},
    AliasRow{Meaning::kTime, "request_time"},
    AliasRow{Meaning::kTime, "start_timestamp"},
    AliasRow{Meaning::kTime, "time"},
    AliasRow{Meaning::kTime, "time_s"},
    AliasRow{Meaning::kTime, "time_ms"},
    AliasRow{Meaning::kTime, "window_start"},
    AliasRow{Meaning::kTime, "window_start_utc"},
    AliasRow{Meaning::kTime, "window_start_s"},
    AliasRow{Meaning::kTime, "record_time"},
    AliasRow{Meaning::kTime, "date"},
    AliasRow{Meaning::kTime, "datetime"},
    AliasRow{Meaning::kTime, "@timestamp"},
    AliasRow{Meaning::kTime, "ts"},
    AliasRow{Meaning::kTime, "created_at"},
    AliasRow{Meaning::kTime, "created"},
    AliasRow{Meaning::kInput, "context_tokens"},
    AliasRow{Meaning::kInput, "num_prefill_tokens"},
    AliasRow{Meaning::kInput, "request_tokens"},
    AliasRow{Meaning::kInput, "input_tokens"},
    AliasRow{Meaning::kInput, "input_length"},
    AliasRow{Meaning::kInput, "prompt_tokens"},
    AliasRow{Meaning::kInput, "input_toks"},
    AliasRow{Meaning::kInput, "tokens_in"},
    AliasRow{Meaning::kInput, "prompt_len"},
    AliasRow{Meaning::kInput, "prompt_length"},
    AliasRow{Meaning::kInput, "in_len"},
    AliasRow{Meaning::kOutput, "generated_tokens"},
    AliasRow{Meaning::kOutput, "num_decode_tokens"},
    AliasRow{Meaning::kOutput, "response_tokens"},
    AliasRow{Meaning::kOutput, "output_tokens"},
    AliasRow{Meaning::kOutput, "output_length"},
    AliasRow{Meaning::kOutput, "completion_tokens"},
    AliasRow{Meaning::kOutput, "output_toks"},
    AliasRow{Meaning::kOutput, "tokens_out"},
    AliasRow{Meaning::kOutput, "output_len"},
    AliasRow{Meaning::kOutput, "out_len"},
    AliasRow{Meaning::kClient, "client_id"},
    AliasRow{Meaning::kClient, "client"},
    AliasRow{Meaning::kClient, "tenant"},
    AliasRow{Meaning::kClient, "user_id"},
    AliasRow{Meaning::kSession, "session_id"},
    AliasRow{Meaning::kSession, "session"},
    AliasRow{Meaning::kSession, "chat_id"},
    AliasRow{Meaning::kSession, "conversation_id"},
    AliasRow{Meaning::kPrefix, "hash_ids"},
    AliasRow{Meaning::kWindowLength, "window_s"},
    AliasRow{Meaning::kWindowLength, "window_length"},
    AliasRow{Meaning::kWindowLength, "window_length_s"},
    AliasRow{Meaning::kWindowLength, "duration_of_window_s"},
    AliasRow{Meaning::kCv, "cv"},
    AliasRow{Meaning::kCv, "iat_cv"},
    AliasRow{Meaning::kMeanInput, "mean_tokens_in"},
    AliasRow{Meaning::kMeanInput, "mean_input_tokens"},
    AliasRow{Meaning::kMeanOutput, "mean_tokens_out"},
    AliasRow{Meaning::kMeanOutput, "mean_output_tokens"},
    AliasRow{Meaning::kSubmit, "submit_time"},
    AliasRow{Meaning::kSubmit, "submitted_time"},
    AliasRow{Meaning::kSubmit, "submit"},
    AliasRow{Meaning::kSubmit, "creation_time"},
    AliasRow{Meaning::kStart, "start_time"},
    AliasRow{Meaning::kStart, "start"},
    AliasRow{Meaning::kStart, "scheduled_time"},
    AliasRow{Meaning::kEnd, "end_time"},
    AliasRow{Meaning::kEnd, "end"},
    AliasRow{Meaning::kEnd, "finish_time"},
    AliasRow{Meaning::kEnd, "deletion_time"},
    AliasRow{Meaning::kDuration, "duration"},
    AliasRow{Meaning::kDuration, "duration_s"},
    AliasRow{Meaning::kDuration, "elapsed_raw"},
    AliasRow{Meaning::kDuration, "elapsed"},
    AliasRow{Meaning::kDuration, "runtime"},
    AliasRow{Meaning::kDuration, "run_time"},
    AliasRow{Meaning::kWait, "queue"},
    AliasRow{Meaning::kWait, "queue_s"},
    AliasRow{Meaning::kWait, "queue_time"},
    AliasRow{Meaning::kWait, "wait_time"},
    AliasRow{Meaning::kGpus, "gpus"},
    AliasRow{Meaning::kGpus, "gpu_num"},
    AliasRow{Meaning::kGpus, "num_gpus"},
    AliasRow{Meaning::kGpus, "num_gpu"},
    AliasRow{Meaning::kGpus, "gpu_count"},
    AliasRow{Meaning::kGpus, "alloc_tres"},
    AliasRow{Meaning::kGpus, "alloc_gres"},
    AliasRow{Meaning::kGpus, "req_tres"},
    AliasRow{Meaning::kGpus, "req_gres"},
    AliasRow{Meaning::kState, "state"},
    AliasRow{Meaning::kState, "status"},
    AliasRow{Meaning::kState, "pod_phase"},
    AliasRow{Meaning::kJob, "job_id"},
    AliasRow{Meaning::kJob, "jobid"},
    AliasRow{Meaning::kJob, "name"},
    AliasRow{Meaning::kActive, "active"},
    AliasRow{Meaning::kTotal, "total"},
};

bool is_separator(char c) {
  return c == ' ' || c == '_' || c == '-' || c == '.' || c == '/';
}

// Lower case without separators.
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!is_separator(c)) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// `rate*` and `requests_per_*`, but not their envelopes `_lo` and `_hi`.
bool is_rate(const std::string& name) {
  if (name.ends_with("lo") || name.ends_with("hi")) return false;
  return name.starts_with("rate") || name.starts_with("requestsper") || name == "rps" ||
         name == "qps";
}

}  // namespace

std::optional<Meaning> meaning_of(std::string_view column) {
  static const std::unordered_map<std::string, Meaning> kByName = [] {
    std::unordered_map<std::string, Meaning> table;
    for (const auto& row : kAliases) table.emplace(folded(row.spelling), row.meaning);
    return table;
  }();
  const std::string name = folded(column);
  const auto found = kByName.find(name);
  if (found != kByName.end()) return found->second;
  if (is_rate(name)) return Meaning::kRate;
  return std::nullopt;
}

std::string spellings(Meaning meaning) {
  std::string text;
  for (const auto& row : kAliases) {
    if (row.meaning != meaning) continue;
    text += (text.empty() ? "" : ", ") + std::string(row.spelling);
  }
  return text;
}

Columns::Columns(std::span<const std::string_view> header) {
  for (const std::string_view name : header) names_.emplace_back(name);
}

std::optional<std::size_t> Columns::find(Meaning meaning) const {
  std::vector<std::string> have;
  for (const auto& name : names_) have.push_back(folded(name));
  for (const auto& row : kAliases) {
    if (row.meaning != meaning) continue;
    const std::string wanted = folded(row.spelling);
    for (std::size_t i = 0; i < have.size(); ++i)
      if (have[i] == wanted) return i;
  }
  if (meaning == Meaning::kRate) {
    for (std::size_t i = 0; i < have.size(); ++i)
      if (is_rate(have[i])) return i;
  }
  return std::nullopt;
}

}  // namespace loadfactor::demand
