// Benchmark results and Prometheus' `query_range`, told apart by their keys.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "demand/read/cell_text.h"
#include "demand/read/readers.h"
#include "demand/read/trace_builder.h"

namespace loadfactor::demand {
namespace {

using config::Node;
using config::NodeKind;

constexpr config::Limits kResultLimits{.bytes = std::size_t{512} << 20U, .nodes = 50'000'000};

const Node* member(const Node& node, std::string_view key) {
  for (const auto& candidate : node.members)
    if (candidate.key == key) return &candidate.value;
  return nullptr;
}

// Follows a path of keys; nullptr where it ends early.
const Node* member(const Node& node, std::initializer_list<std::string_view> path) {
  const Node* at = &node;
  for (const std::string_view key : path) {
    if (at != nullptr) at = member(*at, key);
  }
  return at;
}

std::optional<double> number(const Node* node) {
  if (node == nullptr || node->kind != NodeKind::kScalar) return std::nullopt;
  return real_of(trimmed(node->scalar));
}

Nanoseconds stamp(double seconds) {
  return std::llround(seconds * 1e9);
}

// Lists of equal length: starts in seconds, tokens in, tokens out.
Result<Import> trace_of_lists(const std::string& file, const Node& starts, const Node& inputs,
                              const Node& outputs, ImportReport report) {
  TraceBuilder builder(report);
  const std::size_t rows =
      std::min({starts.items.size(), inputs.items.size(), outputs.items.size()});
  for (std::size_t i = 0; i < rows; ++i) {
    ++report.rows_read;
    const auto line = static_cast<std::int64_t>(starts.items[i].position.line);
    const auto at = number(&starts.items[i]);
    const auto input = count_of(inputs.items[i].scalar);
    const auto output = count_of(outputs.items[i].scalar);
    if (!at || std::abs(*at) > 4e9)
      report.drop(DropReason::kBadStamp, line);
    else if (!input || !output)
      report.drop(DropReason::kBadTokens, line);
    else
      builder.add(stamp(*at), *input, *output, line);
  }
  report.time_unit_why = "of this format";
  return std::move(builder).finish(file);
}

// Totals over the duration of a run, where single requests were not kept.
struct RunTotals {
  double duration = 0;
  double requests = 0;
  double input = 0;
  double output = 0;
};

Result<Import> profile_of_totals(const std::string& file, const RunTotals& totals,
                                 ImportReport report) {
  report.rows_read = 1;
  if (!(totals.duration > 0) || !(totals.requests > 0) || totals.duration > 4e9) {
    report.drop(DropReason::kBadValue, 1);
    return nothing_usable(file, report);
  }
  report.rows_used = 1;
  report.span = Seconds::from_base(totals.duration);
  report.remarks.emplace_back(
      "no times of single requests were saved: one mean rate and mean lengths");
  RateProfile profile;
  profile.windows.push_back({.start = 0,
                             .length = stamp(totals.duration),
                             .rate = Hertz::from_base(totals.requests / totals.duration)});
  profile.mean_input = Tokens::from_base(totals.input / totals.requests);
  profile.mean_output = Tokens::from_base(totals.output / totals.requests);
  return Import{std::move(report), std::move(profile)};
}

// vLLM and SGLang: `bench serve --save-result [--save-detailed]`.
Result<Import> read_vllm(const std::string& file, const Node& root, ImportReport report) {
  report.format = "vLLM benchmark result";
  const Node* starts = member(root, "start_times");
  const Node* inputs = member(root, "input_lens");
  const Node* outputs = member(root, "output_lens");
  if (starts != nullptr && inputs != nullptr && outputs != nullptr && !starts->items.empty())
    return trace_of_lists(file, *starts, *inputs, *outputs, std::move(report));
  return profile_of_totals(file,
                           {.duration = number(member(root, "duration")).value_or(0),
                            .requests = number(member(root, "completed")).value_or(0),
                            .input = number(member(root, "total_input_tokens")).value_or(0),
                            .output = number(member(root, "total_output_tokens")).value_or(0)},
                           std::move(report));
}

// GuideLLM: benchmarks[].requests.{successful,incomplete,errored}[] with stamps and tokens.
Result<Import> read_guidellm(const std::string& file, const Node& benchmarks, ImportReport report) {
  report.format = "GuideLLM report";
  TraceBuilder builder(report);
  for (const Node& benchmark : benchmarks.items) {
    for (const std::string_view outcome : {"successful", "completed", "incomplete", "errored"}) {
      const Node* list = member(benchmark, {"requests", outcome});
      if (list == nullptr) continue;
      for (const Node& request : list->items) {
        ++report.rows_read;
        const auto line = static_cast<std::int64_t>(request.position.line);
        const auto at = number(member(request, "start_time"))
                            ? number(member(request, "start_time"))
                            : number(member(request, "request_start_time"));
        const Node* in = member(request, "prompt_tokens");
        const Node* out = member(request, "output_tokens");
        const auto input = count_of(in != nullptr ? in->scalar : std::string_view());
        const auto output = count_of(out != nullptr ? out->scalar : std::string_view());
        if (!at || std::abs(*at) > 4e9)
          report.drop(DropReason::kBadStamp, line);
        else if (!input || !output)
          report.drop(DropReason::kBadTokens, line);
        else
          builder.add(stamp(*at), *input, *output, line);
      }
    }
  }
  report.time_unit_why = "of this format";
  builder.trace().has_calendar = true;
  return std::move(builder).finish(file);
}

// AIPerf and GenAI-Perf: averages under the name of each metric.
Result<Import> read_aiperf(const std::string& file, const Node& root, ImportReport report) {
  report.format = "AIPerf summary";
  const auto average = [&root](std::string_view metric) {
    return number(member(root, {metric, "avg"})).value_or(0);
  };
  const double requests = average("request_count");
  const double rate = average("request_throughput");
  const auto length = [&average](std::string_view name, std::string_view older) {
    const double value = average(name);
    return value > 0 ? value : average(older);
  };
  return profile_of_totals(file,
                           {.duration = rate > 0 ? requests / rate : 0,
                            .requests = requests,
                            .input = requests * length("input_sequence_length", "input_tokens"),
                            .output = requests * length("output_sequence_length", "output_tokens")},
                           std::move(report));
}

struct MatrixSum {
  std::map<Nanoseconds, double> at;  // Summed over the series.
  bool is_counter = false;
};

void add_series(const Node& series, MatrixSum& sum, ImportReport& report) {
  const Node* name = member(series, {"metric", "__name__"});
  const bool is_counter =
      name != nullptr && (name->scalar.ends_with("_total") || name->scalar.ends_with("_count"));
  sum.is_counter = sum.is_counter || is_counter;
  const Node* values = member(series, "values");
  if (values == nullptr) return;
  std::optional<std::pair<Nanoseconds, double>> last;
  for (const Node& pair : values->items) {
    ++report.rows_read;
    const auto line = static_cast<std::int64_t>(pair.position.line);
    const auto at = pair.items.size() == 2 ? number(&pair.items[0]) : std::nullopt;
    const auto value = pair.items.size() == 2 ? number(&pair.items[1]) : std::nullopt;
    if (!at || std::abs(*at) > 4e9) {
      report.drop(DropReason::kBadStamp, line);
    } else if (!value || *value < 0) {  // NaN and infinities included: missing, not zero.
      report.drop(DropReason::kBadValue, line);
    } else if (!is_counter) {
      sum.at[stamp(*at)] += *value;
    } else {
      if (last && stamp(*at) > last->first) {
        const double grew = *value >= last->second ? *value - last->second : *value;
        sum.at[stamp(*at)] += grew * 1e9 / static_cast<double>(stamp(*at) - last->first);
      }
      last = {stamp(*at), *value};
    }
  }
}

Nanoseconds common_step(const std::map<Nanoseconds, double>& at) {
  std::map<Nanoseconds, int> steps;
  std::optional<Nanoseconds> last;
  for (const auto& [time, value] : at) {
    if (last) ++steps[time - *last];
    last = time;
  }
  Nanoseconds best = 60 * kNanosecondsPerSecond;
  int most = 0;
  for (const auto& [step, count] : steps) {
    if (count > most) {
      most = count;
      best = step;
    }
  }
  return best;
}

Result<Import> read_query_range(const std::string& file, const Node& result, ImportReport report) {
  report.format = "Prometheus query_range";
  MatrixSum sum;
  for (const Node& series : result.items) add_series(series, sum, report);
  if (sum.at.empty()) return nothing_usable(file, report);
  const Nanoseconds step = common_step(sum.at);
  RateProfile profile{.has_calendar = true, .origin = sum.at.begin()->first};
  for (const auto& [at, rate] : sum.at) {
    if (!profile.windows.empty()) {
      const auto& last = profile.windows.back();
      const Nanoseconds end = profile.origin + last.start + last.length;
      if (at > end) report.gaps.push_back({end - profile.origin, at - end});
      if (at < end) profile.windows.back().length = at - profile.origin - last.start;
    }
    profile.windows.push_back(
        {.start = at - profile.origin, .length = step, .rate = Hertz::from_base(rate)});
  }
  report.rows_used = report.rows_read - report.rows_dropped();
  report.span = profile.span();
  report.granularity = Seconds::from_base(static_cast<double>(step) * 1e-9);
  report.time_unit_why = "of this format";
  report.remarks.push_back(
      fmt::format("{} series added up; values are {}", result.items.size(),
                  sum.is_counter ? "counters, differenced" : "rates per second"));
  return Import{std::move(report), std::move(profile)};
}

}  // namespace

Result<Import> read_json_file(const std::string& file, std::string text) {
  TRY(const auto document, config::parse_json(file, std::move(text), kResultLimits));
  const Node& root = document.root;
  const Node* matrix = member(root, {"data", "result"});
  if (matrix != nullptr && matrix->kind == NodeKind::kList)
    return read_query_range(file, *matrix, {});
  const Node* benchmarks = member(root, "benchmarks");
  if (benchmarks != nullptr && benchmarks->kind == NodeKind::kList)
    return read_guidellm(file, *benchmarks, {});
  if (member(root, "total_input_tokens") != nullptr || member(root, "input_lens") != nullptr)
    return read_vllm(file, root, {});
  if (member(root, "request_throughput") != nullptr && member(root, "request_count") != nullptr)
    return read_aiperf(file, root, {});
  return Error{.code = lf::kNotDemand,
               .message = fmt::format("'{}' is JSON, but no demand we know", file),
               .hint =
                   "known are results of vLLM's and SGLang's bench, GuideLLM, AIPerf, "
                   "Prometheus' query_range, and one request per line",
               .where = {.file = file, .line = 1}};
}

}  // namespace loadfactor::demand
