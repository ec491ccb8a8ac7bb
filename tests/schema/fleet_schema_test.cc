// The schema of fleet files: it takes what ships and refuses slips of the structure.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/document.h"
#include "tests/broken/broken_inputs.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

std::string fleet_of(const std::string& workload, const std::string& rest = {}) {
  return "loadfactor: 1\nname: f\npools: [{name: main, accelerator: h100-sxm}]\n" + rest +
         "workloads:\n- {name: w, " + workload + "}\n";
}

bool accepts(const JsonSchema& schema, const std::string& text) {
  const auto document = config::parse_yaml("fleet.yaml", text);
  return document.has_value() && schema.accepts(to_json(document->root));
}

const char* const kServe =
    "serve: {model: llama-3.1-8b, demand: {requests_per_day: 1 K, tokens_in: 9, tokens_out: 9}}";
const char* const kBatch = "batch: {model: llama-3.1-8b, items: 1 K, tokens_in: 9, tokens_out: 9}";

TEST(FleetSchemaTest, TakesEveryFleetThatShips) {
  const JsonSchema schema = load_schema("fleet-file");
  const auto folder = std::filesystem::path(LF_SOURCE_DIR) / "data" / "scenarios" / "fleet";
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const auto document = config::parse_yaml("f.yaml", broken::read_file(entry.path()));
    ASSERT_TRUE(document.has_value()) << entry.path();
    EXPECT_EQ(schema.complaints(to_json(document->root)), "") << entry.path();
    ++seen;
  }
  EXPECT_GE(seen, 12U);
}

TEST(FleetSchemaTest, TakesEveryKeyOfAWorkload) {
  const JsonSchema schema = load_schema("fleet-file");
  EXPECT_TRUE(accepts(schema, fleet_of(std::string(kServe) + ", value: 500 USD, api: false, "
                                                             "priority: 3, pools: [main]",
                                       "horizon: week\nmoney: {options: [own]}\n")));
  EXPECT_TRUE(accepts(
      schema, fleet_of(std::string(kBatch) + ", earliest: 2 h, deadline: 8 h, preemptible: true")));
  EXPECT_TRUE(accepts(schema, fleet_of("reserved: {jobs: sacct.csv}")));
  EXPECT_TRUE(accepts(schema, fleet_of("scenario: chat.yaml")));
  EXPECT_TRUE(accepts(schema, fleet_of("train: {model: llama-3.1-8b, tokens: 1 B}, gpus: 8")));
}

TEST(FleetSchemaTest, RefusesWhatTheReaderRefusesInTheStructure) {
  const JsonSchema schema = load_schema("fleet-file");
  const std::vector<std::string> broken{
      "loadfactor: 9\nname: f\npools: [{name: a, accelerator: b}]\nworkloads: [{name: w}]\n",
      "loadfactor: 1\nname: f\nworkloads: [{name: w, scenario: a.yaml}]\n",
      "loadfactor: 1\nname: f\npools: []\nworkloads: [{name: w, scenario: a.yaml}]\n",
      fleet_of("priority: 1"),
      fleet_of(std::string(kServe) + ", " + kBatch),
      fleet_of(std::string(kServe) + ", scenario: a.yaml"),
      fleet_of(std::string(kServe) + ", priority: 101"),
      fleet_of(std::string(kServe) + ", value: 500"),
      fleet_of(std::string(kServe) + ", api: perhaps"),
      fleet_of(std::string(kServe), "horizon: month\n"),
      fleet_of(std::string(kServe), "money: {optoins: [own]}\n"),
      fleet_of(std::string(kBatch) + ", deadline: 8"),
      fleet_of("batch: {model: llama-3.1-8b, items: 1 K}"),
      fleet_of("batch: nightly"),
      fleet_of("serve: {precision: fp8}"),
      fleet_of("train: {model: llama-3.1-8b}"),
      fleet_of("train: {model: llama-3.1-8b, tokens: 1 B, deadline: 3 days}"),
      fleet_of("reserved: {}"),
      fleet_of("reserved: {gpus: 4, jobs: a.csv}"),
      fleet_of("reserved: {gpu: 4}")};
  for (const std::string& text : broken) EXPECT_FALSE(accepts(schema, text)) << text;
}

}  // namespace
}  // namespace loadfactor::schema
