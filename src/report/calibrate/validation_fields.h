// What all validations have in common. Only .cc files that describe one include it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "validation/training/training_validation.h"

namespace loadfactor::report {

template <>
inline constexpr auto kFields<validation::ErrorFigures> = fields<validation::ErrorFigures>(
    field<&validation::ErrorFigures::median>("median", "Median, by the nearest rank")
        .in("%")
        .at_least(0),
    field<&validation::ErrorFigures::mean>("mean", "Mean").in("%").at_least(0),
    field<&validation::ErrorFigures::p90>("p90", "Ninetieth percentile, by the nearest rank")
        .in("%")
        .at_least(0));

inline std::optional<std::int64_t> line_of(const validation::SkippedRow& row) {
  return row.line > 0 ? std::optional(static_cast<std::int64_t>(row.line)) : std::nullopt;
}
template <>
inline constexpr auto kFields<validation::SkippedRow> = fields<validation::SkippedRow>(
    field<&validation::SkippedRow::id>("id", "Id of the row, or row-N"),
    known_field<line_of>("line", "Line of the file, where it is known").at_least(1),
    field<&validation::SkippedRow::reason>("reason", "Why it was not scored"));

// One row of a file: measured, and predicted, in the row's own unit.
struct Prediction {
  std::string id, metric;
  double measured = 0, predicted = 0, low = 0, high = 0;
};
inline constexpr std::string_view kMetrics[] = {"tokens_per_s_per_gpu",
                                                "memory_gb_per_gpu",
                                                "train_step",
                                                "train_step_memory",
                                                "decode",
                                                "prefill",
                                                "total_output_tok_s",
                                                "tok_s_per_gpu",
                                                "ttft_ms",
                                                "tpot_ms",
                                                "latency_ms",
                                                "req_s"};
template <>
inline constexpr auto kFields<Prediction> = fields<Prediction>(
    field<&Prediction::id>("id", "Id of the row, or row-N"),
    field<&Prediction::metric>("metric", "What is compared").one_of(kMetrics),
    field<&Prediction::measured>("measured", "Measured, in the row's own unit").at_least(0),
    field<&Prediction::predicted>("predicted", "Predicted, in the same unit").at_least(0),
    field<&Prediction::low>("low", "Low end of the interval").at_least(0),
    field<&Prediction::high>("high", "High end of the interval").at_least(0));

template <typename Row>
Prediction prediction_of(const Row& row, std::string metric) {
  return {row.id, std::move(metric), row.measured, row.predicted, row.low, row.high};
}

// Figures of groups, by what they are grouped by and then by name.
template <typename T>
using Groups = Dictionary<Dictionary<T>>;
template <typename T>
void add_group(const std::string& by, std::string name, T figures, Groups<T>& groups) {
  for (auto& [key, inner] : groups.values)
    if (key == by) {
      inner.values.emplace_back(std::move(name), std::move(figures));
      return;
    }
  Dictionary<T> inner;
  inner.values.emplace_back(std::move(name), std::move(figures));
  groups.values.emplace_back(by, std::move(inner));
}

// The shapes of serving validations, which are described in a file of their own.
Value inference_schema();
Value inference_steps_schema();
// And those of whole runs.
Value production_file_schema();
Value production_schema();

}  // namespace loadfactor::report
