#include "validation/training_row.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/error_codes.h"

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

struct NumberColumn {
  std::string_view name;
  std::string_view ours;
  std::optional<double> TrainingRow::*field;
};
constexpr std::array kNumbers{
    NumberColumn{"params_b", "parameters_b", &TrainingRow::parameters},
    NumberColumn{"moe_active_b", "active_b", &TrainingRow::active},
    NumberColumn{"layers", "layers", &TrainingRow::layers},
    NumberColumn{"hidden", "hidden", &TrainingRow::hidden},
    NumberColumn{"heads", "heads", &TrainingRow::heads},
    NumberColumn{"kv_heads", "kv_heads", &TrainingRow::kv_heads},
    NumberColumn{"ffn", "mlp_width", &TrainingRow::ffn},
    NumberColumn{"vocab", "vocabulary", &TrainingRow::vocab},
    NumberColumn{"seq_len", "sequence", &TrainingRow::sequence},
    NumberColumn{"moe_experts", "experts", &TrainingRow::experts},
    NumberColumn{"moe_topk", "top_k", &TrainingRow::top_k},
    NumberColumn{"gpus", "accelerators", &TrainingRow::gpus},
    NumberColumn{"gpus_per_node", "per_node", &TrainingRow::gpus_per_node},
    NumberColumn{"scale_out_gbps", "scale_out_gbps", &TrainingRow::scale_out},
    NumberColumn{"tp", "tp", &TrainingRow::tp},
    NumberColumn{"pp", "pp", &TrainingRow::pp},
    NumberColumn{"vp", "chunks", &TrainingRow::vp},
    NumberColumn{"cp", "cp", &TrainingRow::cp},
    NumberColumn{"ep", "ep", &TrainingRow::ep},
    NumberColumn{"dp", "dp", &TrainingRow::dp},
    NumberColumn{"micro_batch", "micro_batch", &TrainingRow::micro_batch},
    NumberColumn{"global_batch", "global_batch", &TrainingRow::global_batch},
    NumberColumn{"step_time_s", "step_seconds", &TrainingRow::step_time},
    NumberColumn{"tokens_per_s_per_gpu", "tokens_per_second", &TrainingRow::tokens_per_second},
    NumberColumn{"tflops_per_gpu", "tflops", &TrainingRow::tflops},
    NumberColumn{"mfu_pct", "mfu_percent", &TrainingRow::mfu},
    NumberColumn{"memory_gb_per_gpu", "memory_gb", &TrainingRow::memory},
    NumberColumn{"year", "year", &TrainingRow::year}};

template <typename Column>
std::optional<std::size_t> find_column(const CsvTable& table, const Column& column) {
  const auto at = table.column(column.name);
  return at ? at : table.column(column.ours);
}

// Words that stand for "not stated".
bool is_unknown(std::string_view text) {
  return text.empty() || text == "unknown" || text == "n/a" || text == "-" || text == "?";
}

std::optional<double> read_number(const CsvTable& table, const CsvCell& cell,
                                  Diagnostics& diagnostics) {
  if (is_unknown(cell.text)) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(cell.text.c_str(), &end);
  if (end == cell.text.c_str() || *end != '\0') {
    diagnostics.add(table.error(lf::kNotANumber, cell, "'" + cell.text + "' is not a number",
                                "leave the cell empty when it is not known"));
    return std::nullopt;
  }
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
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

Result<std::vector<TrainingRow>> read_training_rows(const CsvTable& table,
                                                    Diagnostics& diagnostics) {
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
        row.*column.field = read_number(table, cells[*at], diagnostics);
      }
    }
    rows.push_back(std::move(row));
    if (rows.back().id.empty()) rows.back().id = "row-" + std::to_string(rows.size());
  }
  return rows;
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
