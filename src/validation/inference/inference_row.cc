#include "validation/inference/inference_row.h"

#include <array>
#include <string_view>

#include "base/error_codes.h"
#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

struct TextColumn {
  std::string_view name;
  std::string InferenceRow::*field;
};
constexpr std::array kTexts{TextColumn{"id", &InferenceRow::id},
                            TextColumn{"model", &InferenceRow::model},
                            TextColumn{"accelerator", &InferenceRow::accelerator},
                            TextColumn{"precision", &InferenceRow::precision},
                            TextColumn{"kv_precision", &InferenceRow::kv_precision},
                            TextColumn{"engine", &InferenceRow::engine},
                            TextColumn{"engine_version", &InferenceRow::engine_version},
                            TextColumn{"metric", &InferenceRow::metric},
                            TextColumn{"batch_or_concurrency", &InferenceRow::batch},
                            TextColumn{"request_rate", &InferenceRow::rate},
                            TextColumn{"source", &InferenceRow::source},
                            TextColumn{"notes", &InferenceRow::notes},
                            TextColumn{"load", &InferenceRow::load},
                            TextColumn{"lengths", &InferenceRow::lengths},
                            TextColumn{"client", &InferenceRow::client},
                            TextColumn{"tpot_of", &InferenceRow::tpot_of},
                            TextColumn{"bounds", &InferenceRow::bounds},
                            TextColumn{"harness", &InferenceRow::harness},
                            TextColumn{"eager", &InferenceRow::eager},
                            TextColumn{"generation", &InferenceRow::generation},
                            TextColumn{"prefill_pool", &InferenceRow::prefill_pool},
                            TextColumn{"decode_pool", &InferenceRow::decode_pool}};

struct NumberColumn {
  std::string_view name;
  std::optional<double> InferenceRow::*field;
};
constexpr std::array kNumbers{NumberColumn{"params_b", &InferenceRow::parameters},
                              NumberColumn{"active_b", &InferenceRow::active},
                              NumberColumn{"layers", &InferenceRow::layers},
                              NumberColumn{"hidden", &InferenceRow::hidden},
                              NumberColumn{"heads", &InferenceRow::heads},
                              NumberColumn{"kv_heads", &InferenceRow::kv_heads},
                              NumberColumn{"gpus", &InferenceRow::gpus},
                              NumberColumn{"tp", &InferenceRow::tp},
                              NumberColumn{"pp", &InferenceRow::pp},
                              NumberColumn{"ep", &InferenceRow::ep},
                              NumberColumn{"isl", &InferenceRow::input},
                              NumberColumn{"osl", &InferenceRow::output},
                              NumberColumn{"value", &InferenceRow::value},
                              NumberColumn{"year", &InferenceRow::year},
                              NumberColumn{"weight", &InferenceRow::weight},
                              NumberColumn{"prompts", &InferenceRow::prompts},
                              NumberColumn{"opening", &InferenceRow::opening},
                              NumberColumn{"ttft_bound_ms", &InferenceRow::ttft_bound_ms},
                              NumberColumn{"tpot_bound_ms", &InferenceRow::tpot_bound_ms},
                              NumberColumn{"cores_per_chip", &InferenceRow::cores_per_chip},
                              NumberColumn{"prefix_hits", &InferenceRow::prefix_hits},
                              NumberColumn{"host_overlap", &InferenceRow::host_overlap},
                              NumberColumn{"power_limit_w", &InferenceRow::power_limit_w}};

}  // namespace

Result<std::vector<InferenceRow>> read_inference_rows(const config::CsvTable& table) {
  for (const std::string_view needed : {"model", "accelerator", "metric", "value"}) {
    if (!table.column(needed)) {
      Error error{.code = lf::kMissingColumn,
                  .message = "the table has no column '" + std::string(needed) + "'",
                  .hint = "a serving result needs at least model, accelerator, metric and value"};
      error.where.file = table.file;
      return error;
    }
  }
  std::vector<InferenceRow> rows;
  rows.reserve(table.rows.size());
  for (const auto& cells : table.rows) {
    InferenceRow row;
    if (!cells.empty()) row.line = cells.front().position.line;
    for (const TextColumn& column : kTexts) {
      if (const auto at = table.column(column.name)) row.*column.field = cells[*at].text;
    }
    for (const NumberColumn& column : kNumbers) {
      const auto at = table.column(column.name);
      if (!at || cells[*at].text.empty() || cells[*at].text == "unknown") continue;
      row.*column.field = number_in(cells[*at].text);
      if (row.*column.field && *(row.*column.field) < 0) (row.*column.field).reset();
      if (!(row.*column.field))
        row.unread.push_back(std::string(column.name) + " '" + cells[*at].text +
                             "' is no number from 0 up: left out");
    }
    rows.push_back(std::move(row));
    if (rows.back().id.empty()) rows.back().id = "row-" + std::to_string(rows.size());
  }
  return rows;
}

std::string source_of(const InferenceRow& row) {
  const auto dash = row.id.rfind('-');
  const bool numbered = dash != std::string::npos && dash + 1 < row.id.size() &&
                        row.id.find_first_not_of("0123456789", dash + 1) == std::string::npos;
  if (numbered && row.id.compare(0, dash, "row") != 0) return row.id.substr(0, dash);
  const auto end = row.source.find_first_of(" @:");
  return row.source.empty() ? row.id : row.source.substr(0, end);
}

}  // namespace loadfactor::validation
