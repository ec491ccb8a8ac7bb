// The schema of sweeps: what it takes is what the reader takes, as far as one key at a time tells.
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "config/document.h"
#include "tests/broken/broken_inputs.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

constexpr const char* kEverything = R"(
sweep: 1
name: everything
date: 2026-11-17
scenario: [a.yaml, b.yaml]
verb: [plan, fit]
options: {draws: 64, plan: {confirm: 1, gate: ["load_factor >= break_even"]}}
axes:
  - {key: limits.gpus, values: [8, 16, null]}
  - {key: serve.demand.requests_per_month, name: traffic, from: 0.1 M, to: 100 M, steps: 7, scale: log}
  - {key: serve.demand.tokens_in, from: 500, to: 4000, by: 500, whole: true}
  - {key: --batches, from: 1, to: 256, times: 2}
  - name: model
    choices: [{serve.model: llama-3.1-8b, hardware: [h100-sxm]}, {serve.model: gpt2, hardware: null}]
cases: cases.csv
samples: {method: saltelli, count: 64, seed: 1, over: [{key: money.electricity, from: 0.05 USD/kWh, to: 0.3 USD/kWh}]}
filters: ["traffic >= 1 M"]
keep: {figures: {cost: options.0.per_month}, intervals: true, answer: true}
report: {least: cost, pareto: [cost, -traffic], phase: {x: traffic, y: limits_gpus, shows: cost}}
)";

// What only several keys together, the scenario or another file tell.
const std::set<std::string> kBeyondASchema{"no-verb.yaml",
                                           "key-twice.yaml",
                                           "axis-unknown-key.yaml",
                                           "anchor.yaml",
                                           "axis-section.yaml",
                                           "axis-key-without-path.yaml",
                                           "axis-twice.yaml",
                                           "axis-same-name.yaml",
                                           "axis-reserved-name.yaml",
                                           "range-backwards.yaml",
                                           "range-units.yaml",
                                           "range-log-zero.yaml",
                                           "range-huge.yaml",
                                           "seed-negative.yaml",
                                           "seed-word.yaml",
                                           "choices-lack.yaml",
                                           "choices-more.yaml",
                                           "samples-huge.yaml",
                                           "cases-missing.yaml",
                                           "filter-syntax.yaml",
                                           "filter-equals.yaml",
                                           "filter-column.yaml",
                                           "filter-bracket.yaml",
                                           "filter-quote.yaml",
                                           "keep-same-name.yaml",
                                           "report-unknown.yaml",
                                           "too-many.yaml",
                                           "range-by-zero.yaml",
                                           "range-times-one.yaml",
                                           "values-twice.yaml",
                                           "verb-and-axis.yaml",
                                           "scenario-and-axis.yaml",
                                           "keep-same-letters.yaml",
                                           "filter-by-zero.yaml",
                                           "verb-twice.yaml",
                                           "scenario-twice.yaml",
                                           "filter-unit.yaml",
                                           "report-one-aim.yaml",
                                           "keep-reserved.yaml",
                                           "filter-no-condition.yaml"};

TEST(SweepSchemaTest, TakesEverySweepThatShipsAndOneWithEveryKey) {
  const JsonSchema schema = load_schema("sweep");
  const auto folder = std::filesystem::path(LF_SOURCE_DIR) / "data" / "sweeps";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto document = config::parse_yaml("s.yaml", broken::read_file(entry.path()));
    ASSERT_TRUE(document.has_value()) << entry.path();
    EXPECT_EQ(schema.complaints(to_json(document->root)), "") << entry.path();
  }
  const auto all = config::parse_yaml("all.yaml", kEverything);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(schema.complaints(to_json(all->root)), "");
}

TEST(SweepSchemaTest, RefusesWhatIsBrokenInItsStructure) {
  const JsonSchema schema = load_schema("sweep");
  std::size_t checked = 0;
  const auto folder = std::filesystem::path(LF_SOURCE_DIR) / "tests" / "broken" / "sweep";
  for (const auto& input : broken::load_broken_inputs(folder)) {
    const auto document = config::parse_yaml(input.name, input.text);
    if (!document || kBeyondASchema.contains(input.name)) continue;
    EXPECT_FALSE(schema.accepts(to_json(document->root))) << input.name << " " << input.damage;
    ++checked;
  }
  EXPECT_GE(checked, 30U);
}

}  // namespace
}  // namespace loadfactor::schema
