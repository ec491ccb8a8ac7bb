#include "validation/inference/row_remarks.h"

#include <array>
#include <cstdlib>
#include <map>
#include <regex>

#include <fmt/format.h>

#include "config/csv.h"
#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

constexpr std::string_view kFile = "published/remarks.csv";

using Found = std::map<std::string, std::string>;  // Values by column.

void take_text(const Found& found, const char* column, std::string& cell) {
  const auto value = found.find(column);
  if (cell.empty() && value != found.end()) cell = value->second;
}

void take_number(const Found& found, const char* column, std::optional<double>& cell) {
  const auto value = found.find(column);
  if (!cell && value != found.end()) cell = number_in(value->second);
}

// A time behind a word, as "TTFT 450ms" or "TTFT 4.5s" states it.
std::optional<double> milliseconds_after(const std::string& notes, const std::string& word) {
  const auto at = notes.find(word);
  if (at == std::string::npos) return std::nullopt;
  const char* const begin = notes.c_str() + at + word.size();
  char* end = nullptr;
  const double value = std::strtod(begin, &end);
  if (end == begin) return std::nullopt;
  return *end == 's' ? value * 1e3 : value;
}

// A share in percent before a word, as "incl. 56.3% cache hits" states it.
std::optional<double> percent_before(const std::string& notes, const std::string& words) {
  const auto at = notes.find(words);
  if (at == std::string::npos) return std::nullopt;
  const auto start = notes.find_last_not_of("0123456789.", at == 0 ? 0 : at - 1);
  const std::string share =
      notes.substr(start == std::string::npos ? 0 : start + 1, at - (start + 1));
  return number_in(share);
}

// Pools of prompts and of answers, as "prefill 2x(TP4 DPattn1 EP1) decode 3x(TP8 DPattn8 EP8" or
// "PD disaggregation 3P:1D, TP1" writes them.
void take_pools(InferenceRow& row) {
  if (!row.prefill_pool.empty()) return;
  static const std::regex kLong(
      R"(prefill (\d+)x\(TP(\d+) DPattn(\d+) EP(\d+)\) decode (\d+)x\(TP(\d+) DPattn(\d+) EP(\d+))");
  static const std::regex kShort(R"(PD disaggregation (\d+)P:(\d+)D, TP(\d+))");
  std::smatch found;
  const auto at = [&](std::size_t i) { return found[i].str(); };
  if (std::regex_search(row.notes, found, kLong)) {
    row.prefill_pool = fmt::format("{}xTP{}.DP{}.EP{}", at(1), at(2), at(3), at(4));
    row.decode_pool = fmt::format("{}xTP{}.DP{}.EP{}", at(5), at(6), at(7), at(8));
  } else if (std::regex_search(row.notes, found, kShort)) {
    row.prefill_pool = fmt::format("{}xTP{}.DP1.EP1", at(1), at(3));
    row.decode_pool = fmt::format("{}xTP{}.DP1.EP1", at(2), at(3));
  }
}

// The load of a row whose remarks name none.
std::string load_of_columns(const InferenceRow& row, const Found& found) {
  if (row.rate == "closed-loop") return row.rate;
  if (number_in(row.rate)) return "open-loop";
  if (const auto value = found.find("load_without_rate"); value != found.end())
    return value->second;
  if (row.rate == "inf") return number_in(row.batch) ? "burst" : "offline";
  return "static";
}

}  // namespace

Result<RowRemarks> RowRemarks::read(const catalog::Catalog& catalog) {
  RowRemarks remarks;
  const auto* file = catalog.find_file(kFile);
  if (file == nullptr) return remarks;
  Diagnostics diagnostics;
  TRY(const auto table, config::parse_csv(file->shown_as, file->text, diagnostics));
  if (!diagnostics.empty()) return diagnostics.errors().front();
  for (const auto& cells : table.rows) {
    const auto text = [&](std::string_view name) {
      const auto at = table.column(name);
      return at ? cells[*at].text : std::string();
    };
    const auto number = [&](std::string_view name) { return number_in(text(name)).value_or(0); };
    remarks.rules_.push_back({text("words"), text("at") == "start", text("metric"), text("batch"),
                              number("least_tokens"), number("most_tokens"), text("column"),
                              text("value")});
  }
  return remarks;
}

bool RowRemarks::applies(const Rule& rule, const InferenceRow& row) {
  const bool is_said =
      rule.at_start ? row.notes.starts_with(rule.words) : mentions(row.notes, rule.words);
  if (!is_said) return false;
  if (!rule.metric.empty() && rule.metric != row.metric) return false;
  if (!rule.batch.empty() && rule.batch != row.batch) return false;
  const double tokens = row.input.value_or(0) + row.output.value_or(0);
  return tokens >= rule.least_tokens && (rule.most_tokens <= 0 || tokens <= rule.most_tokens);
}

std::string RowRemarks::value_of(const Rule& rule, const InferenceRow& row) {
  const auto written = [](std::optional<double> number) {
    return number ? fmt::format("{:g}", *number) : std::string();
  };
  if (rule.value == "number before") return written(number_before(row.notes, rule.words));
  if (rule.value == "number after") return written(number_after(row.notes, rule.words));
  if (rule.value == "percent before") {
    const auto percent = percent_before(row.notes, rule.words);
    return percent ? fmt::format("{:g}", *percent / 100) : std::string();
  }
  return rule.value;
}

InferenceRow RowRemarks::completed(InferenceRow row) const {
  Found found;
  for (const Rule& rule : rules_) {
    if (found.contains(rule.column) || !applies(rule, row)) continue;
    if (std::string value = value_of(rule, row); !value.empty())
      found.emplace(rule.column, std::move(value));
  }
  for (const auto& [column, cell] : {std::pair{"load", &row.load},
                                     {"lengths", &row.lengths},
                                     {"client", &row.client},
                                     {"tpot_of", &row.tpot_of},
                                     {"bounds", &row.bounds},
                                     {"eager", &row.eager}})
    take_text(found, column, *cell);
  if (row.load.empty()) row.load = load_of_columns(row, found);
  take_number(found, "prompts", row.prompts);
  take_number(found, "opening", row.opening);
  take_number(found, "cores_per_chip", row.cores_per_chip);
  take_number(found, "prefix_hits", row.prefix_hits);
  if (row.bounds == "kept") {
    if (!row.ttft_bound_ms) row.ttft_bound_ms = milliseconds_after(row.notes, "TTFT ");
    if (!row.tpot_bound_ms) row.tpot_bound_ms = milliseconds_after(row.notes, "TPOT ");
  }
  take_pools(row);
  // A run of more requests than the column has them so many at a time.
  const auto batch = number_in(row.batch);
  if (row.load == "burst" && batch && row.prompts && *batch < *row.prompts)
    row.load = "closed-loop";
  return row;
}

}  // namespace loadfactor::validation
