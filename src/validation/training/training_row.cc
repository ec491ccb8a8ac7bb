#include "validation/training/training_row.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"

namespace loadfactor::validation {

namespace {

using config::CsvCell;
using config::CsvTable;

// `ours` is the column's name in data/published, `name` the one of published tables.
struct TextColumn {
  std::string_view name;
  std::string_view ours;
  std::string TrainingRow::*field;
};
constexpr std::array kTexts{
    TextColumn{"id", "id", &TrainingRow::id},
    TextColumn{"model", "model", &TrainingRow::model},
    TextColumn{"accelerator", "accelerator", &TrainingRow::accelerator},
    TextColumn{"precision", "precision", &TrainingRow::precision},
    TextColumn{"recompute", "recomputation", &TrainingRow::recompute},
    TextColumn{"sequence_parallel", "sequence_parallel", &TrainingRow::sequence_parallel},
    TextColumn{"schedule", "schedule", &TrainingRow::schedule},
    TextColumn{"zero_or_fsdp", "sharding", &TrainingRow::sharding},
    TextColumn{"framework", "framework", &TrainingRow::framework},
    TextColumn{"source", "source", &TrainingRow::source},
    TextColumn{"source_quality", "quality", &TrainingRow::quality},
    TextColumn{"notes", "facts", &TrainingRow::notes}};

// What a number of a column may be.
struct Range {
  double least;
  double most;
  bool whole;
};
constexpr Range kWidth{1, 1e9, true};   // Sizes and counts that something has to have.
constexpr Range kDegree{1, 1e6, true};  // Ranks of one kind of parallelism.
constexpr Range kLayers{1, 1e4, true};
constexpr Range kSome{0, 1e9, true};  // Zero says: none of that.
constexpr Range kAmount{0, 1e15, false};

struct NumberColumn {
  std::string_view name;
  std::string_view ours;
  std::optional<double> TrainingRow::*field;
  Range range;
};
constexpr std::array kNumbers{
    NumberColumn{"params_b", "parameters_b", &TrainingRow::parameters, kAmount},
    NumberColumn{"moe_active_b", "active_b", &TrainingRow::active, kAmount},
    NumberColumn{"layers", "layers", &TrainingRow::layers, kLayers},
    NumberColumn{"hidden", "hidden", &TrainingRow::hidden, kWidth},
    NumberColumn{"heads", "heads", &TrainingRow::heads, kWidth},
    NumberColumn{"kv_heads", "kv_heads", &TrainingRow::kv_heads, kSome},
    NumberColumn{"ffn", "mlp_width", &TrainingRow::ffn, kSome},
    NumberColumn{"vocab", "vocabulary", &TrainingRow::vocab, kWidth},
    NumberColumn{"seq_len", "sequence", &TrainingRow::sequence, kWidth},
    NumberColumn{"moe_experts", "experts", &TrainingRow::experts, kSome},
    NumberColumn{"moe_topk", "top_k", &TrainingRow::top_k, kSome},
    NumberColumn{"gpus", "accelerators", &TrainingRow::gpus, kWidth},
    NumberColumn{"gpus_per_node", "per_node", &TrainingRow::gpus_per_node, kWidth},
    NumberColumn{"scale_out_gbps", "scale_out_gbps", &TrainingRow::scale_out, kAmount},
    NumberColumn{"tp", "tp", &TrainingRow::tp, kDegree},
    NumberColumn{"pp", "pp", &TrainingRow::pp, kDegree},
    NumberColumn{"vp", "chunks", &TrainingRow::vp, kSome},
    NumberColumn{"cp", "cp", &TrainingRow::cp, kDegree},
    NumberColumn{"ep", "ep", &TrainingRow::ep, kSome},
    NumberColumn{"dp", "dp", &TrainingRow::dp, kDegree},
    NumberColumn{"micro_batch", "micro_batch", &TrainingRow::micro_batch, kWidth},
    NumberColumn{"global_batch", "global_batch", &TrainingRow::global_batch, kWidth},
    NumberColumn{"step_time_s", "step_seconds", &TrainingRow::step_time, kAmount},
    NumberColumn{"tokens_per_s_per_gpu", "tokens_per_second", &TrainingRow::tokens_per_second,
                 kAmount},
    NumberColumn{"tflops_per_gpu", "tflops", &TrainingRow::tflops, kAmount},
    NumberColumn{"mfu_pct", "mfu_percent", &TrainingRow::mfu, kAmount},
    NumberColumn{"memory_gb_per_gpu", "memory_gb", &TrainingRow::memory, kAmount},
    NumberColumn{"year", "year", &TrainingRow::year, kAmount}};

// Stated by published tables, and rightly of no effect on a prediction.
constexpr std::array<std::string_view, 1> kIgnored{"hfu_pct"};

template <typename Column>
std::optional<std::size_t> find_column(const CsvTable& table, const Column& column) {
  const auto at = table.column(column.name);
  return at ? at : table.column(column.ours);
}

// Words that stand for "not stated".
bool is_unknown(std::string_view text) {
  return text.empty() || text == "unknown" || text == "n/a" || text == "-" || text == "?";
}

std::string bound(double value) {
  return fmt::format("{:g}", value);
}

// What is wrong with a cell that must hold a number; nothing if all is well.
std::string wrong_with(const std::string& text, const Range& range, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') return "is not a number";
  if (!std::isfinite(value)) return "is not finite";
  if (value < range.least) return "is below " + bound(range.least);
  if (value > range.most) return "is above " + bound(range.most);
  if (range.whole && value != std::floor(value)) return "is not a whole number";
  return {};
}

std::optional<double> read_number(const CsvCell& cell, const NumberColumn& column,
                                  std::string& problem) {
  if (is_unknown(cell.text)) return std::nullopt;
  double value = 0;
  const std::string wrong = wrong_with(cell.text, column.range, value);
  if (wrong.empty()) return value;
  if (problem.empty())
    problem =
        fmt::format("{} '{}' {} (line {})", column.name, cell.text, wrong, cell.position.line);
  return std::nullopt;
}

Error missing_column(const CsvTable& table, std::string_view name) {
  Error error;
  error.code = lf::kMissingColumn;
  error.message = "the table has no column '" + std::string(name) + "'";
  error.hint = "a published training result needs at least model, accelerator and gpus";
  error.where.file = table.file;
  return error;
}

}  // namespace

Result<std::vector<TrainingRow>> read_training_rows(const CsvTable& table) {
  for (const std::string_view name : {"model", "accelerator", "gpus"}) {
    const bool counted = name == "gpus" && table.column("accelerators").has_value();
    if (!table.column(name) && !counted) return missing_column(table, name);
  }
  std::vector<TrainingRow> rows;
  rows.reserve(table.rows.size());
  for (const auto& cells : table.rows) {
    TrainingRow row;
    for (const TextColumn& column : kTexts) {
      if (const auto at = find_column(table, column)) row.*column.field = cells[*at].text;
    }
    for (const NumberColumn& column : kNumbers) {
      if (const auto at = find_column(table, column)) {
        row.*column.field = read_number(cells[*at], column, row.problem);
      }
    }
    rows.push_back(std::move(row));
    if (rows.back().id.empty()) rows.back().id = "row-" + std::to_string(rows.size());
  }
  return rows;
}

std::vector<std::string> unread_columns(const CsvTable& table, Diagnostics& diagnostics) {
  std::vector<std::string> absent;
  std::set<std::string_view> read(kIgnored.begin(), kIgnored.end());
  const auto add = [&](const auto& column) {
    read.insert({column.name, column.ours});
    if (!find_column(table, column)) absent.emplace_back(column.name);
  };
  std::for_each(kTexts.begin(), kTexts.end(), add);
  std::for_each(kNumbers.begin(), kNumbers.end(), add);
  std::vector<std::string> unread;
  for (const CsvCell& cell : table.header) {
    if (read.count(cell.text) > 0) continue;
    const auto meant = config::suggest(cell.text, absent);
    if (meant) {
      diagnostics.add(table.error(lf::kUnknownKey, cell, "no column '" + cell.text + "' is read",
                                  "did you mean '" + *meant + "'?"));
    } else {
      unread.push_back(cell.text);
    }
  }
  return unread;
}

std::string publication_of(const std::string& source) {
  const auto space = source.find(' ');
  std::string document = source.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : source.substr(space + 1);
  if (const auto at = document.find('@'); at != std::string::npos) document.resize(at);
  // Rounds of one benchmark are one publication.
  if (const auto round = document.rfind("_v"); round != std::string::npos) {
    if (round + 2 < document.size() &&
        std::isdigit(static_cast<unsigned char>(document[round + 2])) != 0) {
      document.resize(round);
    }
  }
  // A figure is a publication of its own: a repository may hold those of several years.
  if (rest.rfind("images/", 0) == 0) document += " " + rest.substr(0, rest.find(' '));
  return document;
}

}  // namespace loadfactor::validation
